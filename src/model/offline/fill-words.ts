/** Inputs that come from the words of a step: choices, flags and free text. */

import type { Scalar } from '../untrusted-json.ts';
import type { Found, Sources } from './fill-value.ts';
import type { Mention } from './mentions.ts';
import type { Param } from './params.ts';
import { stem, stemsOf, wordsOf } from './words.ts';

/** One value for one parameter. */
export interface Chosen {
  readonly value: unknown;
  /** It is more than the message's own words. */
  readonly grounded: boolean;
  /** The mentions it used up. */
  readonly taken: readonly Mention[];
  /** All values that would do, where the step lists several. */
  readonly spread: Found;
}

export const none: Found = { values: [], mentions: [] };
/** A value that used up no mention. */
export const plain = (value: unknown, grounded: boolean): Chosen => ({
  value,
  grounded,
  taken: [],
  spread: none,
});

/** The choice whose words the step says, the longest first. */
export function choiceFor(
  { required, fallback }: Param,
  values: readonly Scalar[],
  { step }: Sources,
): Chosen | undefined {
  const said = new Set(wordsOf(step.text).map(stem));
  const fits = (value: Scalar): boolean => {
    const words = wordsOf(String(value)).map(stem);
    return words.length > 0 && words.every((word) => said.has(word));
  };
  const chosen = values.filter(fits).toSorted((left, right) => String(right).length - String(left).length)[0];
  if (chosen !== undefined) return plain(chosen, true);
  if (!required) return undefined;
  if (fallback !== undefined) return plain(fallback, false);
  return values.length === 1 ? plain(values[0], false) : undefined;
}

/** True where the step names it, false where it denies it. A required one is false when nothing is said. */
export function booleanFor({ nouns, required, fallback }: Param, { step }: Sources): Chosen | undefined {
  const named = nouns.length > 0 && nouns.every((noun) => step.topic.includes(noun));
  const negated = /\b(?:not|no|without|never)\b|n't\b/i.test(step.text);
  if (named) return plain(!negated, true);
  return required ? plain(fallback ?? false, false) : undefined;
}

const reasonIn = (text: string): string | undefined =>
  /\b(?:because|since|due to|reason:)\s+(.{1,500})/is.exec(text)?.[1]?.trim();

/** What the step says for an optional text: a quotation under its name, or a reason. */
export function reasonFor({ nouns }: Param, tells: boolean, { step }: Sources): Chosen | undefined {
  const quoted = step.mentions.find(
    ({ kind, before: [near = ''] }) => kind === 'quoted' && nouns.includes(near),
  );
  if (quoted !== undefined) return plain(quoted.value, true);
  const reason = tells ? reasonIn(step.text) : undefined;
  return reason === undefined ? undefined : plain(reason, false);
}

/** Free words: a quotation, a reason, or the step itself; what tells somebody also carries what this turn found. */
export function textFor({ nouns }: Param, tells: boolean, { step, summary }: Sources): Chosen {
  if (!tells) return plain(step.text, false);
  const quotes = step.mentions.filter(({ kind }) => kind === 'quoted');
  const quoted = quotes.find(({ before }) => before.some((word) => nouns.includes(word))) ?? quotes[0];
  if (quoted !== undefined) return plain(quoted.value, true);
  const reason = reasonIn(step.text);
  if (reason !== undefined) return plain(reason, false);
  const short = nouns.some((noun) => stemsOf('subject title summary').includes(noun));
  if (short) return plain(step.text.slice(0, 80), false);
  const carries = nouns.some((noun) => stemsOf('body message text content').includes(noun));
  return plain(carries && step.refersBack && summary !== '' ? `${step.text}: ${summary}` : step.text, false);
}
