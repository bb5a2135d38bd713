import type { ListToolsResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { Host } from '../../worker/host.ts';
import { toAgentTool } from './agent-tool.ts';
import type { Publication } from './publish.ts';

/** What `tools/list` answers (MCP specification, Tools): all on one page, in the order in which they are published. */
export const listTools = (
  published: ReadonlyMap<string, Publication>,
  agents: Host['agents'],
): ListToolsResult => ({
  tools: Array.from(published.values(), (one) =>
    one.kind === 'tool' ? toListed(one.tool) : toAgentTool(agentOf(agents, one.agent), one),
  ),
});

/** @throws ConfigurationError: `createHoldfast` looks for it, but an endpoint may be served by hand. */
function agentOf(agents: Host['agents'], name: string) {
  const agent = agents.get(name);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${name}'.`);
  return agent;
}

/** No output schema: what a tool answers may be words too, which no client that was promised an object would take. */
function toListed({ name, description, inputSchema, effect, metadata: { title } }: AnyTool): Tool {
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: hintsOf(effect),
  };
}

/** No hints about destruction or the open world: tools do not declare those. */
function hintsOf(effect: AnyTool['effect']): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true };
  return { readOnlyHint: false, idempotentHint: effect === 'idempotent' };
}
