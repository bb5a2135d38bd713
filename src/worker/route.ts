import type { ExecutionContext } from 'hono';
import type { Check } from '../session/deployment.ts';
import type { Owner } from '../tool/call-origin.ts';
import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { warning } from '../tool/log.ts';
import type { Authenticate } from './auth.ts';
import type { Caller, Env, Host, Invoked, SpeakerOf } from './host.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Problem } from './problem.ts';
import type { ContextHeaders } from './request-headers.ts';
import type { SessionAccess } from './target.ts';

/** What the HTTP app is built on. */
export interface HttpHost extends Host {
  readonly auth: Authenticate;
  /** What modules put around the routes. */
  readonly gates: Gates;
  readonly contextHeaders: ContextHeaders;
  /** The keys of the tool-call context that a body may have. */
  readonly bodyContext: ReadonlySet<string>;
  /** What a request body may weigh, in bytes. */
  readonly maxBodyBytes: number;
  /** The event streams that callers have open. */
  readonly streams: OpenStreams;
  /** What in the Worker's deployment makes sessions work less well than they could. @throws what `checks` do. */
  warnings(env: Env): readonly string[];
  /** Without these no session can work. */
  checks(env: Env): readonly Check[];
}

/** What modules put around the routes of an app. Each member is composed once. */
export interface Gates {
  /**
   * Wraps every request to the app, also one that is refused. The first use is the outermost. `next` never rejects: a failure is a
   * response by then. The app's own headers (`x-request-id`, `cache-control`) are added to whatever it returns.
   */
  readonly http?:
    | ((asked: HttpRequest, next: (asked: HttpRequest) => Promise<Response>) => Promise<Response>)
    | undefined;
  /** Called after `auth`. */
  readonly caller?: SpeakerOf | undefined;
  /**
   * Called for each request to a session. Returns the owner whose session is meant, or `undefined` for the caller's own. Of several uses, the
   * first has it.
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
   * Called before a client or a delivery starts a turn in a session of this owner, or may do so. Code of the app is not asked.
   *
   * @throws Problem or SessionError to refuse it.
   */
  readonly admit?: ((owner: Owner, app: AdmittingApp) => Promise<void>) | undefined;
}

/** A request as the seam `http` sees it: before the app knows whose it is. */
export type HttpRequest = Pick<RouteRequest, 'request' | 'requestId' | 'allow' | 'isOwnPage'>;

/** An app that is about to start a turn. */
export interface AdmittingApp {
  readonly env: Env;
  readonly host: Pick<Host, 'log' | 'clock'>;
}

/** A request as it came in. */
export interface RouteRequest {
  readonly host: HttpHost;
  readonly env: Env;
  /** What stands before every path in a link of the answer; nothing unless given. */
  readonly base?: string | undefined;
  readonly request: Request;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
  /** The methods of its path, if its own method is none of them. */
  readonly allow?: string | undefined;
  /** The app trusts the page that sent it, whatever site the page is of. */
  readonly isOwnPage?: true | undefined;
  /** Keeps work going after the answer. */
  readonly execution: Pick<ExecutionContext, 'waitUntil'>;
}

/** A request of somebody whom the app knows, sent by no page of a foreign site. */
export interface CallerRequest extends RouteRequest {
  readonly caller: Caller;
}

/** A request to one session of its caller, and the app as this invocation of the Worker has it. */
export interface SessionRequest extends CallerRequest, SessionAccess {
  readonly host: HttpHost & Invoked;
  readonly request: Request;
  readonly requestId: string;
}

/** What the handler of a route is given, by who may use the route. */
interface Requests {
  /** Anybody may: no token is asked for. */
  readonly open: RouteRequest;
  /** Whoever the app's `auth` knows. */
  readonly caller: CallerRequest;
  /** The same, for a session of theirs; the path names its `{agent}` and its `{session}`. */
  readonly session: SessionRequest;
}

/** The names that a path has in braces, with what a request's path has in their places. */
export type NamesOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & NamesOf<Rest>
  : unknown;

/** The methods of routes. A route of `GET` answers `HEAD` too. */
export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** An entry of the route table: what serving it needs. Descriptions of routes are in the module `openapi`. */
export interface RouteEntry<
  Access extends keyof Requests,
  Path extends string,
  Method extends RouteMethod = RouteMethod,
> {
  readonly method: Method;
  /** With names in braces: `/hooks/{hook}`. */
  readonly path: Path;
  readonly access: Access;
  /** The name under which `GET /` links to the route. */
  readonly link?: string | undefined;
  /** The route may start a turn, so that modules may refuse its callers, as `rateLimit()` does. */
  readonly isCounted?: true | undefined;
  /** The route may answer with a stream of events, so that `maxStreams` bounds its callers. */
  readonly streams?: true | undefined;
  /** Tells a problem to clients that do not read RFC 9457, or that need more than it says. */
  refuse?(problem: Problem, asked: Pick<RouteRequest, 'request' | 'base'>): Response;
  /** What it throws becomes a problem response. */
  handle(request: Requests[Access], named: NamesOf<Path>): Response | Promise<Response>;
}

/** A route of any kind, as the table of routes holds it. */
export type Route = { [Access in keyof Requests]: RouteEntry<Access, string> }[keyof Requests];

/** Types the entry's handler by its access and by the names in its path. */
export const defineRoute = <
  Access extends keyof Requests,
  const Path extends string,
  Method extends RouteMethod,
>(
  route: RouteEntry<Access, Path, Method>,
): RouteEntry<Access, Path, Method> => route;

/** Responses that say by themselves which caches and pages may have them: of an address that its holder may share. */
export const SHARED = new WeakSet<Response>();

/** The path of a session, below which most routes are. */
export const SESSION = '/agents/{agent}/sessions/{session}';

/** The routes of each path, both in the order of the table. */
export const byPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
  Map.groupBy(routes, ({ path }) => path);

/** What an app says of where it is served. */
interface Served {
  readonly log: Log;
  /** As `createHoldfast` takes it. */
  readonly basePath?: string | undefined;
}

/**
 * Makes the function that returns below which path the links of an answer lead, by where its request came in: the app's
 * `basePath`, or else where the routes are mounted. In development it warns once if the two differ.
 */
export function linkBases({ basePath, log }: Served): (url: string, route: string | undefined) => string {
  let isTold = false;
  return (url, route = '') => {
    const parts = new URL(url).pathname.replace(/\/$/, '').split('/');
    const ofRoute = route.split('/').filter(Boolean);
    const mounted = parts.slice(0, parts.length - ofRoute.length).join('/');
    if (basePath === undefined) return mounted;
    const message = isTold ? undefined : literals?.mountedElsewhere(mounted, basePath);
    if (message !== undefined) log(warning(message));
    isTold ||= message !== undefined;
    return basePath;
  };
}
