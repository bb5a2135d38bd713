import { ModelError, type ModelFailure } from './chat-model.ts';
import { toldLength } from './context-length.ts';
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

/** What a server says beside its status. */
interface ServerWords {
  readonly words: string;
  /** The code and the type of its error, and what else tells the reason. */
  readonly details?: string | undefined;
  /** The wait that it asks for, in ms; `Infinity`: none helps. */
  readonly retryAfter?: number | undefined;
}

/** The error for an answer whose status is not 2xx. */
export const errorOfStatus = (status: number, { words, details, retryAfter }: ServerWords): ModelError => {
  const failure = failureOfStatus(status);
  const start = `The model's server answered ${status}`;
  const length = toldLength(failure, words, details);
  if (length) return new ModelError('context-length', sentence(start, words), { status, length });
  const isLong = retryAfter !== undefined && retryAfter > LONGEST_WAIT && Number.isFinite(retryAfter);
  if (!isLong || !mayPass(failure)) return new ModelError(failure, sentence(start, words), { status });
  const wait = `${start} and asks to wait ${Math.ceil(retryAfter / 1000)} s`;
  return new ModelError('rate-limited', sentence(wait, words), { status });
};
