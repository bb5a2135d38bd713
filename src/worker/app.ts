import { exports as exported, env as ownEnv, WorkerEntrypoint, waitUntil } from 'cloudflare:workers';
import type { Context, Hono } from 'hono';
import { HonoBase } from 'hono/hono-base';
import { PatternRouter } from 'hono/router/pattern-router';
import { getPath } from 'hono/utils/url';
import type { DueOutcome, DueRow, HandOver, TurnRunner } from '../journal/agenda.ts';
import { needsAnswers } from '../loop/running-call.ts';
import type { Deployment } from '../session/deployment.ts';
import { CALLS } from '../tool/call-origin.ts';
import { hiding } from '../tool/console-log.ts';
import { credentialsIn } from '../tool/env.ts';
import { literals } from '../tool/literals.ts';
import { mistake } from '../tool/log.ts';
import { appParts, type CronTime, type InvokedApp } from './app-seam.ts';
import { callerOf } from './auth.ts';
import { doDue, resumeTurn } from './background.ts';
import { checkApp } from './check-app.ts';
import { APPS } from './code-host.ts';
import { type HoldfastConfig, toHost } from './config.ts';
import type { Env } from './host.ts';
import { Problem } from './problem.ts';
import { errorResponses } from './refusal.ts';
import { isEventStream, wantsEvents } from './request-headers.ts';
import {
  byPath,
  type CallerRequest,
  type HttpHost,
  type HttpRequest,
  linkBases,
  type Route,
  type RouteRequest,
  SHARED,
} from './route.ts';
import { routeTable } from './routes/route-table.ts';
import { invoked, ownerOf, targetOf } from './target.ts';

/** What a Worker's module exports, beside `SessionObject`. `AppEnv` is its environment. Code asks its sessions by `sessionOf`. */
export interface Holdfast<AppEnv extends object = Env> {
  /** The default export. */
  readonly worker: ExportedHandler<AppEnv> & Required<Pick<ExportedHandler<AppEnv>, 'fetch' | 'scheduled'>>;
  /**
   * The routes of `worker.fetch`, for a Hono app of your own: `app.route('/ai', holdfast.routes)`. They authenticate their callers
   * themselves, their links lead below the path where they are mounted, and what is none of their paths is left to the app.
   */
  readonly routes: Hono<{ Bindings: AppEnv }>;
  /** The loopback entry point, exported under this name: it goes on with turns that nobody holds. */
  readonly TurnRunner: new (
    ctx: ExecutionContext,
    env: AppEnv,
  ) => WorkerEntrypoint<AppEnv> & TurnRunner;
}

/**
 * Makes the Worker of an app. The object's binding is called `SESSIONS`.
 *
 * @throws ConfigurationError when a key is not known, an agent is none, an agent has a subagent that is not there, two agents share a name, two uses of
 *   a module share a key, a module cannot be used by this app (such as a webhook of an agent that is not there), the context is not JSON, `http.contextHeaders` maps a header that carries credentials or cannot be one, a limit of the platform is impossible, or an agent has a cost
 *   limit and the app's model no prices. What the environment decides is found out by the first turn, and what the deployment lacks by the
 *   first request for a session, and by `GET /health`.
 */
export function createHoldfast<AppEnv extends object = Env>(config: HoldfastConfig<AppEnv>): Holdfast<AppEnv>;
export function createHoldfast(config: HoldfastConfig): Holdfast {
  checkApp(config);
  const host = toHost(config, { deployed, hide: (log) => hiding(log, {}, () => credentialsIn(ownEnv)) });
  const table = routeTable(host);
  const app = createApp(host, table);

  class Runner extends WorkerEntrypoint<Env> implements TurnRunner {
    /** An RPC ends with its caller, and a deploy resets the object that calls: what is left to `waitUntil` goes on for 30 s. */
    async run(handOver: HandOver): Promise<void> {
      const work = resumeTurn(invoked(host, this.env, this.ctx), this.env, handOver);
      this.ctx.waitUntil(work.catch(() => {}));
      await work;
    }

    async due(row: DueRow): Promise<DueOutcome> {
      const work = doDue({ host: invoked(host, this.env, this.ctx), env: this.env }, row);
      this.ctx.waitUntil(work.catch(() => {}));
      return work;
    }
  }

  const worker: Holdfast['worker'] = {
    fetch: app.fetch,
    scheduled: (time, env, ctx) => runScheduled({ host: invoked(host, env, ctx), env }, time),
  };
  const routes = createRoutes(table, answering(host, linkBases(host)));
  const holdfast: Holdfast = { worker, routes, TurnRunner: Runner };
  APPS.set(holdfast, { host, waitUntil });
  literals?.refuseAsExport(holdfast);
  return holdfast;
}

/** Gives a time to every module that takes the times of crons. @throws the first failure, when all have ended. */
async function runScheduled(app: InvokedApp, time: CronTime): Promise<void> {
  const taking = appParts(app.host).flatMap(({ scheduled }) => scheduled ?? []);
  if (taking.length === 0) {
    const message = `nothing starts at the cron ${time.cron}: no module takes crons.`;
    app.host.log(mistake(message, undefined, 'cron-not-taken'));
  }
  const outcomes = await Promise.allSettled(taking.map((take) => take(app, time)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

const deployed = (env: Env): Deployment => ({
  env,
  exports: exported as Deployment['exports'], // their types are those of whoever's main module it is
  flags: Cloudflare.compatibilityFlags,
});

/** What the platform gives to the routes. */
interface Served {
  Bindings: Env;
}

/** A path with a slash behind it is no path of a route. The router takes it for one, so that slash is made two. */
const newApp = (): Hono<Served> =>
  new HonoBase<Served>({
    router: new PatternRouter(),
    getPath: (request) => getPath(request).replace(/(?<=.)\/$/, '//'),
  });

/**
 * The HTTP surface: the routes of the app, and what answers everything else. They are found below its `basePath`, and without it
 * too, since what mounts a Worker may have taken it off.
 */
export function createApp(host: HttpHost, routes: readonly Route[]): Hono<Served> {
  const app = newApp();
  const answer = answering(host);
  const mounted = createRoutes(routes, answer);
  if (host.basePath !== undefined) app.route(host.basePath, mounted);
  app.route('/', mounted);
  const misplaced = literals?.misplacedRequests(host, byPath(routes).keys());
  const nothing = async (_: AnsweredPath, asked: RouteRequest): Promise<Response> => {
    await callerOf(asked);
    const { url } = asked.request;
    const lacking =
      !host.answers && literals?.isOfAnswers(url) ? ` ${needsAnswers('An answer of a call')}` : '';
    const detail = `There is nothing here. GET ${asked.base ?? '/'} shows where to start.${misplaced?.(url) ?? ''}${lacking}`;
    throw new Problem('unknown-route', detail);
  };
  app.notFound((c) => {
    const { path: asked } = c.req;
    const { basePath: base = '' } = host;
    const below = asked.startsWith(`${base}/`) ? asked.slice(base.length) : asked;
    // Below the paths of another protocol, in its words.
    const beside = routes.find(({ path }) => path.split('/')[1] === below.split('/')[1]);
    return answer({ refuse: beside?.refuse }, nothing)(c);
  });
  return app;
}

/**
 * The routes alone, as a fold over their table: what another app mounts, which then answers everything else. Routes check, call and
 * map; what they throw becomes a response in `answering`, and nowhere else.
 */
function createRoutes(routes: readonly Route[], answer: Answering): Hono<Served> {
  const app = newApp();
  for (const route of routes) app.on(route.method, pathOfHono(route.path), answer(route, respond));
  for (const [path, ways] of byPath(routes)) {
    const allow = ways.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    // Whatever comes this far has the right path and the wrong method.
    const refuse = async (_: AnsweredPath, asked: RouteRequest): Promise<Response> => {
      await callerOf(asked);
      throw new Problem('method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
    };
    app.all(pathOfHono(path), answer({ path, refuse: ways[0]?.refuse, allow }, refuse));
  }
  return app;
}

/** What is in a request's path in the place of each name. */
type NamedInPath = Readonly<Record<string, string>>;

type Answering = <At extends AnsweredPath>(
  at: At,
  work: (at: At, asked: RouteRequest, named: NamedInPath) => Promise<Response>,
) => (c: Context<Served>) => Promise<Response>;

/** What is answered at: a path of the app, or none. */
interface AnsweredPath extends Pick<RouteRequest, 'allow'> {
  readonly path?: string | undefined;
  readonly refuse?: Route['refuse'] | undefined;
}

/**
 * Makes what answers the requests to a path, or to none of the app: with an id, for its caller alone, and a failure as a problem.
 * `baseOf` returns what stands before the paths of an answer's links. Defaults
 * to the app's `basePath`.
 */
function answering(host: HttpHost, baseOf?: (url: string, path: string | undefined) => string): Answering {
  const failed = errorResponses(host.log);
  const { http } = host.gates;
  return (at, work) =>
    async ({ env, req, executionCtx: execution }) => {
      const requestId = host.newId();
      const { raw: request } = req;
      const { allow } = at;
      const base = baseOf ? baseOf(request.url, at.path) : host.basePath;
      const refused = (thrown: unknown): Response =>
        failed(thrown, { request, requestId }, (problem) => at.refuse?.(problem, { request, base }));
      const inApp = { host, env, base, execution };
      const asked: HttpRequest = { request, requestId, allow };
      let response: Response;
      try {
        const named = req.param();
        response = await (http
          ? http(asked, (given) => work(at, { ...given, ...inApp }, named).catch(refused))
          : work(at, { ...asked, ...inApp }, named));
      } catch (thrown) {
        response = refused(thrown);
      }
      const { headers } = response;
      headers.set('x-request-id', requestId);
      // No browser takes it for another type than it has.
      headers.set('x-content-type-options', 'nosniff');
      if (!SHARED.has(response)) {
        // An answer is its caller's own, and goes when the session is erased: no cache may keep it, and a proxy passes a stream on as it is.
        headers.set('cache-control', isEventStream(response) ? 'no-store, no-transform' : 'no-store');
        // No browser gives it to the page of another site that asks for no CORS.
        headers.set('cross-origin-resource-policy', 'same-origin');
      }
      return response;
    };
}

/** Hono marks the names in a path by a colon. */
const pathOfHono = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/**
 * Hands a request to its route, with what the route's access promises. An open one stands before the authentication, and a delivery,
 * which is signed, comes from no page.
 */
async function respond(route: Route, asked: RouteRequest, named: NamedInPath): Promise<Response> {
  if (route.access === 'open') return route.handle(asked, named);
  const caller = await callerOf(asked);
  const { host, request } = asked;
  const known = { ...asked, caller };
  if (route.isCounted) await host.gates.admit?.(ownerOf(caller), known);
  // Our protocol streams to those whose `Accept` asks for it. Whether another one does shows in its answer.
  const isStream = wantsEvents(request);
  if (!route.streams || request.method === 'HEAD' || !(isStream || route.refuse))
    return handle(route, known, named);
  return host.streams.count(caller, { isStream, signal: request.signal }, () => handle(route, known, named));
}

async function handle(
  route: Exclude<Route, { readonly access: 'open' }>,
  known: CallerRequest,
  named: NamedInPath,
): Promise<Response> {
  const { host, env, caller, execution, request } = known;
  if (route.access === 'caller') return route.handle(known, named);
  const here = { ...known, host: invoked(host, env, execution) };
  const owner = await host.gates.owner?.(here, route, named);
  const target = targetOf(here, caller, { agent: '', session: '', ...named, owner });
  // A tool may ask the Worker's own `fetch`.
  const origin = CALLS.originOf(env);
  return route.handle({ ...here, target, origin, signal: request.signal }, named);
}
