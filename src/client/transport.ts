/** Asks a server, and asks again where that helps. */
import { HoldfastError } from './holdfast-error.ts';

/** What a client is given to ask with. */
export interface TransportOptions {
  /** Where the routes of the Worker are: `https://agents.example.com`, or with the path below which they are served. */
  readonly url: string;
  /**
   * Sent as `Authorization: Bearer`. A function is called before every request, so that it may renew what has expired. One that fails as
   * `fetch` does without a connection, with a TypeError, is called again as a lost connection is; what else it throws is not caught.
   */
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
  /** In the place of the client's. */
  readonly retries?: number | undefined;
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

/** How often a lost connection is tried again, unless a client is told otherwise. */
const RETRIES = 5;

/** The pauses in between double from the first one to the longest, in ms. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** No server is waited for longer than this before it is asked again, in seconds: whoever asked is told instead. */
const LONGEST_WAIT = 120;

/** A server of ours sends a heartbeat every 15 s: one that says nothing for so long is not there any more, in ms. */
const SILENCE = 50_000;

/** @throws TypeError when the address is none. */
export function createTransport({
  url,
  token,
  fetch: given,
  retries = RETRIES,
  owner,
}: TransportOptions & { readonly owner?: string | undefined }): Transport {
  if (typeof url !== 'string' || !/^(https?:\/\/[^/?#@\s]+)?(\/[^?#]*)?$/.test(url))
    throw new TypeError(
      `createClient: its url is '${String(url).replace(/\/\/.*@/, '//***@')}': use one such as https://agents.example.com.`,
    );
  const base = url.replace(/\/+$/, '');
  const once = async (asked: Asked): Promise<Response> => {
    const { path, method = 'GET', headers, body, signal } = asked;
    const bearer = await bearerOf(token);
    const all = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers };
    mustBeSendable(all);
    if (!given && !/^http/.test(base) && !isPage())
      throw new TypeError(`createClient: its url is '${url}', which only a page completes.`);
    signal?.throwIfAborted();
    const init = { method, headers: all, ...(body !== undefined && { body }) };
    return lost(asked, () =>
      answered(
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
  const attempt = async <T>(asked: Asked, read: (response: Response) => Promise<T>): Promise<T> => {
    const response = await once(asked);
    if (!response.ok && response.status !== 304) throw await lost(asked, () => toError(response));
    return lost(asked, () => read(response));
  };
  return {
    retries,
    async ask(asked, read) {
      for (let failed = 1; ; failed += 1) {
        try {
          return await attempt(asked, read);
        } catch (failure) {
          if (failed > (asked.retries ?? retries) || !isPassing(failure)) throw failure;
          await pause(backoff(failed, failure.retryAfter), asked.signal);
        }
      }
    },
  };
}

/** As good as a UUID, also on pages whose origin is not secure. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

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
export async function lost<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    asked.signal?.throwIfAborted();
    if (cause instanceof HoldfastError) throw cause;
    throw connectionLost(asked, cause);
  }
}

/** Tells what was lost, and what may have come of it all the same. */
function connectionLost({ method = 'GET', path, headers }: Asked, cause: unknown): HoldfastError {
  const idempotencyKey = headers?.['idempotency-key'];
  const said = `The connection to the server was lost in ${method} ${path.replace(/\?.*/, '')}: ${reasonOf(cause)}.`;
  const page = isPage()
    ? ' A browser says so too where `cors({ origins })` of the Worker lacks its page.'
    : '';
  const key = idempotencyKey ? ': sent again under the `idempotencyKey` of `more`, it is done once' : '';
  const done = method === 'GET' ? '' : ` It may have been done all the same${key}.`;
  const more = { ...(idempotencyKey && { idempotencyKey }) };
  return new HoldfastError('connection-lost', said + page + done, { cause, more });
}

/** A page completes addresses, and is never told why it sees nothing. */
const isPage = (): boolean => 'location' in globalThis;

/** What a failure says, and what Node keeps behind its "fetch failed". */
function reasonOf(failure: unknown): string {
  const { message = String(failure), cause } = Object(failure) as { message?: string; cause?: unknown }; // as of an Error
  const { message: inner, code } = Object(cause) as { message?: string; code?: string }; // likewise
  const behind = inner || code;
  return (behind ? `${message} (${behind})` : message).replace(/\.$/, '');
}

/** @throws HoldfastError `connection-lost` when a function fails as `fetch` does without a connection; what else it throws. */
async function bearerOf(token: TransportOptions['token']): Promise<string | undefined> {
  try {
    return typeof token === 'function' ? await token() : token;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new HoldfastError('connection-lost', `There was no token: ${reasonOf(cause)}.`, { cause });
  }
}

/** What no header can carry would fail like a lost connection, and be told with the token in it. @throws TypeError for it. */
function mustBeSendable(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value.trim()))
      throw new TypeError(
        `${name === 'authorization' ? 'The token' : `'${name}'`} holds a character that no header can carry.`,
      );
  }
}

/** The response to a request, which is stopped when nothing is said to it for too long. To send files takes as long as it takes. */
async function answered(
  send: (stop: AbortSignal) => Promise<Response>,
  { body, signal }: Asked,
): Promise<Response> {
  const stop = new AbortController();
  const sent = send(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
  if (typeof body === 'object') return sent;
  return inTime(sent, () => stop.abort());
}

/** Rejects when that takes longer than a server is silent, and stops it. */
export function inTime<T>(work: Promise<T>, stop = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('nothing has come'));
      stop();
    }, SILENCE);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/** Tells what may be over soon: a lost connection, a server that says when to come again, and what is between it and us. */
export function isPassing(failure: unknown): failure is HoldfastError {
  if (!(failure instanceof HoldfastError)) return false;
  const { type, status, retryAfter } = failure;
  if (retryAfter !== undefined && retryAfter > LONGEST_WAIT) return false;
  if (type === 'bad-response') return status === 429 || status > 501;
  return type === 'connection-lost' || ([429, 503].includes(status) && retryAfter !== undefined);
}

/** How long to wait before the next attempt, in ms: longer each time, not sooner than the server says, and not all clients at once. */
export const backoff = (failed: number, retryAfter = 0): number =>
  Math.max(Math.min(FIRST_PAUSE * 2 ** (failed - 1), LONGEST_PAUSE), retryAfter * 1000) *
  (1 + Math.random() / 2);

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
  const retryAfter = secondsOf(headers.get('retry-after'), headers.get('date'));
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

/** A time is compared with that of the server, as far as it tells: the clocks of pages are often wrong. */
function secondsOf(header: string | null, date: string | null): number | undefined {
  if (!header) return undefined;
  const now = Date.parse(date ?? '') || Date.now();
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
