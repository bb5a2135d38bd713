/** Sends requests to external receivers, without repeating them. */
import type { Clock } from '../../session/read-platform.ts';
import { withTimeout } from '../../tool/async.ts';

/**
 * Returns the problem of a URL, or `undefined`. The text includes `option` but not the URL, which can contain
 * a credential.
 */
export function findUrlProblem(url: unknown, option = 'url'): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  const isLocal = parsed !== null && ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLocal);
  return isSafe && !parsed.username && !parsed.password
    ? undefined
    : `has no usable '${option}'. It must be an https URL without a user, or http on localhost`;
}

/** A request that had no response, with the reason as the text after the receiver's name. */
export interface FailedPost {
  readonly unanswered: string;
}

/** The time limit for a receiver's response, in milliseconds. */
const TIMEOUT_MS = 15_000;

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Reads the response, within the same time limit. */
  read(response: Response): unknown;
}

/** Posts a request once, and returns the response after `read`. */
export async function post(
  clock: Pick<Clock, 'after'>,
  { url, headers, body, read }: PostRequest,
): Promise<Response | FailedPost> {
  const over = new AbortController();
  const { signal } = over;
  const createTimeoutError = (ms: number): Error => new PostTimeoutError(`did not answer within ${ms} ms`);
  const sendRequest = async (): Promise<Response> => {
    // Redirects are not followed, because they could lead to a host that the app's developer did not choose.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await read(response);
    return response;
  };
  try {
    return await withTimeout(clock, sendRequest(), { ms: TIMEOUT_MS, late: createTimeoutError });
  } catch (failure) {
    over.abort();
    return { unanswered: failure instanceof PostTimeoutError ? failure.message : 'could not be reached' };
  }
}

class PostTimeoutError extends Error {}

/** Returns the pause that a response requests, in milliseconds. The header contains seconds or a date. */
export function parseRetryAfter({ status, headers }: Response, now: number): number | undefined {
  const header = status === 429 || status === 503 ? headers.get('retry-after') : null;
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
