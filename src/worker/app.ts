import { exports as exported, env as ownEnv, WorkerEntrypoint, waitUntil } from 'cloudflare:workers';
import type { Context, Hono } from 'hono';
import { HonoBase } from 'hono/hono-base';
import { PatternRouter } from 'hono/router/pattern-router';
import { getPath } from 'hono/utils/url';
import type { DueOutcome, DueRow, HandOver, TurnRunner } from '../journal/agenda.ts';
import { formatMissingAnswersModuleMessage } from '../loop/running-call.ts';
import type { Deployment } from '../session/deployment.ts';
import { CALL_ORIGINS } from '../tool/call-origin.ts';
import { createRedactingLog } from '../tool/console-log.ts';
import { collectCredentials } from '../tool/env.ts';
import { literals } from '../tool/literals.ts';
import { createErrorEntry } from '../tool/log.ts';
import { type CronTime, collectAppParts, type InvokedApp } from './app-seam.ts';
import { authenticateCaller } from './auth.ts';
import { resumeTurn, runDueRow } from './background.ts';
import { checkApp } from './check-app.ts';
import { APPS } from './code-host.ts';
import { type HoldfastConfig, toHost } from './config.ts';
import type { Env } from './host.ts';
import { Problem } from './problem.ts';
import { createErrorResponder } from './refusal.ts';
import { isEventStream, wantsEvents } from './request-headers.ts';
import {
  type CallerRequest,
  createLinkBase,
  groupRoutesByPath,
  type HttpHost,
  type HttpRequest,
  type Route,
  type RouteRequest,
  SHARED_RESPONSES,
} from './route.ts';
import { createRouteTable } from './routes/route-table.ts';
import { createTarget, getOwner, toInvokedHost } from './target.ts';

/**
 * The exports of a Worker's module, except for `SessionObject`. `AppEnv` is its environment. Code accesses
 * its sessions with `sessionOf`.
 */
export interface Holdfast<AppEnv extends object = Env> {
  /** The default export. */
  readonly worker: ExportedHandler<AppEnv> & Required<Pick<ExportedHandler<AppEnv>, 'fetch' | 'scheduled'>>;
  /**
   * The routes of `worker.fetch`, for your own Hono app: `app.route('/ai', holdfast.routes)`. They
   * authenticate their callers, their links include the mount path, and the outer app handles all other
   * paths.
   */
  readonly routes: Hono<{ Bindings: AppEnv }>;
  /** The loopback entry point that resumes turns without a lease holder. Export it under this name. */
  readonly TurnRunner: new (
    ctx: ExecutionContext,
    env: AppEnv,
  ) => WorkerEntrypoint<AppEnv> & TurnRunner;
}

/**
 * Makes the Worker of an app. The binding of its Durable Object must be named `SESSIONS`.
 *
 * @throws ConfigurationError if a key is unknown, an agent is invalid, an agent has an unknown subagent, two
 * agents share a name, two uses of
 *   a module share a key, a module does not fit this app (such as a webhook of an unknown agent), the context is not JSON,
 *   `http.contextHeaders` maps a header that carries credentials or is not a header name, a platform limit is impossible, or an agent has a cost
 *   limit and the app's model no prices. Problems of the environment show in the first turn, and problems of the deployment in the
 *   first request for a session and in `GET /health`.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [researcher], model: openaiCompatible() });
 * ```
 */
export function createHoldfast<AppEnv extends object = Env>(config: HoldfastConfig<AppEnv>): Holdfast<AppEnv>;
export function createHoldfast(config: HoldfastConfig): Holdfast {
  checkApp(config);
  const host = toHost(config, {
    deployed: toDeployment,
    hide: (log) => createRedactingLog(log, {}, () => collectCredentials(ownEnv)),
  });
  const table = createRouteTable(host);
  const app = createApp(host, table);

  class Runner extends WorkerEntrypoint<Env> implements TurnRunner {
    /**
     * Resumes a turn. An RPC ends with its caller, and a deploy resets the calling object, so `waitUntil`
     * keeps the work running for 30 s.
     */
    async run(handOver: HandOver): Promise<void> {
      const work = resumeTurn(toInvokedHost(host, this.env, this.ctx), this.env, handOver);
      this.ctx.waitUntil(work.catch(() => {}));
      await work;
    }

    async due(row: DueRow): Promise<DueOutcome> {
      const work = runDueRow({ host: toInvokedHost(host, this.env, this.ctx), env: this.env }, row);
      this.ctx.waitUntil(work.catch(() => {}));
      return work;
    }
  }

  const worker: Holdfast['worker'] = {
    fetch: app.fetch,
    scheduled: (time, env, ctx) => runScheduled({ host: toInvokedHost(host, env, ctx), env }, time),
  };
  const routes = createRoutes(table, createHandlerWrapper(host, createLinkBase(host)));
  const holdfast: Holdfast = { worker, routes, TurnRunner: Runner };
  APPS.set(holdfast, { host, waitUntil });
  literals?.refuseAsExport(holdfast);
  return holdfast;
}

/**
 * Passes a scheduled time to each module that handles crons. @throws the first failure, after all have ended.
 */
async function runScheduled(app: InvokedApp, time: CronTime): Promise<void> {
  const taking = collectAppParts(app.host).flatMap(({ scheduled }) => scheduled ?? []);
  if (taking.length === 0) {
    const message = `no turn starts at the cron ${time.cron}: no module handles crons.`;
    app.host.log(createErrorEntry(message, undefined, 'cron-not-taken'));
  }
  const outcomes = await Promise.allSettled(taking.map((take) => take(app, time)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

const toDeployment = (env: Env): Deployment => ({
  env,
  exports: exported as Deployment['exports'], // their types depend on the main module of the Worker
  flags: Cloudflare.compatibilityFlags,
});

/** The platform's objects for the routes. */
interface HonoEnv {
  Bindings: Env;
}

/**
 * Creates a router in which a path with a trailing slash matches no route. Hono would accept it, so the slash
 * is doubled.
 */
const createHono = (): Hono<HonoEnv> =>
  new HonoBase<HonoEnv>({
    router: new PatternRouter(),
    getPath: (request) => getPath(request).replace(/(?<=.)\/$/, '//'),
  });

/**
 * Creates the HTTP surface: the routes of the app, and the responses to all other requests. Routes match
 * below the app's `basePath`, and also without it, since an outer router may have removed it.
 */
export function createApp(host: HttpHost, routes: readonly Route[]): Hono<HonoEnv> {
  const app = createHono();
  const answer = createHandlerWrapper(host);
  const mounted = createRoutes(routes, answer);
  if (host.basePath !== undefined) app.route(host.basePath, mounted);
  app.route('/', mounted);
  const misplaced = literals?.misplacedRequests(host, groupRoutesByPath(routes).keys());
  const refuseUnknownRoute = async (_: HandledPath, asked: RouteRequest): Promise<Response> => {
    await authenticateCaller(asked);
    const { url } = asked.request;
    const lacking =
      !host.answers && literals?.isOfAnswers(url)
        ? ` ${formatMissingAnswersModuleMessage('An answer to a call')}`
        : '';
    const detail = `This path is unknown. GET ${asked.base ?? '/'} shows where to start.${misplaced?.(url) ?? ''}${lacking}`;
    throw new Problem('unknown-route', detail);
  };
  app.notFound((c) => {
    const { path: asked } = c.req;
    const { basePath: base = '' } = host;
    const below = asked.startsWith(`${base}/`) ? asked.slice(base.length) : asked;
    // An unknown path below that of another protocol receives a response in the protocol's format.
    const beside = routes.find(({ path }) => path.split('/')[1] === below.split('/')[1]);
    return answer({ refuse: beside?.refuse }, refuseUnknownRoute)(c);
  });
  return app;
}

/**
 * Creates only the routes, for another app to mount. That app handles all other paths. Routes validate, call
 * and map. Only `createHandlerWrapper` converts errors to responses.
 */
function createRoutes(routes: readonly Route[], answer: HandlerWrapper): Hono<HonoEnv> {
  const app = createHono();
  for (const route of routes) app.on(route.method, toHonoPath(route.path), answer(route, respond));
  for (const [path, ways] of groupRoutesByPath(routes)) {
    const allow = ways.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    // Handles requests with a known path and the wrong method.
    const refuse = async (_: HandledPath, asked: RouteRequest): Promise<Response> => {
      await authenticateCaller(asked);
      throw new Problem('method-not-allowed', `Use ${allow}.`, {
        headers: { allow },
      });
    };
    app.all(toHonoPath(path), answer({ path, refuse: ways[0]?.refuse, allow }, refuse));
  }
  return app;
}

/** The values in a request's path, by name. */
type PathParams = Readonly<Record<string, string>>;

type HandlerWrapper = <At extends HandledPath>(
  at: At,
  work: (at: At, asked: RouteRequest, named: PathParams) => Promise<Response>,
) => (c: Context<HonoEnv>) => Promise<Response>;

/** The path of a request. `path` is absent if it is not one of the app's. */
interface HandledPath extends Pick<RouteRequest, 'allow'> {
  readonly path?: string | undefined;
  readonly refuse?: Route['refuse'] | undefined;
}

/**
 * Wraps the handler of all requests to a path, or to unknown paths. The wrapper adds an id, keeps the
 * response private to its caller, and converts failures to problems. `baseOf`: returns the prefix of the
 * links in a response. Defaults to the app's `basePath`.
 */
function createHandlerWrapper(
  host: HttpHost,
  baseOf?: (url: string, path: string | undefined) => string,
): HandlerWrapper {
  const failed = createErrorResponder(host.log);
  const { http } = host.gates;
  return (at, work) =>
    async ({ env, req, executionCtx: execution }) => {
      const requestId = host.newId();
      const { raw: request } = req;
      const { allow } = at;
      const base = baseOf ? baseOf(request.url, at.path) : host.basePath;
      const createRefusal = (thrown: unknown): Response =>
        failed(thrown, { request, requestId }, (problem) => at.refuse?.(problem, { request, base }));
      const inApp = { host, env, base, execution };
      const asked: HttpRequest = { request, requestId, allow };
      let response: Response;
      try {
        const named = req.param();
        response = await (http
          ? http(asked, (given) => work(at, { ...given, ...inApp }, named).catch(createRefusal))
          : work(at, { ...asked, ...inApp }, named));
      } catch (thrown) {
        response = createRefusal(thrown);
      }
      const { headers } = response;
      headers.set('x-request-id', requestId);
      // Keeps browsers from guessing another type.
      headers.set('x-content-type-options', 'nosniff');
      if (!SHARED_RESPONSES.has(response)) {
        // A response is private to its caller and must not outlive the session, so caches must not store it.
        // Proxies must not change a stream.
        headers.set('cache-control', isEventStream(response) ? 'no-store, no-transform' : 'no-store');
        // Keeps browsers from exposing it to pages of other sites that load it without CORS.
        headers.set('cross-origin-resource-policy', 'same-origin');
      }
      return response;
    };
}

/** Returns a path in the format of Hono, which marks names with a colon. */
const toHonoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * Passes a request to its route after the checks for the route's access. An open route has no authentication.
 * A delivery is signed, so it cannot come from a page.
 */
async function respond(route: Route, asked: RouteRequest, named: PathParams): Promise<Response> {
  if (route.access === 'open') return route.handle(asked, named);
  const caller = await authenticateCaller(asked);
  const { host, request } = asked;
  const known = { ...asked, caller };
  if (route.isCounted) await host.gates.admit?.(getOwner(caller), known);
  // Our protocol streams if `Accept` requests it. For other protocols, only the response shows whether it
  // streams.
  const isStream = wantsEvents(request);
  if (!route.streams || request.method === 'HEAD' || !(isStream || route.refuse))
    return handleForCaller(route, known, named);
  return host.streams.count(caller, { isStream, signal: request.signal }, () =>
    handleForCaller(route, known, named),
  );
}

async function handleForCaller(
  route: Exclude<Route, { readonly access: 'open' }>,
  known: CallerRequest,
  named: PathParams,
): Promise<Response> {
  const { host, env, caller, execution, request } = known;
  if (route.access === 'caller') return route.handle(known, named);
  const here = { ...known, host: toInvokedHost(host, env, execution) };
  const owner = await host.gates.owner?.(here, route, named);
  const target = createTarget(here, caller, { agent: '', session: '', ...named, owner });
  // A tool may call the Worker's own `fetch`.
  const origin = CALL_ORIGINS.originOf(env);
  return route.handle({ ...here, target, origin, signal: request.signal }, named);
}
