/** Implements CORS (Fetch standard), which lets pages of other origins use the app. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';

/** The configuration of `cors`. */
export interface CorsConfig {
  /** Origins as browsers send them, such as `https://app.example`: a scheme and a host, without a path. */
  readonly origins: readonly string[];
}

/**
 * Allows pages of these origins to use every route of the app from a browser. The Worker's own origin is
 * always allowed. Preflight requests (`OPTIONS`) get their response before `auth` runs. Cookies are never
 * sent. Pages of other sites cannot read responses, and their requests that would change data return 403
 * `cross-site`.
 *
 * @throws ConfigurationError if an origin does not have the form that browsers send.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [cors({ origins: ['https://app.example'] })] });
 * ```
 */
export function cors(config: CorsConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ConfigurationError(`cors ${fault.problem}.`);
  const origins = parseOrigins(config.origins);
  const use = createUse(CORS_MODULE);
  APP.give(use, {
    async http(asked, next) {
      const { request, allow } = asked;
      const origin = findAllowedOrigin(request, origins);
      if (origin === undefined) return withVaryOrigin(await next(asked));
      return withCorsHeaders(
        createPreflightResponse(request, allow) ?? (await next({ ...asked, isOwnPage: true })),
        origin,
      );
    },
  });
  return use;
}

const CORS_MODULE = createModule({ name: 'cors' });

const SHAPE = {
  of: 'cors',
  keys: { origins: 'list' },
  required: ['origins'],
  foreign: { origin: 'origins' },
} satisfies LiteralShape<keyof CorsConfig>;

/** The response headers that pages can read. `*` covers the headers of other protocols. */
const EXPOSED_HEADERS = [
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

/** The time that a browser can cache a preflight response, in seconds. Chromium's maximum. */
const MAX_AGE_S = 2 * 60 * 60;

/** Allows the page to read a response. Never allows credentials, such as cookies. */
function withCorsHeaders(response: Response, origin: string): Response {
  const { headers } = withVaryOrigin(response);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', EXPOSED_HEADERS);
  return response;
}

/** Marks the response as dependent on the page's origin. */
function withVaryOrigin(response: Response): Response {
  response.headers.append('vary', 'origin');
  return response;
}

/**
 * Returns the response to a preflight request, or `undefined` for any other request. All headers are allowed,
 * because any program can send them and access depends only on the token.
 */
function createPreflightResponse(
  { method, headers }: Request,
  allow = DEFAULT_ALLOWED_METHODS,
): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined;
  const wanted = headers.get('access-control-request-headers');
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': allow,
      ...(wanted !== null && { 'access-control-allow-headers': wanted }),
      'access-control-max-age': String(MAX_AGE_S),
    },
  });
}

/** The allowed methods for a path that the app does not have, so that a page can read the 404 response. */
const DEFAULT_ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

function findAllowedOrigin({ headers }: Request, origins: OriginSet): string | undefined {
  const origin = headers.get('origin');
  return origin !== null && origins.has(origin) ? origin : undefined;
}

type OriginSet = ReadonlySet<string>;

/** Parses the configured origins. @throws ConfigurationError if one is invalid. */
function parseOrigins(origins: readonly string[]): OriginSet {
  for (const origin of origins) {
    const sent = parseOrigin(origin);
    if (sent === origin) continue;
    const use = sent === undefined ? 'a scheme and a host, such as https://app.example' : `'${sent}'`;
    throw new ConfigurationError(
      `cors: \`origins\` has '${String(origin)}', which is not an origin. Use ${use}.`,
    );
  }
  return new Set(origins);
}

/**
 * Returns the origin that browsers send for a page at this URL, or `undefined` if no page can have it.
 */
function parseOrigin(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const { origin, protocol, host } = new URL(address);
  if (host === '' || host.includes('*')) return undefined;
  // Web-view apps and browser extensions have pages with their own schemes, for which `null` is the origin of
  // a URL object.
  const sent = origin === 'null' ? `${protocol}//${host}` : origin;
  return /^(wss?|ftp):/.test(sent) ? undefined : sent;
}
