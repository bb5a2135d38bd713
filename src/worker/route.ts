import type { ExecutionContext } from 'hono';
import type { DeploymentCheck } from '../session/deployment.ts';
import type { Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { createWarningEntry } from '../tool/log.ts';
import type { Authenticate } from './auth.ts';
import type { Caller, CallerResolver, Env, Host, InvokedHost } from './host.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Problem } from './problem.ts';
import type { ContextHeaders } from './request-headers.ts';
import type { SessionAccess } from './target.ts';

/** The host of the HTTP app. */
export interface HttpHost extends Host {
  readonly auth: Authenticate;
  /** The gates of modules around the routes. */
  readonly gates: Gates;
  readonly contextHeaders: ContextHeaders;
  /** The keys of the tool-call context that a body may have. */
  readonly bodyContext: ReadonlySet<string>;
  /** The maximum number of bytes of a request body. */
  readonly maxBodyBytes: number;
  /** The event streams that callers have open. */
  readonly streams: OpenStreams;
  /**
   * Returns warnings about settings of the deployment that degrade sessions. @throws the errors of `checks`.
   */
  warnings(env: Env): readonly string[];
  /** Returns the checks that must pass for any session to work. */
  checks(env: Env): readonly DeploymentCheck[];
}

/** The functions of modules that run around the routes of an app. Each member is composed once. */
export interface Gates {
  /**
   * Wraps every request to the app, including refused ones. The first use is the outermost. `next` never
   * rejects: a failure has already become a response. The app adds its own headers (`x-request-id`,
   * `cache-control`) to the returned response.
   */
  readonly http?:
    | ((asked: HttpRequest, next: (asked: HttpRequest) => Promise<Response>) => Promise<Response>)
    | undefined;
  /** Called after `auth`. */
  readonly caller?: CallerResolver | undefined;
  /**
   * Called for each request to a session. Returns the owner of the requested session, or `undefined` for the
   * caller's own. The first use that returns an owner takes precedence.
   *
   * @throws Problem or SessionError to refuse it.
   */
  readonly owner?:
    | ((
        asked: CallerRequest,
        route: Pick<Route, 'method' | 'path'>,
        named: Readonly<Record<string, string>>,
      ) => Promise<Owner | undefined>)
    | undefined;
  /**
   * Called before a client or a delivery starts, or may start, a turn in a session of this owner. Not called
   * for the app's own code.
   *
   * @throws Problem or SessionError to refuse it.
   */
  readonly admit?: ((owner: Owner, app: AdmittingApp) => Promise<void>) | undefined;
}

/** A request to `Gates.http`, whose caller is not known yet. */
export type HttpRequest = Pick<RouteRequest, 'request' | 'requestId' | 'allow' | 'isOwnPage'>;

/** An app that is about to start a turn. */
export interface AdmittingApp {
  readonly env: Env;
  readonly host: Pick<Host, 'log' | 'clock'>;
}

export interface RouteRequest {
  readonly host: HttpHost;
  readonly env: Env;
  /** The prefix of the paths in the response's links. Defaults to an empty string. */
  readonly base?: string | undefined;
  readonly request: Request;
  /** The id of the request in logs and in `x-request-id`. */
  readonly requestId: string;
  /** The methods of its path, if its own method is not among them. */
  readonly allow?: string | undefined;
  /** `true` if the app trusts the page that sent it, whatever its site. */
  readonly isOwnPage?: true | undefined;
  /** Keeps work running after the response. */
  readonly execution: Pick<ExecutionContext, 'waitUntil'>;
}

/** An authenticated request that was not sent by a page on another site. */
export interface CallerRequest extends RouteRequest {
  readonly caller: Caller;
}

/** A request to one session of its caller, with the app in this invocation of the Worker. */
export interface SessionRequest extends CallerRequest, SessionAccess {
  readonly host: HttpHost & InvokedHost;
  readonly request: Request;
  readonly requestId: string;
}

/** The request that a handler receives, by the access of its route. */
interface RequestByAccess {
  /** For routes without authentication. */
  readonly open: RouteRequest;
  /** For callers that the app's `auth` accepts. */
  readonly caller: CallerRequest;
  /** For a session of the caller. The path contains its `{agent}` and `{session}`. */
  readonly session: SessionRequest;
}

/** The names in braces of a path, with their values in a request's path. */
export type PathParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParamsOf<Rest>
  : unknown;

/** The methods of routes. A `GET` route also handles `HEAD`. */
export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * An entry of the route table, with all data to serve it. The descriptions of routes are in the module
 * `openapi`.
 */
export interface RouteEntry<
  Access extends keyof RequestByAccess,
  Path extends string,
  Method extends RouteMethod = RouteMethod,
> {
  readonly method: Method;
  /** A path with names in braces: `/hooks/{hook}`. */
  readonly path: Path;
  readonly access: Access;
  /** The name of the link to the route in `GET /`. */
  readonly link?: string | undefined;
  /** `true` if the route may start a turn. Modules such as `rateLimit()` can then refuse its callers. */
  readonly isCounted?: true | undefined;
  /** `true` if the route may respond with a stream of events. `maxStreams` then limits its callers. */
  readonly streams?: true | undefined;
  /** Formats a problem for clients that do not read RFC 9457, or that need more data. */
  refuse?(problem: Problem, asked: Pick<RouteRequest, 'request' | 'base'>): Response;
  /** Handles a request. Thrown values become problem responses. */
  handle(request: RequestByAccess[Access], named: PathParamsOf<Path>): Response | Promise<Response>;
}

/** A route of any kind, as in the table of routes. */
export type Route = { [Access in keyof RequestByAccess]: RouteEntry<Access, string> }[keyof RequestByAccess];

/** Defines a route. The types of its handler depend on its access and on the names in its path. */
export const defineRoute = <
  Access extends keyof RequestByAccess,
  const Path extends string,
  Method extends RouteMethod,
>(
  route: RouteEntry<Access, Path, Method>,
): RouteEntry<Access, Path, Method> => route;

/** Responses that set their own caching and cross-origin headers, since clients may share their URL. */
export const SHARED_RESPONSES = new WeakSet<Response>();

/** The path of a session. Most routes are below it. */
export const SESSION_PATH = '/agents/{agent}/sessions/{session}';

/** Groups the routes by path, both in the order of the table. */
export const groupRoutesByPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
  Map.groupBy(routes, ({ path }) => path);

interface LinkSettings {
  readonly log: Log;
  /** As in the options of `createHoldfast`. */
  readonly basePath?: string | undefined;
}

/**
 * Creates the function that returns the prefix of a response's links: the app's `basePath`, or else the mount
 * path of the routes, from the URL of the request. In development, it warns once if the two differ.
 */
export function createLinkBase({
  basePath,
  log,
}: LinkSettings): (url: string, route: string | undefined) => string {
  let isTold = false;
  return (url, route = '') => {
    const parts = new URL(url).pathname.replace(/\/$/, '').split('/');
    const ofRoute = route.split('/').filter(Boolean);
    const mounted = parts.slice(0, parts.length - ofRoute.length).join('/');
    if (basePath === undefined) return mounted;
    const message = isTold ? undefined : literals?.mountedElsewhere(mounted, basePath);
    if (message !== undefined) log(createWarningEntry(message));
    isTold ||= message !== undefined;
    return basePath;
  };
}
