/** Pages of other origins that may use the app: CORS, as the Fetch standard has it. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';

/** The literal that `cors` takes. */
export interface CorsConfig {
  /** Origins as browsers send them, such as `https://app.example`: a scheme and a host, without a path. */
  readonly origins: readonly string[];
}

/**
 * Lets pages of these origins use every route of the app from a browser, beside the Worker's own, which need nothing. What a browser asks
 * first (`OPTIONS`) is answered before `auth` is asked. Cookies are never sent along. A page of any other site reads nothing, and what it would
 * change is refused with 403 `cross-site`.
 *
 * @throws ConfigurationError if an origin is not one as browsers send it.
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
  const use = useOf(CORS);
  APP.give(use, {
    async http(asked, next) {
      const { request, allow } = asked;
      const origin = originIn(request, origins);
      if (origin === undefined) return varied(await next(asked));
      return readable(preflight(request, allow) ?? (await next({ ...asked, isOwnPage: true })), origin);
    },
  });
  return use;
}

const CORS = createModule({ name: 'cors' });

const SHAPE = {
  of: 'cors',
  keys: { origins: 'list' },
  required: ['origins'],
  foreign: { origin: 'origins' },
} satisfies LiteralShape<keyof CorsConfig>;

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

/** Lets the page read a response to its request. Browsers are never asked to send credentials, such as cookies, along. */
function readable(response: Response, origin: string): Response {
  const { headers } = varied(response);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', EXPOSED);
  return response;
}

/** The response depends on the origin of the page. */
function varied(response: Response): Response {
  response.headers.append('vary', 'origin');
  return response;
}

/**
 * Returns the response to a browser that asks whether it may send the request of a page; `undefined` for any other request. The page may
 * send any header: a program may, and none of them says more than the token does.
 */
function preflight({ method, headers }: Request, allow = ANY_METHOD): Response | undefined {
  if (method !== 'OPTIONS' || !headers.has('access-control-request-method')) return undefined;
  const wanted = headers.get('access-control-request-headers');
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': allow,
      ...(wanted !== null && { 'access-control-allow-headers': wanted }),
      'access-control-max-age': String(MAX_AGE),
    },
  });
}

/** At a path that the app does not have, so that a page may read that it is not there. */
const ANY_METHOD = 'GET, HEAD, POST, PUT, PATCH, DELETE';

function originIn({ headers }: Request, origins: Origins): string | undefined {
  const origin = headers.get('origin');
  return origin !== null && origins.has(origin) ? origin : undefined;
}

type Origins = ReadonlySet<string>;

/** @throws ConfigurationError if one is none. */
function parseOrigins(origins: readonly string[]): Origins {
  for (const origin of origins) {
    const sent = originOf(origin);
    if (sent === origin) continue;
    const use = sent === undefined ? 'a scheme and a host, such as https://app.example' : `'${sent}'`;
    throw new ConfigurationError(
      `cors: \`origins\` has '${String(origin)}', which is no origin: use ${use}.`,
    );
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
