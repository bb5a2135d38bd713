import { ended, type LiteralShape, literalFault } from '../../tool/check-literal.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { McpEndpoint } from '../../worker/host.ts';
import { failureLog } from '../../worker/refusal.ts';
import type { McpResource } from './define-mcp-resource.ts';
import type { McpPrompt } from './prompts.ts';
import { McpEndpointDefinitionError, type PublishedAgent, publish } from './publish.ts';
import { publishResources } from './publish-resources.ts';
import { serveMcp } from './serve-mcp.ts';

/** The literal that `defineMcpEndpoint` takes. */
export interface McpEndpointConfig {
  /** What clients know the server by; `holdfast` unless given. */
  readonly name?: string | undefined;
  /** `1` unless given. */
  readonly version?: string | undefined;
  /** What clients may tell their model of the whole. */
  readonly instructions?: string | undefined;
  /**
   * Each call runs the tool once, without a session: nothing of it is kept, and nobody can be asked to approve it. What needs
   * a session is published as an agent that has it.
   */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Each is a tool whose call runs a turn, in a session of the caller that later calls may go on with. */
  readonly agents?: readonly PublishedAgent[] | undefined;
  readonly prompts?: readonly McpPrompt[] | undefined;
  /** What clients may read, besides the files and artifacts of the sessions that these agents have, which their owners read. */
  readonly resources?: readonly McpResource[] | undefined;
}

/**
 * Declares what an app publishes to MCP clients, at `POST /mcp`: `createHoldfast({ mcp: defineMcpEndpoint({ ... }) })`. It
 * answers each request by itself, so that there is no stream to `GET` and no session of MCP's own; a request that was sent
 * cannot be cancelled by a later one, and holds one call at the most. Callers are known as on every route.
 *
 * @throws McpEndpointDefinitionError when a key is not known or its value of another kind, a tool needs a session, two things have one name, or one cannot be a tool's name.
 *
 * @example
 * ```ts
 * const mcp = defineMcpEndpoint({ tools: [findOrder], agents: ['support', { agent: 'triage', as: 'ask_triage' }] });
 * ```
 */
export function defineMcpEndpoint(config: McpEndpointConfig): McpEndpoint {
  const fault = literalFault(config, SHAPE);
  if (fault) throw new McpEndpointDefinitionError(fault.field, `it ${ended(fault.problem)}`);
  const { name = 'holdfast', version = '1', instructions, tools = [], agents = [], prompts = [] } = config;
  const { resources = [] } = config;
  const callable = publish(tools, agents);
  const served = {
    info: { name, version },
    instructions,
    published: {
      callable,
      prompts: promptsByName(prompts),
      resources: publishResources(resources, callable),
    },
    logFailure: failureLog(),
  };
  return {
    agents: [...callable.values()].flatMap((one) => (one.kind === 'agent' ? [one.agent] : [])),
    serve: (request) => serveMcp(served, request),
  };
}

const SHAPE = {
  of: 'defineMcpEndpoint',
  keys: {
    name: 'text',
    version: 'text',
    instructions: 'text',
    tools: 'list',
    agents: 'list',
    prompts: 'list',
    resources: 'list',
  },
  required: [],
  foreign: { agent: 'agents', tool: 'tools', resource: 'resources' },
} satisfies LiteralShape<keyof McpEndpointConfig>;

function promptsByName(prompts: readonly McpPrompt[]): ReadonlyMap<string, McpPrompt> {
  const named = new Map<string, McpPrompt>();
  for (const [index, prompt] of prompts.entries()) {
    const field = `prompts[${index}]`;
    if (prompt.name.trim() === '')
      throw new McpEndpointDefinitionError(field, `${field} has a name that is blank.`);
    if (named.has(prompt.name))
      throw new McpEndpointDefinitionError(field, `two prompts are called '${prompt.name}'.`);
    named.set(prompt.name, prompt);
  }
  return named;
}
