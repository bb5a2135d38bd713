import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { CustomPart, ProviderData, ReplyPart, TextPart } from '../parts.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { jsonTextOf } from '../untrusted-reply.ts';

/**
 * Answers what a provider keeps beside a part or a reply, as JSON holds it; `undefined` where there is nothing.
 *
 * @throws ModelError `invalid-reply` for what JSON cannot hold.
 */
export function providerDataOf({ providerMetadata }: UntrustedRecord): ProviderData | undefined {
  if (!isRecord(providerMetadata)) return undefined;
  // What the journal gives back later is already what goes back now.
  const data: ProviderData = JSON.parse(jsonTextOf(providerMetadata));
  return Object.keys(data).length === 0 ? undefined : data;
}

/** The same as the SDK takes it back, as a field to be spread; a provider looks for an object under its own name. */
export const optionsOf = (
  data: ProviderData | undefined,
): { readonly providerOptions?: SharedV4ProviderOptions } =>
  // Both are JSON: the types of the SDK only leave out that it may be read-only.
  data && Object.keys(data).length > 0 ? { providerOptions: data as SharedV4ProviderOptions } : {};

/** Answers what is under the keys, one in the other. */
export const within = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );

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
