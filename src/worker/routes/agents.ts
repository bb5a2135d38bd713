import type { Agent } from '../../agent/define-agent.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { attempt } from '../../tool/async.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { filesOfAgent } from '../agent-model.ts';
import type { Env } from '../host.ts';
import { defineRoute, type HttpHost } from '../route.ts';
import type { AgentList, AgentView, InnerToolView, ToolView } from '../route-views.ts';

/** The agents of the app, and their tools. */
export const getAgents = defineRoute({
  method: 'GET',
  path: '/agents',
  access: 'caller',
  handle: ({ host, env }) => {
    const agents = Array.from(host.agents.values(), (agent) => describeAgent(host, env, agent));
    return Response.json({ agents } satisfies AgentList);
  },
});

/** Tools inside tools that one agent's description names; a catalogue may hold thousands. */
const MAX_INNER = 1_000;
/** How far the tools inside tools inside tools are followed. */
const MAX_DEPTH = 16;

/**
 * What is told of an agent: not its instructions. Its tools are those that it has in this environment, each
 * with the tools inside it, and the sources of those that only a turn will know. One that lacks a tool group here is
 * listed with what it lacks, and does not hide the others.
 */
function describeAgent(host: HttpHost, env: Env, agent: Agent): AgentView {
  const { name, description, output } = agent;
  const { maxGenerations: _, maxScheduled: __, ...limits } = agent.limits;
  const described = {
    name,
    description,
    limits,
    ...(host.files && acceptsOf(host, env, agent)),
    ...(output && { output: output.format.schema }),
  };
  try {
    return { ...described, ...describeAll(host.resolve?.(agent, env) ?? agent) };
  } catch (failure) {
    if (!(failure instanceof ConfigurationError)) throw failure;
    return { ...described, ...describeAll(agent), misconfigured: failure.message };
  }
}

/** The media types of files that it takes, which nobody knows where its model is not to be had. */
function acceptsOf(host: HttpHost, env: Env, agent: Agent): Pick<AgentView, 'accepts'> {
  const files = attempt(() => filesOfAgent({ host, env }, agent));
  return files.ok && files.value ? { accepts: files.value.types } : {};
}

/** Where more tools come from is told, and nobody there is asked for any: a list starts no handshake. */
function describeAll({ tools, providers }: Agent): Pick<AgentView, 'tools' | 'sources'> {
  const sources = providers.flatMap(({ about }) => about ?? []);
  return { tools: describeTools(tools), ...(sources.length > 0 && { sources }) };
}

function describeTools(tools: readonly AnyTool[]): readonly ToolView[] {
  const room = { left: MAX_INNER };
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
 * The tools inside a tool, without their schemas, and how many of them are not listed. What is inside itself is listed
 * once.
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
