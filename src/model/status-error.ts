import { ModelError, type ModelFailure } from './chat-model.ts';
import { LONGEST_WAIT, mayPass } from './retry.ts';

/** What an HTTP status other than 2xx says about the request. */
export const failureOfStatus = (status: number): ModelFailure => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 409 ? 'server-error' : 'bad-request';
};

/** A sentence of ours, and after it the server's own words when it had any. */
export const sentence = (start: string, words: string): string =>
  words.trim() === '' ? `${start}.` : `${start}: ${words.trim()}`;

/** The error for an answer whose status is not 2xx. `retryAfter` is the wait that it asks for, in ms; `Infinity`: none helps. */
export const errorOfStatus = (status: number, words: string, retryAfter: number | undefined): ModelError => {
  const failure = failureOfStatus(status);
  const start = `The model's server answered ${status}`;
  const isLong = retryAfter !== undefined && retryAfter > LONGEST_WAIT && Number.isFinite(retryAfter);
  if (!isLong || !mayPass(failure)) return new ModelError(failure, sentence(start, words), { status });
  const wait = `${start} and asks to wait ${Math.ceil(retryAfter / 1000)} s`;
  return new ModelError('rate-limited', sentence(wait, words), { status });
};
