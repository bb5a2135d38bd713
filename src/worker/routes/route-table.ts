import { toSessionName } from '../../session/read-secrets.ts';
import { openApi } from '../openapi.ts';
import { ANY_OBJECT, defineRoute, type HttpHost, type Route } from '../route.ts';
import type { HealthView, RootView } from '../route-views.ts';
import { getAgents } from './agents.ts';
import { postAnswers, postApproval, postResult } from './answers.ts';
import { getEvents } from './events.ts';
import { deleteFile, getFile } from './files.ts';
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
    ...(mcp?.routes(host.basePath) ?? []),
    postMessage,
    getSession,
    deleteSession,
    getTurn,
    getEvents,
    getFile,
    deleteFile,
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
      ...(mcp && { mcp: `${base}/mcp` }),
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
