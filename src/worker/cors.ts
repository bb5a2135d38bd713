/** What pages of other origins may do with the app, in the words of browsers: CORS, as the Fetch standard has it. */
import type { Origins } from './auth.ts';

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
