import { ANY_OBJECT } from './description.ts';
import { openApi } from './openapi.ts';
import { defineRoute, type HttpHost, type Route } from './route.ts';
import { getAgents } from './routes/agents.ts';
import { postApproval, postResult } from './routes/answers.ts';
import { postCancel } from './routes/cancel.ts';
import { getEvents } from './routes/events.ts';
import { getHealth } from './routes/health.ts';
import { postHook } from './routes/hooks.ts';
import { MCP, mcpRoute } from './routes/mcp.ts';
import { postMessage } from './routes/messages.ts';
import { deleteSession, getSession } from './routes/session.ts';
import { getTurn } from './routes/turns.ts';

/**
 * Every route of the app, in the order in which OpenAPI lists them. What is not in here is answered 404, and a path with
 * a method that is not in here 405.
 */
export function routeTable(host: HttpHost): readonly Route[] {
  const { mcp } = host;
  const table: readonly Route[] = [
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
    postCancel,
    postApproval,
    postResult,
  ];
  return table;
}

/** Where the app describes itself. */
const OPENAPI = '/openapi.json';

const getRoot = defineRoute({
  method: 'GET',
  path: '/',
  access: 'caller',
  summary: 'Where to go on',
  answers: { 200: { description: 'The way', json: ANY_OBJECT } },
  handle: ({ host: { mcp } }) =>
    Response.json({
      name: 'holdfast',
      agents: getAgents.path,
      openapi: OPENAPI,
      ...(mcp && { mcp: MCP }),
    }),
});

const describing = (table: () => readonly Route[]): Route =>
  defineRoute({
    method: 'GET',
    path: OPENAPI,
    access: 'caller',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', json: ANY_OBJECT } },
    handle: ({ host }) => Response.json(openApi(host, table())),
  });
