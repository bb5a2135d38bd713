import type { OpenAttempt } from '../ask-patiently.ts';
import { ModelError, type ModelReply } from '../chat-model.ts';
import { parseRetryAfter } from '../retry.ts';
import { waitOrRelease } from '../wait-or-release.ts';
import { errorOfResponse } from './error-of-response.ts';
import { readReply } from './read-reply.ts';

/** Anything that answers as `fetch` does: a service binding, a proxy, a test. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** Where to ask; the same for every ask of an adapter. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Headers;
  readonly fetch: Fetch;
  readonly now: () => number;
}

const unreachable = (error: unknown): ModelError =>
  new ModelError(
    'unreachable',
    `The model's server could not be reached: ${error instanceof Error ? error.message : 'no reason given'}`,
  );

const send = (endpoint: Endpoint, body: string, { patience, signal }: OpenAttempt): Promise<Response> => {
  // A redirect would carry the key to an address that nobody configured.
  const request: RequestInit = {
    method: 'POST',
    headers: endpoint.headers,
    body,
    signal,
    redirect: 'manual',
  };
  return waitOrRelease(patience, () => endpoint.fetch(endpoint.url, request), {
    broken: unreachable,
    release: ({ body: late }) => late?.cancel(),
  });
};

/**
 * Sends one ask and reads its answer.
 *
 * @throws ModelError whenever there is no complete reply; its message may still hold secrets.
 */
export const askOnce = async (
  endpoint: Endpoint,
  body: string,
  attempt: OpenAttempt,
): Promise<ModelReply> => {
  const response = await send(endpoint, body, attempt);
  if (response.ok) return readReply(response, attempt.patience, attempt);
  const retryAfter = parseRetryAfter(response.headers, endpoint.now());
  throw attempt.fail(await errorOfResponse(response, attempt.patience, retryAfter));
};
