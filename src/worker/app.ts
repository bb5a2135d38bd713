import { type Context, Hono } from 'hono';
import { NewerEventError } from '../journal/parse-event.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError, sayingOnce } from '../session/deployment.ts';
import { SessionErasedError, SessionUnavailableError } from '../session/send-again.ts';
import { type Authenticate, mustNotBeCrossSite } from './auth.ts';
import { type Caller, type Env, invoked } from './host.ts';
import { Problem } from './problem.ts';
import { byPath, type HttpHost, type Route } from './route.ts';
import { routeTable } from './route-table.ts';
import { targetOf, UnknownTargetError } from './target.ts';

/** What the app's middleware leaves for the routes. */
interface AppEnv {
  Bindings: Env;
  Variables: { readonly caller: Caller; readonly requestId: string };
}

/**
 * The HTTP surface: a fold over the route table. Routes check, call and map; every error becomes a response here and
 * nowhere else.
 */
export function createApp(host: HttpHost): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const routes = routeTable(host);
  const serve = (isServed: (route: Route) => boolean): void => {
    for (const route of routes.filter(isServed)) {
      app.on(route.method, pathOfHono(route.path), (c) => respond(host, route, c));
    }
  };
  app.onError(errorResponses());
  app.notFound(() =>
    new Problem(
      'unknown-route',
      'There is nothing here. GET /openapi.json describes what there is.',
    ).toResponse(),
  );
  app.use(async (c, next) => {
    c.set('requestId', host.newId());
    await next();
    c.res.headers.set('x-request-id', c.get('requestId'));
  });
  // These stand before the authentication, and a delivery, which is signed, comes from no page.
  serve(({ access }) => access === 'open');
  app.use(async (c, next) => {
    mustNotBeCrossSite(c.req.raw, host.origins);
    c.set('caller', await authenticated(host, c.req.raw, c.env));
    await next();
  });
  serve(({ access }) => access !== 'open');
  for (const [path, ways] of byPath(routes)) {
    const allow = ways.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    // Whatever comes this far has the right path and the wrong method.
    app.all(pathOfHono(path), () => {
      throw new Problem('method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
    });
  }
  return app;
}

/** Hono marks the names in a path by a colon. */
const pathOfHono = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Hands a request to its route, with what the route's access promises. */
function respond(host: HttpHost, route: Route, c: Context<AppEnv>): Response | Promise<Response> {
  const { env, executionCtx: execution } = c;
  const { caller, requestId } = c.var;
  const named = c.req.param();
  const asked = { host, env, request: c.req.raw, requestId, execution };
  switch (route.access) {
    case 'open':
      return route.handle(asked, named);
    case 'caller':
      return route.handle({ ...asked, caller }, named);
    case 'session': {
      const here = invoked(host, env, execution);
      const { agent = '', session = '' } = named;
      const target = targetOf({ host: here, env }, caller, { agent, session });
      return route.handle({ ...asked, caller, host: here, target }, named);
    }
  }
}

async function authenticated(host: HttpHost, request: Request, env: AppEnv['Bindings']): Promise<Caller> {
  const caller = await host.auth(request, env);
  if (!caller) {
    throw unauthorized(host.auth.scheme);
  }
  // An `auth` that reads a claim which is not there would give everybody the same sessions.
  const { id, tenant } = caller;
  if (!isName(id) || (tenant !== undefined && !isName(tenant))) {
    throw new Error('`auth` answered a caller whose id or tenant is not a text, or is empty.');
  }
  return caller;
}

const unauthorized = (scheme: Authenticate['scheme']): Problem =>
  scheme === 'Bearer'
    ? new Problem('unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
        headers: { 'www-authenticate': scheme },
      })
    : new Problem('unauthorized', 'Send valid credentials: it is not clear who this request is from.');

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Told to the client, and nothing that went wrong here. */
const EXPECTED = [Problem, SessionErasedError, UnknownTargetError];

function errorResponses(): (error: Error, c: Context<AppEnv>) => Response {
  // Every request fails of it alike.
  const complain = sayingOnce((text) => console.error(`holdfast: ${text}`));
  return (error, c) => {
    const { signal } = c.req.raw;
    // The client has gone; nobody reads this, and nothing went wrong.
    if (signal.aborted && error === signal.reason) return new Response(null, { status: 499 });
    const isFailure = !EXPECTED.some((kind) => error instanceof kind);
    if (error instanceof DeploymentError) complain(error.message);
    else if (isFailure) console.error(`holdfast: request ${c.get('requestId')} failed`, error);
    return toProblem(error).toResponse();
  };
}

function toProblem(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UnknownTargetError) {
    return new Problem(error.type, error.message);
  }
  if (error instanceof NewerEventError) {
    return new Problem('newer-deployment', error.message, { headers: { 'retry-after': '5' } });
  }
  if (error instanceof SessionUnavailableError) {
    const detail = 'The session cannot be reached now. Send the request again.';
    return new Problem('session-unavailable', detail, { headers: { 'retry-after': '1' } });
  }
  if (error instanceof SessionErasedError) return new Problem('session-erased', error.message);
  if (error instanceof ConfigurationError) return new Problem('misconfigured', error.message);
  return new Problem('internal-error', 'The request failed inside the Worker. What was accepted is kept.');
}
