import type { ModelRequest } from '../chat-model.ts';
import type { Endpoint } from './ask-once.ts';
import { OUR_FIELDS } from './request-body.ts';

/** Where servers take a key of a conversation: a field of the body, or a header, whose name begins with `x-`. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['api.openai.com', 'prompt_cache_key'],
  ['api.x.ai', 'x-grok-conv-id'],
  ['api.cloudflare.com', 'x-session-affinity'],
]);

/**
 * Answers where the server takes a key, if anywhere: others than those that are known may refuse what they do not know.
 *
 * @throws TypeError for what is neither a field nor a header, and for a field that the adapter sets itself.
 */
export function cacheKeyPlace(given: string | undefined, hostname: string): string | undefined {
  if (given === undefined) return KNOWN.get(hostname);
  if (/^[\w-]{1,64}$/.test(given) && !OUR_FIELDS.has(given)) return given;
  throw new TypeError("'cacheKeyIn' is no field of the body or header that is free to hold a key.");
}

const isHeader = (place: string): boolean => /^x-/i.test(place);

/** The field that tells the key of a request; nothing where there is no key or no such field. */
export const keyField = (
  place: string | undefined,
  { cache }: ModelRequest,
): Readonly<Record<string, string>> =>
  place === undefined || isHeader(place) || cache?.key === undefined ? {} : { [place]: cache.key };

/** The endpoint with the header that tells the key of a request; one that was given for all requests stands. */
export function keyedEndpoint(
  endpoint: Endpoint,
  place: string | undefined,
  { cache }: ModelRequest,
): Endpoint {
  if (place === undefined || !isHeader(place) || cache?.key === undefined) return endpoint;
  if (endpoint.headers.has(place)) return endpoint;
  const headers = new Headers(endpoint.headers);
  headers.set(place, cache.key);
  return { ...endpoint, headers };
}
