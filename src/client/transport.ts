/** Asks a server, and asks again where that helps. */
import { HoldfastError } from './holdfast-error.ts';

/** What a client is given to ask with. */
export interface TransportOptions {
  /** Where the routes of the Worker are: `https://agents.example.com`, or with the path below which they are served. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. A function is called before every request, so that it may renew what has expired. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Asks in the place of the global `fetch`: another Worker's, by a service binding, or that of a test. */
  readonly fetch?: ((url: string, init: FetchInit) => Promise<Response>) | undefined;
  /** How often in a row a lost connection is tried again before it is given up; 5 unless given, which takes about twenty seconds. */
  readonly retries?: number | undefined;
}

/** What `fetch` is given beside the address. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | FormData;
  readonly signal?: AbortSignal;
}

/** One request, which may be sent as often as it takes: it says or does the same each time. */
export interface Asked {
  /** Below the `url`. */
  readonly path: string;
  /** `GET` unless given. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | FormData | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How requests are sent. */
export interface Transport {
  readonly retries: number;
  /**
   * Answers what `read` makes of the response, once it is neither an error nor lost.
   *
   * @throws HoldfastError for what was refused, and when the server cannot be reached; the reason of the signal.
   */
  ask<T>(asked: Asked, read: (response: Response) => Promise<T>): Promise<T>;
}

/** No server is waited for longer than this before it is asked again, in seconds: whoever asked is told instead. */
const LONGEST_WAIT = 120;

/** @throws TypeError when the address is none. */
export function createTransport({ url, token, fetch: given, retries = 5 }: TransportOptions): Transport {
  if (typeof url !== 'string' || !/^(https?:\/\/[^/?#]+)?(\/[^?#]*)?$/.test(url))
    throw new TypeError(`createClient: its url is '${url}': use one such as https://agents.example.com.`);
  const base = url.replace(/\/+$/, '');
  const once = async ({ path, method = 'GET', headers, body, signal }: Asked): Promise<Response> => {
    const bearer = typeof token === 'function' ? await token() : token;
    const all = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers };
    const init = { method, headers: all, ...(body !== undefined && { body }), ...(signal && { signal }) };
    signal?.throwIfAborted();
    return lost(() => (given ?? fetch)(base + path, init), signal);
  };
  const attempt = async <T>(asked: Asked, read: (response: Response) => Promise<T>): Promise<T> => {
    const response = await once(asked);
    if (!response.ok && response.status !== 304) throw await lost(() => toError(response), asked.signal);
    return lost(() => read(response), asked.signal);
  };
  return {
    retries,
    async ask(asked, read) {
      for (let failed = 1; ; failed += 1) {
        try {
          return await attempt(asked, read);
        } catch (failure) {
          if (failed > retries || !isPassing(failure)) throw failure;
          await pause(backoff(failed, failure.retryAfter), asked.signal);
        }
      }
    },
  };
}

/** The reading of a response's JSON. @throws HoldfastError when it holds none. */
export async function readJson(response: Response): Promise<unknown> {
  return parsed(await response.text(), response.status);
}

/** @throws HoldfastError when it is not the JSON of an object. */
export function parsed(text: string, status = 200): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw notOurs(status, text);
}

/** What fails in between is a lost connection, unless it is known what it is, or nobody waits for it any more. */
export async function lost<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HoldfastError('connection-lost', `The connection to the server was lost: ${why}`, { cause });
  }
}

/** Tells what may be over soon: a lost connection, a server that says when to come again, and what is between it and us. */
export function isPassing(failure: unknown): failure is HoldfastError {
  if (!(failure instanceof HoldfastError)) return false;
  const { type, status, retryAfter } = failure;
  if (retryAfter !== undefined && retryAfter > LONGEST_WAIT) return false;
  if (type === 'bad-response') return [429, 502, 503, 504].includes(status);
  return type === 'connection-lost' || ([429, 503].includes(status) && retryAfter !== undefined);
}

/** How long to wait before the next attempt, in ms: longer each time, not sooner than the server says, and not all clients at once. */
export const backoff = (failed: number, retryAfter = 0): number =>
  Math.max(Math.min(500 * 2 ** (failed - 1), 30_000), retryAfter * 1000) * (1 + Math.random() / 2);

/** Resolves after so many ms. @throws the reason of the signal when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const leave = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const timer = setTimeout(leave, ms);
    signal?.addEventListener('abort', leave);
  });
  signal?.throwIfAborted();
}

/** The error of a response that is a problem, or that no Worker of ours has sent. */
async function toError(response: Response): Promise<HoldfastError> {
  const { status, headers } = response;
  const retryAfter = secondsOf(headers.get('retry-after'));
  const text = await response.text();
  if (!headers.get('content-type')?.includes('problem+json')) return notOurs(status, text, retryAfter);
  const { type, title, status: _, detail, ...more } = parsed(text, status) as Record<string, unknown>; // looked at below
  const name = String(type).replace('urn:holdfast:problem:', '');
  const message = String(detail ?? title ?? name);
  // A server that is newer may name what this version does not know.
  return new HoldfastError(name as HoldfastError['type'], message, { status, retryAfter, more });
}

const notOurs = (status: number, text: string, retryAfter?: number): HoldfastError =>
  new HoldfastError(
    'bad-response',
    `The server has answered ${status}, and what a Worker of Holdfast does not say. Is the url right? It begins: ${text.slice(0, 100)}`,
    { status, retryAfter },
  );

function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
