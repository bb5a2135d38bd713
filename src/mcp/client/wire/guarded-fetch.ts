import { raceAbort } from '../../../tool/async.ts';
import { parsePublicAddress } from '../../../tool/public-address.ts';
import { AddressRefusedError, RedirectRefusedError, ResponseTooLargeError } from './wire-error.ts';

/** The type of `fetch` for a client. The `fetch` of a service binding also fits. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The maximum number of redirects for one request, all within an origin. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The statuses that keep a request's method and body. Others change it to a GET. */
const BODY_KEEPING_STATUSES: ReadonlySet<number> = new Set([307, 308]);

/** The limits on the requests of one connection. */
export interface FetchRules {
  readonly fetch: Fetch;
  /** The server's URL, already checked. Its origin is not checked again. */
  readonly server: URL;
  /** `true` if other origins can be private or plain `http`. */
  readonly allowPrivate: boolean;
  readonly maxResponseBytes: number;
  /** Removes credentials from a server's text. */
  redact(text: string): string;
}

/**
 * Creates the `fetch` for every request of a connection, including those for OAuth. It calls no private
 * address except the server's own, and follows redirects only within an origin. It cuts each response at its
 * limit, which for a stream applies to all its events. It sends no cookies, because Workers do not store any.
 *
 * @throws AddressRefusedError, RedirectRefusedError or ResponseTooLargeError. Errors from the inner `fetch`
 * pass through. Reading the body of a response can also throw ResponseTooLargeError.
 */
export function createGuardedFetch(rules: FetchRules): Fetch {
  const { fetch } = rules;
  return async (url, init) => {
    let address = assertAllowed(new URL(url), rules);
    for (let redirects = 0; ; redirects++) {
      const response = await fetchAbortable(fetch, address, { ...init, redirect: 'manual' });
      const target = findRedirectTarget(response, address);
      if (!target) return capResponse(response, rules.maxResponseBytes, init?.signal);
      await response.body?.cancel();
      const { status } = response;
      const isWithin = isFollowed(status, init?.method) && isSameOrigin(target, address);
      if (!isWithin) throw new RedirectRefusedError(rules.redact(target.origin), status);
      if (redirects === MAX_REDIRECTS) throw new RedirectRefusedError(undefined, status);
      address = target;
    }
  };
}

function assertAllowed(address: URL, { server, allowPrivate }: FetchRules): URL {
  if (allowPrivate || address.origin === server.origin) return address;
  const read = parsePublicAddress(address);
  if (read instanceof URL) return read;
  throw new AddressRefusedError(`it names a URL that ${read.wrong}`);
}

function findRedirectTarget(response: Response, asked: URL): URL | undefined {
  if (!REDIRECTS.has(response.status)) return undefined;
  const location = response.headers.get('location');
  return location === null ? undefined : (URL.parse(location, asked.href) ?? undefined);
}

/** Returns whether to follow a redirect. A request without its body would be a different request. */
const isFollowed = (status: number, method = 'GET'): boolean =>
  BODY_KEEPING_STATUSES.has(status) || method === 'GET';

const isSameOrigin = (target: URL, asked: URL): boolean =>
  target.origin === asked.origin && target.username === '' && target.password === '';

/** Calls `fetch` and stops waiting if the signal aborts, because a custom `fetch` can ignore its signal. */
function fetchAbortable(fetch: Fetch, address: URL, init: RequestInit): Promise<Response> {
  const response = fetch(address, init);
  return init.signal ? raceAbort(init.signal, response) : response;
}

/**
 * Returns the response with a body that ends at the limit. The caller can read its status first. Counts the
 * received bytes, and ignores content-length. Aborting the signal ends the body, too.
 */
function capResponse(response: Response, maxBytes: number, signal: AbortSignal | null | undefined): Response {
  if (!response.body) return response;
  return new Response(capStream(response.body, maxBytes, signal), response);
}

/** Creates a stream by hand, because aborting the platform's pipe causes unhandled rejections. */
function capStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  /** Passes on the start of a chunk up to the limit, since it shows the kind of the oversized response. */
  const readNext = async () => {
    if (bytes > maxBytes) throw new ResponseTooLargeError(maxBytes);
    const { done, value } = await (signal ? raceAbort(signal, reader.read()) : reader.read());
    const fits = maxBytes - bytes;
    bytes += value?.byteLength ?? 0;
    if (bytes > maxBytes && fits === 0) throw new ResponseTooLargeError(maxBytes);
    return { done, value: value?.subarray(0, fits) };
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await readNext();
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
