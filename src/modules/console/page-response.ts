import type { Caller } from '../../worker/host.ts';
import { Problem } from '../../worker/problem.ts';
import type { RouteRequest } from '../../worker/route.ts';
import { GZIPPED, POLICY } from './built-page.js';
import { isDevelopment } from './development.ts';
import { readPage } from './read-page.ts';

export const CONSOLE_PATH = '/console';

/**
 * Resolves with the page. It contains no data, but in production only operators receive it.
 *
 * @throws Problem `role-required` if the caller is not an operator.
 */
export async function createPageResponse({ operator }: Pick<Caller, 'operator'>): Promise<Response> {
  if (!isDevelopment && operator !== true)
    throw new Problem(
      'role-required',
      'In production, only operators can open the console: callers for whom `auth` returns operator: true.',
    );
  return new Response(await readPage(GZIPPED), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    },
  });
}

/** Formats a problem as text for the person who opened the page. */
export function createRefusalPage(
  { status, message, headers }: Problem,
  { request, base = '' }: Pick<RouteRequest, 'request' | 'base'>,
): Response {
  const url = new URL(request.url).origin + base;
  const text = `${message}

A browser sends no token when it opens a page. This command serves the same page on your machine, and sends
the token in HOLDFAST_TOKEN with its requests:

  npx holdfast console --url ${url}
`;
  return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } });
}
