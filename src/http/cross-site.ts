import { ConfigurationError } from '../model/configuration-error.ts';
import { Problem } from './problem.ts';

/** Sites whose pages may do more than read, beside the Worker's own. */
export type Origins = ReadonlySet<string>;

/** @throws ConfigurationError when one is no origin: `https://app.example`, without a path. */
export function parseOrigins(origins: readonly string[]): Origins {
  for (const origin of origins) {
    if (originOf(origin) === origin) continue;
    throw new ConfigurationError(
      `origins has '${String(origin)}', which is no origin: use a scheme and a host, such as https://app.example.`,
    );
  }
  return new Set(origins);
}

const originOf = (text: unknown): string | undefined =>
  typeof text === 'string' && /^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;

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
    403,
    'cross-site',
    'A page of another site sent this request, and may not. If it is a page of yours, name its origin in ' +
      'createHoldfast({ origins }).',
  );
}
