import { toSessionName } from '../../session/read-secrets.ts';
import { checkModels } from '../agent-model.ts';
import { appParts } from '../app-seam.ts';
import { defineRoute, type HttpHost, type Route } from '../route.ts';
import type { HealthView, RootView } from '../route-views.ts';
import { ANSWERING_APP } from '../turn-response.ts';
import { getAgents } from './agents.ts';
import { getEvents } from './events.ts';
import { postMessage } from './messages.ts';
import { deleteSession, getSession } from './session.ts';
import { getTurn, postCancel } from './turns.ts';

/**
 * Every route of the app: its own, then those of its modules. What is not in here is answered 404, and a path with a method that is not
 * in here 405.
 */
export function routeTable(host: HttpHost): readonly Route[] {
  const table: Route[] = [];
  table.push(...ownRoutes(table));
  for (const parts of appParts(host))
    table.push(...(parts.routes?.({ host, table, answering: ANSWERING_APP }) ?? []));
  return table;
}

/** The routes that every app has. `table`: all of the app, when a request comes. */
const ownRoutes = (table: readonly Route[]) =>
  [
    getRoot(table),
    getHealth(),
    getAgents,
    postMessage,
    getSession,
    deleteSession,
    getTurn,
    getEvents,
    postCancel,
  ] as const;

/** One of the routes that every app has. */
export type OwnRoute = ReturnType<typeof ownRoutes>[number];

const getRoot = (table: readonly Route[]) =>
  defineRoute({
    method: 'GET',
    path: '/',
    access: 'caller',
    handle({ base = '' }) {
      const links = table.flatMap(({ link, path }) => (link === undefined ? [] : [[link, base + path]]));
      const view: RootView = {
        name: 'holdfast',
        agents: base + getAgents.path,
        ...Object.fromEntries(links),
      };
      return Response.json(view);
    },
  });

/** Nobody's session: every agent has a name. It is read and never written to. */
const PROBE = toSessionName({ owner: { id: 'health' }, agent: '', session: 'health' });

/**
 * Tells whether sessions can work here, and their agents have a model. An object is asked until one has answered, and no
 * more: how the Worker is deployed cannot change while it runs, and whoever asks is not authenticated.
 */
function getHealth() {
  let hasAnswered = false;
  return defineRoute({
    method: 'GET',
    path: '/health',
    access: 'open',
    async handle({ host, env }) {
      const port = host.session(env, PROBE);
      if (!hasAnswered) await port.read({ from: 1, limit: 1 });
      hasAnswered = true;
      host.platform(env);
      checkModels({ host, env });
      const warnings = host.warnings(env);
      const view: HealthView = { status: 'ok', ...(warnings.length > 0 && { warnings }) };
      return Response.json(view);
    },
  });
}
