import { type Context, Hono } from 'hono';
import { authenticated, mustNotBeCrossSite } from './auth.ts';
import type { Caller, Env } from './host.ts';
import { Problem } from './problem.ts';
import { errorResponses } from './refusal.ts';
import { byPath, type HttpHost, type Route } from './route.ts';
import { invoked, targetOf } from './target.ts';

/** What the app's middleware leaves for the routes. */
interface AppEnv {
  Bindings: Env;
  Variables: { readonly caller: Caller; readonly requestId: string };
}

/**
 * The HTTP surface: a fold over the route table. Routes check, call and map; what they throw becomes a response by
 * `errorResponses`, and nowhere else.
 */
export function createApp(host: HttpHost, routes: readonly Route[]): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
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
    c.set('caller', await authenticated(host.auth, c.req.raw, c.env));
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
