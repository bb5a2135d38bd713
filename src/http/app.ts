import { type Context, Hono } from 'hono';
import { NewerEventError } from '../journal/parse-event.ts';
import type { Caller } from './auth.ts';
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

  app.onError(toErrorResponse);
  app.notFound(() =>
    new Problem(
      404,
      'unknown-route',
      'There is nothing here. GET /openapi.json describes what there is.',
    ).toResponse(),
  );

  app.use(async (c, next) => {
    c.set('requestId', host.newId());
    await next();
    c.res.headers.set('x-request-id', c.get('requestId'));
  });
  app.get('/health', () => Response.json({ status: 'ok' }));
  app.use(async (c, next) => {
    c.set('caller', await authenticated(host, c.req.raw, c.env));
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
  ['/', 'GET, HEAD'],
  ['/health', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
  ['/agents', 'GET, HEAD'],
  [SESSION, 'GET, HEAD'],
  [`${SESSION}/events`, 'GET, HEAD'],
  [`${SESSION}/messages`, 'POST'],
  [`${SESSION}/cancel`, 'POST'],
];

async function authenticated(host: Host, request: Request, env: AppEnv['Bindings']): Promise<Caller> {
  const caller = await host.auth(request, env);
  if (!caller) {
    throw new Problem(401, 'unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  // An `auth` that reads a claim which is not there would give everybody the same sessions.
  const { id, tenant } = caller;
  if (!isName(id) || (tenant !== undefined && !isName(tenant))) {
    throw new Error('`auth` answered a caller whose id or tenant is not a text, or is empty.');
  }
  return caller;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

function toErrorResponse(error: Error, c: Context<AppEnv>): Response {
  const { signal } = c.req.raw;
  // The client has gone; nobody reads this, and nothing went wrong.
  if (signal.aborted && error === signal.reason) return new Response(null, { status: 499 });
  if (!(error instanceof Problem)) console.error(`holdfast: request ${c.get('requestId')} failed`, error);
  return toProblem(error).toResponse();
}

/** What workerd sets on the errors of a stub. */
interface PlatformFlags {
  readonly overloaded?: unknown;
  readonly retryable?: unknown;
}

function toProblem(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof NewerEventError) {
    return new Problem(503, 'newer-deployment', error.message, { headers: { 'retry-after': '5' } });
  }
  const { overloaded, retryable } = error as Error & PlatformFlags;
  if (overloaded === true || retryable === true) {
    return new Problem(
      503,
      'session-unavailable',
      'The session cannot be reached now. Send the request again.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  }
  return new Problem(
    500,
    'internal-error',
    'The request failed inside the Worker. What was accepted is kept.',
  );
}
