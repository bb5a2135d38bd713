import type { Agent } from '../../agent/define-agent.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { type DeploymentCheck, DeploymentError } from '../../session/deployment.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import { attempt } from '../../tool/async.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { collectAppParts } from '../app-seam.ts';
import type { Env } from '../host.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type HttpHost, type Route } from '../route.ts';
import type { AgentList, AgentView, HealthView, InnerToolView, RootView, ToolView } from '../route-views.ts';
import { findAgentFiles, listAgentChecks } from '../target.ts';
import { ANSWERING_APP } from '../turn-response.ts';
import { deleteSession, getEvents, getSession, getTurn, postCancel, postMessage } from './session.ts';

/**
 * Returns every route of the app: its own, then those of its modules. Other paths get a 404 response, and
 * other methods of these paths a 405.
 */
export function createRouteTable(host: HttpHost): readonly Route[] {
  const table: Route[] = [];
  table.push(...createOwnRoutes(table));
  for (const parts of collectAppParts(host))
    table.push(...(parts.routes?.({ host, table, answering: ANSWERING_APP }) ?? []));
  return table;
}

/** The routes that every app has. `table` contains all routes of the app at the time of a request. */
const createOwnRoutes = (table: readonly Route[]) =>
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
export type OwnRoute = ReturnType<typeof createOwnRoutes>[number];

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

/**
 * The name of the session that `GET /health` reads and never writes. Real sessions cannot have it, since
 * every agent has a name.
 */
const HEALTH_PROBE_NAME = toSessionName({ owner: { id: 'health' }, agent: '', session: 'health' });

/**
 * Reports whether anything is missing in this environment for sessions, agents, modules or authentication.
 * Once an object has responded, no more objects are called: the deployment cannot change while the Worker
 * runs, and callers of this route are not authenticated.
 */
function getHealth() {
  let hasAnswered = false;
  return defineRoute({
    method: 'GET',
    path: '/health',
    access: 'open',
    async handle({ host, env }) {
      await checkAll([
        () => host.platform(env),
        ...host.checks(env),
        ...listAgentChecks({ host, env }),
        () => host.auth.check?.(env),
        ...collectAppParts(host).flatMap((part) => part.checks?.({ host, env }) ?? []),
        async () => {
          const port = host.session(env, HEALTH_PROBE_NAME);
          if (!hasAnswered) await port.read({ from: 1, limit: 1 });
          hasAnswered = true;
        },
      ]);
      const warnings = host.warnings(env);
      const view: HealthView = { status: 'ok', ...(warnings.length > 0 && { warnings }) };
      return Response.json(view);
    },
  });
}

/**
 * Runs the checks, one after another. @throws DeploymentError with all problems that they find, or at once
 * any other error.
 */
async function checkAll(checks: readonly DeploymentCheck[]): Promise<void> {
  const problems = new Set<string>();
  for (const check of checks) {
    try {
      await check();
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError || thrown instanceof Problem)) throw thrown;
      problems.add(thrown.message);
    }
  }
  if (problems.size > 0) throw new DeploymentError([...problems]);
}

/** Lists the agents of the app, and their tools. */
export const getAgents = defineRoute({
  method: 'GET',
  path: '/agents',
  access: 'caller',
  handle: ({ host, env }) => {
    const agents = Array.from(host.agents.values(), (agent) => describeAgent(host, env, agent));
    return Response.json({ agents } satisfies AgentList);
  },
});

/** The maximum number of inner tools in one agent's description. A catalog can contain thousands. */
const MAX_INNER_TOOLS = 1_000;
/** The maximum nesting depth of inner tools. */
const MAX_DEPTH = 16;

/**
 * Describes an agent, without its instructions. Lists its tools in this environment, each with its inner
 * tools, and the sources of tools that are known only in a turn. If the agent lacks a tool group here, lists
 * the problem instead. Other agents are not affected.
 */
function describeAgent(host: HttpHost, env: Env, agent: Agent): AgentView {
  const { name, description, output } = agent;
  const { maxGenerations: _, maxScheduled: __, ...limits } = agent.limits;
  const described = {
    name,
    description,
    limits,
    ...(host.files && describeAccepted(host, env, agent)),
    ...(output?.format && { output: output.format.schema }),
  };
  try {
    return { ...described, ...describeAgentTools(host.resolve?.(agent, env) ?? agent) };
  } catch (failure) {
    if (!(failure instanceof ConfigurationError)) throw failure;
    return { ...described, ...describeAgentTools(agent), misconfigured: failure.message };
  }
}

/** Returns the media types of files that it accepts. Absent if its model is unavailable. */
function describeAccepted(host: HttpHost, env: Env, agent: Agent): Pick<AgentView, 'accepts'> {
  const files = attempt(() => findAgentFiles({ host, env }, agent));
  return files.ok && files.value ? { accepts: files.value.types } : {};
}

/** Lists the sources of further tools without calling them, so that listing does not start a handshake. */
function describeAgentTools({ tools, providers }: Agent): Pick<AgentView, 'tools' | 'sources'> {
  const sources = providers.flatMap(({ about }) => about ?? []);
  return { tools: describeTools(tools), ...(sources.length > 0 && { sources }) };
}

function describeTools(tools: readonly AnyTool[]): readonly ToolView[] {
  const room = { left: MAX_INNER_TOOLS };
  return tools.map((tool) => {
    const { name, description, effect, inputSchema, metadata } = tool;
    return {
      name,
      description,
      effect,
      inputSchema,
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...describeInner(tool, [tool], room),
    };
  });
}

/**
 * Describes the inner tools of a tool without their schemas, and counts those that are omitted. A tool that
 * contains itself is listed once.
 */
function describeInner(
  { inner = [] }: AnyTool,
  around: readonly AnyTool[],
  room: { left: number },
): Pick<InnerToolView, 'inner' | 'innerLeftOut'> {
  if (inner.length === 0) return {};
  const others = around.length > MAX_DEPTH ? [] : inner.filter((tool) => !around.includes(tool));
  const listed = others.slice(0, room.left);
  room.left -= listed.length;
  return {
    inner: listed.map((tool) => ({
      name: tool.name,
      description: tool.description,
      effect: tool.effect,
      ...describeInner(tool, [...around, tool], room),
    })),
    ...(listed.length < inner.length && { innerLeftOut: inner.length - listed.length }),
  };
}
