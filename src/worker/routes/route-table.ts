import { toSessionName } from '../../session/read-secrets.ts';
import { readBytes } from '../body.ts';
import type { McpEndpoint } from '../host.ts';
import { openApi } from '../openapi.ts';
import { contextOfHeaders } from '../request-headers.ts';
import { ANY_OBJECT, type CallerRequest, defineRoute, type HttpHost, type Route } from '../route.ts';
import type { HealthView, RootView } from '../route-views.ts';
import { invoked } from '../target.ts';
import { getAgents } from './agents.ts';
import { postAnswers, postApproval, postResult } from './answers.ts';
import { getEvents } from './events.ts';
import { getFile } from './files.ts';
import { postHook } from './hooks.ts';
import { postMessage } from './messages.ts';
import { deleteSession, getSession } from './session.ts';
import { getTurn, postCancel } from './turns.ts';

/**
 * Every route of the app, in the order in which OpenAPI lists them. What is not in here is answered 404, and a path with
 * a method that is not in here 405.
 */
export function routeTable(host: HttpHost): readonly Route[] {
  const { mcp, surfaces } = host;
  const own: readonly Route[] = [
    getRoot,
    getHealth(),
    describing(() => table),
    getAgents,
    postHook,
    ...(mcp ? [mcpRoute(mcp)] : []),
    postMessage,
    getSession,
    deleteSession,
    getTurn,
    getEvents,
    getFile,
    postCancel,
    postApproval,
    postResult,
    postAnswers,
  ];
  const table = [...own];
  for (const surface of surfaces.values()) table.push(...surface.routesBeside(table));
  return table;
}

/** Where the app describes itself. */
const OPENAPI = '/openapi.json';

const getRoot = defineRoute({
  operation: 'getRoot',
  method: 'GET',
  path: '/',
  access: 'caller',
  summary: 'Where to go on',
  answers: { 200: { description: 'The way', json: 'Root' } },
  handle: ({ host: { mcp }, base = '' }) =>
    Response.json({
      name: 'holdfast',
      agents: base + getAgents.path,
      openapi: base + OPENAPI,
      ...(mcp && { mcp: base + MCP }),
    } satisfies RootView),
});

const describing = (table: () => readonly Route[]): Route =>
  defineRoute({
    operation: 'getOpenApi',
    method: 'GET',
    path: OPENAPI,
    access: 'caller',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', json: ANY_OBJECT } },
    handle: ({ host, base }) => Response.json(openApi(host, table(), base)),
  });

/** Nobody's session: every agent has a name. It is read and never written to. */
const PROBE = toSessionName({ owner: { id: 'health' }, agent: '', session: 'health' });

/**
 * Tells whether sessions can work here, and their agents have a model. An object is asked until one has answered, and no
 * more: how the Worker is deployed cannot change while it runs, and whoever asks is not authenticated.
 */
function getHealth(): Route {
  let hasAnswered = false;
  return defineRoute({
    operation: 'getHealth',
    method: 'GET',
    path: '/health',
    access: 'open',
    summary: 'Whether the Worker runs, and is deployed so that sessions work; needs no token',
    answers: { 200: { description: 'It is; `warnings` lists what could be better', json: 'Health' } },
    problems: ['misconfigured', 'session-unavailable'],
    async handle({ host, env }) {
      const port = host.session(env, PROBE);
      if (!hasAnswered) await port.read({ from: 1, limit: 1 });
      hasAnswered = true;
      host.platform(env);
      host.checkModel(env);
      const warnings = host.warnings(env);
      const view: HealthView = { status: 'ok', ...(warnings.length > 0 && { warnings }) };
      return Response.json(view);
    },
  });
}

/** Where an app's MCP endpoint is served. */
const MCP = '/mcp';

/** The route of an app that has an MCP endpoint. */
const mcpRoute = (endpoint: McpEndpoint): Route =>
  defineRoute({
    operation: 'callMcp',
    method: 'POST',
    path: MCP,
    access: 'caller',
    isCounted: true,
    summary: 'Takes messages of the Model Context Protocol (streamable HTTP, without sessions)',
    body: ANY_OBJECT,
    answers: {
      200: { description: 'What a request is answered', json: ANY_OBJECT, streams: true },
      202: { description: 'A notification was taken' },
      // The protocol tells its errors in its own words.
      400: { description: 'A message that is none, or may not be sent', json: ANY_OBJECT },
      404: { description: 'A method that there is not', json: ANY_OBJECT },
      406: { description: 'The client does not take what is answered', json: ANY_OBJECT },
      415: { description: 'The body is no JSON', json: ANY_OBJECT },
    },
    problems: ['bad-json', 'body-too-large'],
    handle: (asked) => serve(endpoint, asked),
  });

/** Hands the request on as a whole, so that the app's own limit of its size holds. @throws Problem 413 or 400. */
async function serve(endpoint: McpEndpoint, asked: CallerRequest): Promise<Response> {
  const { host, env, caller, request, requestId, execution } = asked;
  const here = invoked(host, env, execution);
  const { url, method, headers, signal } = request;
  const body = await readBytes(request, host.maxBodyBytes);
  return endpoint.serve({
    host: here,
    env,
    caller,
    request: new Request(url, { method, headers, body, signal }),
    context: contextOfHeaders(headers, host.contextHeaders),
    requestId,
  });
}
