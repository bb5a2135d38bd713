import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ProviderData } from '../parts.ts';
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
  data ? { providerOptions: data as SharedV4ProviderOptions } : {};

/** Answers what is under the keys, one in the other. */
export const within = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
