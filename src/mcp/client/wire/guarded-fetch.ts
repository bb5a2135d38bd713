import { untilAborted } from '../../../tool/async.ts';
import { publicAddress } from '../../../tool/public-address.ts';
import { AddressRefusedError, RedirectRefusedError, ResponseTooLargeError } from './wire-error.ts';

/** What `fetch` is to a client; that of a service binding will do. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The most redirects within an origin that are followed for one request. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These keep a request's method and body; the others make a GET of it. */
const KEEP_THE_BODY: ReadonlySet<number> = new Set([307, 308]);

/** What the requests of one connection may do. */
export interface FetchRules {
  readonly fetch: Fetch;
  /** The server's address, found good by whoever chose it: its origin is not looked at again. */
  readonly server: URL;
  /** Lets any other origin be a private one, or plain `http`. */
  readonly allowPrivate: boolean;
  readonly maxResponseBytes: number;
  /** Takes credentials out of what a server says. */
  redact(text: string): string;
}

/**
 * A `fetch` for every request of a connection, those for OAuth included: asks no private address but the server's own, follows
 * redirects within an origin only, and cuts each response at its limit, a stream of events counted over its life. It sends
 * what it is given and nothing else: Workers keep no cookies.
 *
 * @throws AddressRefusedError, RedirectRefusedError, ResponseTooLargeError, and what the `fetch` inside throws. Reading the
 *   body of a response throws ResponseTooLargeError too.
 */
export function guardedFetch(rules: FetchRules): Fetch {
  const { fetch } = rules;
  return async (url, init) => {
    let address = allowed(new URL(url), rules);
    for (let redirects = 0; ; redirects++) {
      const response = await asked(fetch, address, { ...init, redirect: 'manual' });
      const target = targetOf(response, address);
      if (!target) return capped(response, rules.maxResponseBytes, init?.signal);
      await response.body?.cancel();
      const { status } = response;
      const isWithin = isFollowed(status, init?.method) && isOfOrigin(target, address);
      if (!isWithin) throw new RedirectRefusedError(rules.redact(target.origin), status);
      if (redirects === MAX_REDIRECTS) throw new RedirectRefusedError(undefined, status);
      address = target;
    }
  };
}

function allowed(address: URL, { server, allowPrivate }: FetchRules): URL {
  if (allowPrivate || address.origin === server.origin) return address;
  const read = publicAddress(address);
  if (read instanceof URL) return read;
  throw new AddressRefusedError(`it names an address that ${read.wrong}`);
}

function targetOf(response: Response, asked: URL): URL | undefined {
  if (!REDIRECTS.has(response.status)) return undefined;
  const location = response.headers.get('location');
  return location === null ? undefined : (URL.parse(location, asked.href) ?? undefined);
}

/** A redirect is followed only where the request stays the same: one with a body would become another one. */
const isFollowed = (status: number, method = 'GET'): boolean => KEEP_THE_BODY.has(status) || method === 'GET';

const isOfOrigin = (target: URL, asked: URL): boolean =>
  target.origin === asked.origin && target.username === '' && target.password === '';

/** Waits until the signal aborts: not every `fetch` that may be given looks at it. */
function asked(fetch: Fetch, address: URL, init: RequestInit): Promise<Response> {
  const response = fetch(address, init);
  return init.signal ? untilAborted(init.signal, response) : response;
}

/**
 * The response, whose body ends at the limit; whoever asked sees its status before that. Content-length is what the server
 * says; what counts is what comes. Aborting ends the reading too.
 */
function capped(response: Response, maxBytes: number, signal: AbortSignal | null | undefined): Response {
  if (!response.body) return response;
  return new Response(cut(response.body, maxBytes, signal), response);
}

/** Makes a stream of its own, since aborting a pipe of the platform's leaves rejections behind that nobody can handle. */
function cut(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  /** Hands on what fits of a chunk: its beginning shows what it is that is too long. */
  const next = async () => {
    if (bytes > maxBytes) throw new ResponseTooLargeError(maxBytes);
    const { done, value } = await (signal ? untilAborted(signal, reader.read()) : reader.read());
    const fits = maxBytes - bytes;
    bytes += value?.byteLength ?? 0;
    if (bytes > maxBytes && fits === 0) throw new ResponseTooLargeError(maxBytes);
    return { done, value: value?.subarray(0, fits) };
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await next();
        if (done || !value) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => undefined);
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
