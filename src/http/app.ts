import { type Context, Hono } from 'hono';
import type { Caller } from '../app/caller.ts';
import type { Env } from '../app/host.ts';
import { invoked } from '../app/invoked.ts';
import { type Target, targetOf, UnknownTargetError } from '../app/target.ts';
import { NewerEventError } from '../journal/parse-event.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError, sayingOnce } from '../session/deployment.ts';
import { SessionErasedError } from '../session/session-erased-error.ts';
import { SessionUnavailableError } from '../session/session-unavailable-error.ts';
import type { Authenticate } from './auth.ts';
import { mustNotBeCrossSite } from './cross-site.ts';
import { describeAgent } from './describe-agent.ts';
import type { Exchange } from './exchange.ts';
import type { HttpHost } from './http-host.ts';
import { openApi } from './openapi.ts';
import { Problem } from './problem.ts';
import { postApproval, postResult } from './routes/answers.ts';
import { cancelTurn } from './routes/cancel.ts';
import { eraseSession } from './routes/erase.ts';
import { getEvents } from './routes/events.ts';
import { healthOf } from './routes/health.ts';
import { postHook } from './routes/hooks.ts';
import { postMcp } from './routes/mcp.ts';
import { postMessage } from './routes/messages.ts';
import { getSession } from './routes/session.ts';
import { getTurn } from './routes/turns.ts';

const SESSION = '/agents/:agent/sessions/:session';
const MCP = '/mcp';

/** What the app's middleware leaves for the routes. */
interface AppEnv {
  Bindings: Env;
  Variables: { readonly caller: Caller; readonly requestId: string };
}

/** The HTTP surface (DESIGN 7). Routes check, call and map; every error becomes a response here and nowhere else. */
export function createApp(host: HttpHost): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const agents = [...host.agents.values()];

  app.onError(errorResponses());
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
  const health = healthOf(host);
  app.get('/health', (c) => health(c.env));
  app.post('/hooks/:hook', (c) =>
    postHook({ host, env: c.env, request: c.req.raw, name: c.req.param('hook') }),
  );
  // A delivery is signed, and comes from no page.
  app.use(async (c, next) => {
    mustNotBeCrossSite(c.req.raw, host.origins);
    c.set('caller', await authenticated(host, c.req.raw, c.env));
    await next();
  });

  const { mcp } = host;
  const ways = { agents: '/agents', openapi: '/openapi.json', ...(mcp && { mcp: MCP }) };
  app.get('/', () => Response.json({ name: 'holdfast', ...ways }));
  app.get('/openapi.json', () => Response.json(openApi(host)));
  app.get('/agents', (c) =>
    Response.json({ agents: agents.map((agent) => describeAgent(host, c.env, agent)) }),
  );
  const named = (c: Context<AppEnv, typeof SESSION>): Target =>
    targetOf({ host, env: c.env }, c.get('caller'), c.req.param());
  const exchange = (c: Context<AppEnv, typeof SESSION>): Exchange => {
    const { env, executionCtx: execution } = c;
    const here = invoked(host, env, execution);
    const target = targetOf({ host: here, env }, c.get('caller'), c.req.param());
    return { host: here, env, target, request: c.req.raw, execution };
  };
  app.post(`${SESSION}/messages`, (c) => postMessage(exchange(c)));
  app.get(SESSION, (c) => getSession(named(c), host.kinds));
  app.delete(SESSION, (c) =>
    eraseSession({ host, env: c.env, caller: c.get('caller'), named: c.req.param() }),
  );
  app.get(`${SESSION}/turns/:turn`, (c) => getTurn(exchange(c), c.req.param('turn')));
  app.get(`${SESSION}/events`, (c) => getEvents(exchange(c)));
  app.post(`${SESSION}/cancel`, (c) => cancelTurn(exchange(c)));
  app.post(`${SESSION}/approvals/:callId`, (c) => postApproval(exchange(c), c.req.param('callId')));
  app.post(`${SESSION}/results/:callId`, (c) => postResult(exchange(c), c.req.param('callId')));

  if (mcp) {
    app.post(MCP, (c) => {
      const { env, executionCtx: execution } = c;
      const here = invoked(host, env, execution);
      return postMcp(mcp, { host: here, env, request: c.req.raw, ...c.var });
    });
  }
  refuseOtherMethods(app, mcp ? [...METHODS, [MCP, 'POST']] : METHODS);
  return app;
}

/** Whatever came this far has the right path and the wrong method. */
function refuseOtherMethods(app: Hono<AppEnv>, methods: typeof METHODS): void {
  for (const [path, allow] of methods) {
    app.all(path, () => {
      throw new Problem(405, 'method-not-allowed', `Use ${allow} here.`, { headers: { allow } });
    });
  }
}

const METHODS: readonly (readonly [string, string])[] = [
  ['/', 'GET, HEAD'],
  ['/health', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
  ['/agents', 'GET, HEAD'],
  ['/hooks/:hook', 'POST'],
  [SESSION, 'GET, HEAD, DELETE'],
  [`${SESSION}/turns/:turn`, 'GET, HEAD'],
  [`${SESSION}/events`, 'GET, HEAD'],
  [`${SESSION}/messages`, 'POST'],
  [`${SESSION}/cancel`, 'POST'],
  [`${SESSION}/approvals/:callId`, 'POST'],
  [`${SESSION}/results/:callId`, 'POST'],
];

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
    ? new Problem(401, 'unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
        headers: { 'www-authenticate': scheme },
      })
    : new Problem(401, 'unauthorized', 'Send valid credentials: it is not clear who this request is from.');

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
    return new Problem(error.type === 'unknown-agent' ? 404 : 400, error.type, error.message);
  }
  if (error instanceof NewerEventError) {
    return new Problem(503, 'newer-deployment', error.message, { headers: { 'retry-after': '5' } });
  }
  if (error instanceof SessionUnavailableError) {
    const detail = 'The session cannot be reached now. Send the request again.';
    return new Problem(503, 'session-unavailable', detail, { headers: { 'retry-after': '1' } });
  }
  if (error instanceof SessionErasedError) return new Problem(410, 'session-erased', error.message);
  if (error instanceof ConfigurationError) return new Problem(500, 'misconfigured', error.message);
  return new Problem(
    500,
    'internal-error',
    'The request failed inside the Worker. What was accepted is kept.',
  );
}
