/** Keeps pages of other sites from acting for the person who looks at them. */
import { Problem } from './problem.ts';

/** Methods that change nothing. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps pages of other sites from acting for whoever looks at them: a browser sends some requests without asking first, and
 * with what it knows of the user, or from the one machine that needs no token. Programs send neither header.
 *
 * @throws Problem 403 `cross-site`.
 */
export function mustNotBeCrossSite({ method, url, headers }: Request): void {
  if (SAFE.includes(method)) return;
  const origin = headers.get('origin');
  const isForeign = origin !== null && !(URL.canParse(origin) && new URL(origin).host === new URL(url).host);
  if (!isForeign && headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new Problem(
    'cross-site',
    'A page of another site sent this request, and may not. If it is a page of yours, name its origin in ' +
      "cors({ origins }) of 'holdfast/http', in `use` of createHoldfast.",
  );
}
