import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { CustomPart, ProviderData, ReplyPart, TextPart } from '../parts.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { toJsonText } from '../untrusted-reply.ts';

/**
 * Returns the provider's data of a part or a reply as JSON, or `undefined` if there is none.
 *
 * @throws ModelError `invalid-reply` if the data is not valid JSON.
 */
export function getProviderData({ providerMetadata }: UntrustedRecord): ProviderData | undefined {
  if (!isRecord(providerMetadata)) return undefined;
  // A round trip through JSON: the value equals the one that the journal returns later.
  const data: ProviderData = JSON.parse(toJsonText(providerMetadata));
  return Object.keys(data).length === 0 ? undefined : data;
}

/**
 * Returns the data in the SDK's form, as a field to spread. A provider reads the object under its own name.
 */
export const toReturnedOptions = (
  data: ProviderData | undefined,
): { readonly providerOptions?: SharedV4ProviderOptions } =>
  // Both are JSON. The SDK's types only omit `readonly`.
  data && Object.keys(data).length > 0 ? { providerOptions: data as SharedV4ProviderOptions } : {};

export const getAtPath = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );

/** The kind of a part whose text is in the conversation, but not in the answer. */
const ASIDE_KIND = 'holdfast.text';

/**
 * Returns whether a text is separate from the answer: the summary of a server's compaction or, for a
 * structured answer, a remark before it.
 */
export const isAside = (provider: ProviderData | undefined, structured: boolean): boolean =>
  getAtPath(provider, 'anthropic', 'type') === 'compaction' ||
  (structured && ['openai', 'azure'].some((name) => getAtPath(provider, name, 'phase') === 'commentary'));

/** Converts a text of a reply to a part outside the answer. */
export const toAside = ({ text, provider }: TextPart): CustomPart => ({
  type: 'custom',
  kind: ASIDE_KIND,
  provider: { ...provider, [ASIDE_KIND]: text },
});

/** Converts a part made by `toAside` back to text. Returns any other part unchanged. */
export function restoreAside(part: ReplyPart): ReplyPart {
  if (part.type !== 'custom' || part.kind !== ASIDE_KIND) return part;
  const { [ASIDE_KIND]: text, ...provider } = part.provider ?? {};
  return { type: 'text', text: typeof text === 'string' ? text : '', provider };
}
