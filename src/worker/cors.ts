/** What pages of other origins may do with the app: CORS, as the Fetch standard has it, and no requests of foreign sites. */
import { ConfigurationError } from '../model/configuration-error.ts';
import { Problem } from './problem.ts';

/** What pages read of the headers of an answer. The star stands for those of protocols that are not ours. */
const EXPOSED = [
  'x-request-id',
  'location',
  'content-location',
  'retry-after',
  'etag',
  'preference-applied',
  'allow',
  'www-authenticate',
  'content-disposition',
  'content-range',
  'x-should-retry',
  'x-vercel-ai-ui-message-stream',
  'mcp-session-id',
  '*',
].join(', ');

/** For so long a browser need not ask again, in seconds. Chromium believes no more. */
const MAX_AGE = 2 * 60 * 60;

/**
 * Lets the page read an answer which sent its request, where the app names the page's origin. Browsers are never told to send
 * along what they know of the user, such as cookies: who asks is told by a header, which no page can borrow.
 */
export function letPageRead({ headers }: Response, request: Request, origins: Origins): void {
  if (origins.size === 0) return;
  headers.append('vary', 'origin');
  const origin = originIn(request, origins);
  if (origin === undefined) return;
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', EXPOSED);
}

/**
 * Answers a browser that asks, before it sends the request of a page, whether that may be sent; `undefined` when none asks, or the
 * app does not name the page's origin. It comes without a token, so that it stands before the authentication, and it may send any
 * header: a program may, and none of them says more than the token does.
 */
export function preflight(request: Request, origins: Origins, methods: string): Response | undefined {
  const { method, headers } = request;
  const isAsked = method === 'OPTIONS' && headers.has('access-control-request-method');
  if (!isAsked || originIn(request, origins) === undefined) return undefined;
  const wanted = headers.get('access-control-request-headers');
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': methods,
      ...(wanted !== null && { 'access-control-allow-headers': wanted }),
      'access-control-max-age': String(MAX_AGE),
    },
  });
}

function originIn({ headers }: Request, origins: Origins): string | undefined {
  const origin = headers.get('origin');
  return origin !== null && origins.has(origin) ? origin : undefined;
}

/** Sites whose pages may use the app, beside the Worker's own. */
export type Origins = ReadonlySet<string>;

/** @throws ConfigurationError when one is none as browsers send it: `https://app.example`, without a path. */
export function parseOrigins(origins: readonly string[]): Origins {
  for (const origin of origins) {
    const sent = originOf(origin);
    if (sent === origin) continue;
    const use = sent === undefined ? 'a scheme and a host, such as https://app.example' : `'${sent}'`;
    throw new ConfigurationError(`origins has '${String(origin)}', which is no origin: use ${use}.`);
  }
  return new Set(origins);
}

/** What browsers send as the origin of a page at this address; `undefined` when there is no such page. */
function originOf(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const { origin, protocol, host } = new URL(address);
  if (host === '' || host.includes('*')) return undefined;
  // Apps in a web view and extensions of browsers have pages under schemes of their own, whose origins a URL does not tell.
  const sent = origin === 'null' ? `${protocol}//${host}` : origin;
  return /^(wss?|ftp):/.test(sent) ? undefined : sent;
}

/** Methods that change nothing. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps pages of other sites from acting for whoever looks at them: a browser sends some requests without asking first, and
 * with what it knows of the user, or from the one machine that needs no token. Programs send neither header.
 *
 * @throws Problem 403 `cross-site`.
 */
export function mustNotBeCrossSite({ method, url, headers }: Request, origins: Origins): void {
  if (SAFE.includes(method)) return;
  const origin = headers.get('origin');
  if (origin !== null && origins.has(origin)) return;
  const isForeign = origin !== null && !(URL.canParse(origin) && new URL(origin).host === new URL(url).host);
  if (!isForeign && headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new Problem(
    'cross-site',
    'A page of another site sent this request, and may not. If it is a page of yours, name its origin in ' +
      'createHoldfast({ origins }).',
  );
}
