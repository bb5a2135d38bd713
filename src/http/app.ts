import { Hono } from 'hono';
import { NewerEventError } from '../journal/parse-event.ts';
import { type App, type AppEnv, targetOf } from './context.ts';
import type { Host } from './host.ts';
import { describeAgent, openApi } from './openapi.ts';
import { Problem } from './problem.ts';
import { getEvents } from './routes/events.ts';
import { postMessage } from './routes/messages.ts';
import { cancelTurn, getSession } from './routes/session.ts';

const SESSION = '/agents/:agent/sessions/:session';

/** The HTTP surface (DESIGN 7). Routes check, call and map; every error becomes a response here and nowhere else. */
export function createApp(host: Host): App {
  const app = new Hono<AppEnv>();
  const agents = [...host.agents.values()];

  app.onError((error) => toProblem(error).toResponse());
  app.notFound(() =>
    new Problem(404, 'unknown-route', 'There is nothing here. GET /openapi.json describes what there is.').toResponse(),
  );

  app.get('/health', () => Response.json({ status: 'ok' }));
  app.use(async (c, next) => {
    const caller = await host.auth(c.req.raw, c.env);
    if (!caller) {
      throw new Problem(401, 'unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    c.set('caller', caller);
    await next();
  });

  app.get('/', () => Response.json({ name: 'holdfast', agents: '/agents', openapi: '/openapi.json' }));
  app.get('/openapi.json', () => Response.json(openApi(agents.map(({ name }) => name))));
  app.get('/agents', () => Response.json({ agents: agents.map(describeAgent) }));
  app.post(`${SESSION}/messages`, (c) => {
    const target = targetOf(host, c.env, c.get('caller'), c.req.param());
    return postMessage({ host, env: c.env, target, request: c.req.raw, execution: c.executionCtx });
  });
  app.get(SESSION, (c) => getSession(targetOf(host, c.env, c.get('caller'), c.req.param())));
  app.get(`${SESSION}/events`, (c) => {
    const target = targetOf(host, c.env, c.get('caller'), c.req.param());
    return getEvents({ host, target, request: c.req.raw, execution: c.executionCtx });
  });
  app.post(`${SESSION}/cancel`, (c) => cancelTurn(targetOf(host, c.env, c.get('caller'), c.req.param())));

  // Whatever came this far has the right path and the wrong method.
  for (const [path, allow] of METHODS) {
    app.all(path, () => {
      throw new Problem(405, 'method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
    });
  }
  return app;
}

const METHODS: readonly (readonly [string, string])[] = [
  ['/', 'GET'],
  ['/health', 'GET'],
  ['/openapi.json', 'GET'],
  ['/agents', 'GET'],
  [SESSION, 'GET'],
  [`${SESSION}/events`, 'GET'],
  [`${SESSION}/messages`, 'POST'],
  [`${SESSION}/cancel`, 'POST'],
];

function toProblem(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NewerEventError) {
    return new Problem(503, 'newer-deployment', error.message, { headers: { 'retry-after': '5' } });
  }
  console.error('holdfast: a request failed', error);
  return new Problem(500, 'internal-error', 'The request failed inside the Worker. What was accepted is kept.');
}
