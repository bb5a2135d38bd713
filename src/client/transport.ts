/** Sends requests, and retries them if a retry can help. */
import { HoldfastError } from './holdfast-error.ts';

/** Connection options of a client. */
export interface TransportOptions {
  /** The URL of the Worker: `https://agents.example.com`, with its path prefix if it has one. */
  readonly url: string;
  /**
   * Sent as `Authorization: Bearer`. A function is called before every request, so that it can renew an
   * expired token. If it throws a TypeError, as `fetch` does without a connection, it is called again like
   * after a lost connection; other errors are not caught.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Replaces the global `fetch`, for example with a service binding's or a test's. */
  readonly fetch?: ((url: string, init: FetchInit) => Promise<Response>) | undefined;
  /**
   * The maximum number of retries in a row after a lost connection. Defaults to 5, which takes about twenty
   * seconds.
   */
  readonly retries?: number | undefined;
}

/** The second argument of `fetch`. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | FormData;
  readonly signal?: AbortSignal;
}

/** One request that is safe to repeat: it has the same effect each time. */
export interface RepeatableRequest {
  /** The path below the `url`. */
  readonly path: string;
  /** Defaults to `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | FormData | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's setting. */
  readonly retries?: number | undefined;
}

/** Sends requests. */
export interface Transport {
  readonly retries: number;
  /**
   * Returns the result of `read` for a successful response. Retries a lost connection.
   *
   * @throws HoldfastError for refusals, and if the server is unreachable; the reason of the signal.
   */
  ask<T>(asked: RepeatableRequest, read: (response: Response) => Promise<T>): Promise<T>;
}

/** The default number of retries after a lost connection. */
const DEFAULT_RETRIES = 5;

/** Pauses between retries in milliseconds. Each pause is twice the one before, up to the maximum. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** The longest `retry-after` to wait for, in seconds. If a server sends a longer one, the error is thrown. */
const MAX_RETRY_AFTER_SECONDS = 120;

/** Milliseconds of silence after which a server counts as lost. Our servers send a heartbeat every 15 s. */
const MAX_SILENCE_MS = 50_000;

/** @throws TypeError if the URL is invalid. */
export function createTransport({
  url,
  token,
  fetch: given,
  retries = DEFAULT_RETRIES,
  owner,
}: TransportOptions & { readonly owner?: string | undefined }): Transport {
  if (typeof url !== 'string' || !/^(https?:\/\/[^/?#@\s]+)?(\/[^?#]*)?$/.test(url))
    throw new TypeError(
      `createClient: 'url' is '${String(url).replace(/\/\/.*@/, '//***@')}'. Use a URL such as https://agents.example.com.`,
    );
  const base = url.replace(/\/+$/, '');
  const sendOnce = async (asked: RepeatableRequest): Promise<Response> => {
    const { path, method = 'GET', headers, body, signal } = asked;
    const bearer = await readBearer(token);
    const all = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers };
    assertSendable(all);
    if (!given && !/^http/.test(base) && !isPage())
      throw new TypeError(
        `createClient: 'url' is '${url}'. Relative URLs only work in a page. Use an absolute URL.`,
      );
    signal?.throwIfAborted();
    const init = { method, headers: all, ...(body !== undefined && { body }) };
    return asConnectionLost(asked, () =>
      requestOnce(
        (stop) =>
          (given ?? fetch)(
            base +
              path +
              (owner === undefined
                ? ''
                : `${path.includes('?') ? '&' : '?'}owner=${encodeURIComponent(owner)}`),
            { ...init, signal: stop },
          ),
        asked,
      ),
    );
  };
  const attempt = async <T>(
    asked: RepeatableRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const response = await sendOnce(asked);
    if (!response.ok && response.status !== 304) throw await asConnectionLost(asked, () => toError(response));
    return asConnectionLost(asked, () => read(response));
  };
  return {
    retries,
    async ask(asked, read) {
      for (let failed = 1; ; failed += 1) {
        try {
          return await attempt(asked, read);
        } catch (failure) {
          if (failed > (asked.retries ?? retries) || !isTransient(failure)) throw failure;
          await pause(computeBackoff(failed, failure.retryAfter), asked.signal);
        }
      }
    },
  };
}

/** Returns a key as unique as a UUID, even on pages with an insecure origin. */
export const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Reads the JSON of a response. @throws HoldfastError if it is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  return parseObject(await response.text(), response.status);
}

/** @throws HoldfastError if the text is not the JSON of an object. */
export function parseObject(text: string, status = 200): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw createBadResponseError(status, text);
}

/**
 * Converts failures of work to a lost connection, unless they are known errors, or the signal has aborted.
 */
export async function asConnectionLost<T>(asked: RepeatableRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    asked.signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    throw createConnectionLostError(asked, cause);
  }
}

/** Makes the error of a lost connection, which says whether the request may have been processed. */
function createConnectionLostError(
  { method = 'GET', path, headers }: RepeatableRequest,
  cause: unknown,
): HoldfastError {
  const idempotencyKey = headers?.['idempotency-key'];
  const said = `The connection to the server was lost in ${method} ${path.replace(/\?.*/, '')}: ${getFailureReason(cause)}.`;
  const page = isPage() ? ' In a page, check that `cors({ origins })` lists its origin.' : '';
  const key = idempotencyKey ? '. Send it again with the `idempotencyKey` in `more`, and it runs once' : '';
  const done = method === 'GET' ? '' : ` The request may have run${key}.`;
  const more = { ...(idempotencyKey && { idempotencyKey }) };
  return new HoldfastError('connection-lost', said + page + done, { cause, more });
}

/**
 * Returns whether this runs in a page. A page resolves relative URLs, and its browser hides the reason
 * of a failed request.
 */
const isPage = (): boolean => 'location' in globalThis;

/** Returns the message of a failure, with the cause behind Node's "fetch failed". */
function getFailureReason(failure: unknown): string {
  const { message = String(failure), cause } = Object(failure) as { message?: string; cause?: unknown }; // like an Error
  const { message: inner, code } = Object(cause) as { message?: string; code?: string }; // likewise
  const behind = inner || code;
  return (behind ? `${message} (${behind})` : message).replace(/\.$/, '');
}

/**
 * @throws HoldfastError `connection-lost` if a function throws like `fetch` without a connection; its other
 * errors.
 */
async function readBearer(token: TransportOptions['token']): Promise<string | undefined> {
  try {
    return typeof token === 'function' ? await token() : token;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new HoldfastError('connection-lost', `The token function failed: ${getFailureReason(cause)}.`, {
      cause,
    });
  }
}

/**
 * Checks header values, since an invalid one would fail like a lost connection, and its error would contain
 * the token. @throws TypeError if a value is invalid.
 */
function assertSendable(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value.trim()))
      throw new TypeError(
        `${name === 'authorization' ? 'The token' : `'${name}'`} contains a character that is not allowed in a header.`,
      );
  }
}

/**
 * Returns the response to a request. Aborts if the server is silent for too long, except while files are
 * being sent.
 */
async function requestOnce(
  send: (stop: AbortSignal) => Promise<Response>,
  { body, signal }: RepeatableRequest,
): Promise<Response> {
  const stop = new AbortController();
  const sent = send(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  if (typeof body === 'object') return sent;
  return rejectOnSilence(sent, () => stop.abort());
}

/** Rejects after the longest silence of a server, and calls `stop`. */
export function rejectOnSilence<T>(work: Promise<T>, stop = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('the server sent nothing'));
      stop();
    }, MAX_SILENCE_MS);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/**
 * Returns whether a failure may be temporary: a lost connection, a server with `retry-after`, or a proxy in
 * between.
 */
export function isTransient(failure: unknown): failure is HoldfastError {
  if (!(failure instanceof HoldfastError)) return false;
  const { type, status, retryAfter } = failure;
  if (retryAfter !== undefined && retryAfter > MAX_RETRY_AFTER_SECONDS) return false;
  if (type === 'bad-response') return status === 429 || status > 501;
  return type === 'connection-lost' || ([429, 503].includes(status) && retryAfter !== undefined);
}

/**
 * Returns the milliseconds before the next attempt: longer each time, at least the server's `retry-after`,
 * and random, so that clients do not retry all at once.
 */
export const computeBackoff = (failed: number, retryAfter = 0): number =>
  Math.max(Math.min(FIRST_PAUSE_MS * 2 ** (failed - 1), MAX_PAUSE_MS), retryAfter * 1000) *
  (1 + Math.random() / 2);

/** Resolves after this many milliseconds. @throws the reason of the signal if it aborts. */
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

/** Makes the error of a response that is a problem, or not from a Worker of Holdfast. */
async function toError(response: Response): Promise<HoldfastError> {
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers.get('retry-after'), headers.get('date'));
  const text = await response.text();
  if (!headers.get('content-type')?.includes('problem+json'))
    return createBadResponseError(status, text, retryAfter);
  const { type, title, status: _, detail, ...more } = parseObject(text, status) as Record<string, unknown>; // checked below
  const name = String(type).replace('urn:holdfast:problem:', '');
  const message = String(detail ?? title ?? name);
  // A newer server may use names that this version does not know.
  return new HoldfastError(name as HoldfastError['type'], message, { status, retryAfter, more });
}

const createBadResponseError = (status: number, text: string, retryAfter?: number): HoldfastError =>
  new HoldfastError(
    'bad-response',
    `The server returned ${status} without a Holdfast response. Check the url. The body begins: ${text.slice(0, 100)}`,
    { status, retryAfter },
  );

/**
 * Returns the wait in a header. Compares it with the server's `date` if possible, since clocks of pages are
 * often wrong.
 */
function parseRetryAfter(header: string | null, date: string | null): number | undefined {
  if (!header) return undefined;
  const now = Date.parse(date ?? '') || Date.now();
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
