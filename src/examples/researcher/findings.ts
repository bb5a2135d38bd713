import * as v from 'valibot';
import { defineDomainType } from '../../index.ts';
import type { CallState } from '../../kinds/entry.ts';
import type { DocumentText } from './documents.ts';

const findingSchema = v.object({ documentId: v.string(), title: v.string(), sentences: v.array(v.string()) });

/** The sentences of one document about a theme. */
export type Finding = v.InferOutput<typeof findingSchema>;

/** The domain type of findings on the blackboard. */
export const Finding = defineDomainType({ name: 'Finding', schema: findingSchema });

/**
 * Returns the sentences of a document that share a word with the theme, or all sentences if only its title
 * shares a word.
 */
export function extractFinding(
  { documentId, title, text }: DocumentText,
  theme: string,
): Finding | undefined {
  const words = splitWords(theme);
  const isAbout = (sentence: string): boolean => splitWords(sentence).some((word) => words.includes(word));
  const all = text.split(/(?<=\.) /);
  const about = all.filter(isAbout);
  if (about.length === 0 && !isAbout(title)) return undefined;
  return { documentId, title, sentences: about.length > 0 ? about : all };
}

/** Returns the words with four or more letters, without a plural ending. */
const splitWords = (text: string): readonly string[] =>
  (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.replace(/s$/, ''));

/**
 * Returns the findings on a theme so far. They are in `call.state`, which outlives the Worker and the turn.
 */
export const listFindings = (theme: string, state: CallState): readonly Finding[] =>
  v.parse(v.optional(v.array(findingSchema), []), state.get(toFindingKey(theme)));

/** Stores a finding. Replaces an earlier finding from the same document. */
export const keepFinding = (theme: string, finding: Finding, state: CallState): void => {
  const others = listFindings(theme, state).filter(({ documentId }) => documentId !== finding.documentId);
  state.set(toFindingKey(theme), [...others, finding]);
};

const toFindingKey = (theme: string): string => `findings:${theme.trim().toLowerCase()}`;
