import type { CustomPart, ProviderData, ReplyPart, TextPart } from '../parts.ts';
import { within } from './provider-data.ts';

/** A text that belongs to the conversation, and not to the answer: the part that holds it has this kind. */
const KIND = 'holdfast.text';

/**
 * Whether words are said beside the answer: the summary by which a server has compacted the conversation, and, where the
 * answer must have a form, what a model remarks before it.
 */
export const isAside = (provider: ProviderData | undefined, structured: boolean): boolean =>
  within(provider, 'anthropic', 'type') === 'compaction' ||
  (structured && ['openai', 'azure'].some((name) => within(provider, name, 'phase') === 'commentary'));

/** Keeps a text of a reply out of its answer. */
export const toAside = ({ text, provider }: TextPart): CustomPart => ({
  type: 'custom',
  kind: KIND,
  provider: { ...provider, [KIND]: text },
});

/** Answers the text again that was kept out of an answer; any other part as it is. */
export function fromAside(part: ReplyPart): ReplyPart {
  if (part.type !== 'custom' || part.kind !== KIND) return part;
  const { [KIND]: text, ...provider } = part.provider ?? {};
  return { type: 'text', text: typeof text === 'string' ? text : '', provider };
}
