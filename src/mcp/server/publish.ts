import type { Agent } from '../../agent/define-agent.ts';
import { isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { ended, shown } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { headersFault } from './param-headers.ts';

/** One thing that clients may call, under the name by which they know it. */
export type Publication =
  | { readonly kind: 'tool'; readonly name: string; readonly tool: AnyTool }
  | {
      readonly kind: 'agent';
      readonly name: string;
      /** The agent's name in the app. */
      readonly agent: string;
      /** It stands in place of the agent's own description. */
      readonly description?: string | undefined;
    };

/** An agent as an endpoint names it: by its name, itself, or with what clients are told in place of that. */
export type PublishedAgent =
  | string
  | Agent
  | {
      readonly agent: string | Agent;
      /** What clients call it; the agent's name unless given. */
      readonly as?: string | undefined;
      /** What it is for, as a tool; the agent's description unless given. */
      readonly description?: string | undefined;
    };

/** An MCP endpoint was declared in a way that cannot work. It is thrown where the endpoint, or its prompt, is defined, never in a request. */
export class McpEndpointDefinitionError extends Error {
  override readonly name = 'McpEndpointDefinitionError';
  /** The property of the definition that is wrong, such as `tools[2]`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "MCP endpoint: ". */
  constructor(field: string, problem: string) {
    super(`MCP endpoint: ${problem}`);
    this.field = field;
  }
}

/**
 * Names what an endpoint publishes.
 *
 * @throws McpEndpointDefinitionError when something cannot be published, or two have one name.
 */
export function publish(
  tools: readonly AnyTool[],
  agents: readonly PublishedAgent[],
): ReadonlyMap<string, Publication> {
  const published = new Map<string, Publication>();
  const add = (field: string, publication: Publication): void => {
    const { name } = publication;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      throw new McpEndpointDefinitionError(
        field,
        `'${shorten(name, 80)}' is no name for a tool: use 1 to 64 of the characters A-Z a-z 0-9 _ and -.`,
      );
    }
    if (published.has(name)) {
      throw new McpEndpointDefinitionError(field, `two of what it publishes are called '${name}'.`);
    }
    published.set(name, publication);
  };
  for (const [index, tool] of tools.entries()) add(`tools[${index}]`, ofTool(`tools[${index}]`, tool));
  for (const [index, agent] of agents.entries()) add(`agents[${index}]`, ofAgent(`agents[${index}]`, agent));
  return published;
}

function ofTool(field: string, tool: AnyTool): Publication {
  // Callers without types may publish anything.
  if (!isTool(tool)) throw new McpEndpointDefinitionError(field, `${field} is no tool.`);
  if (tool.effect === 'none') {
    throw new McpEndpointDefinitionError(
      field,
      `the tool '${tool.name}' needs a session: it opens a loop of its own, unfolds, or waits for somebody. ` +
        'Publish an agent that has it instead.',
    );
  }
  const fault = headersFault(tool.inputSchema);
  if (fault !== undefined) throw new McpEndpointDefinitionError(field, `the tool '${tool.name}' ${fault}`);
  return { kind: 'tool', name: tool.name, tool };
}

function ofAgent(field: string, declared: PublishedAgent): Publication {
  const { agent, as, description } = publishedAs(field, declared);
  const name = typeof agent === 'string' ? agent : agent.name;
  return { kind: 'agent', name: as ?? name, agent: name, description };
}

/** An agent by its name, by itself, or with what clients are told; callers without types may give anything. */
function publishedAs(field: string, declared: PublishedAgent): PublishedAsTool {
  const isRenamed = typeof declared === 'object' && declared !== null && 'agent' in declared;
  const fault = isRenamed ? literals?.fault(declared, AS_TOOL) : undefined;
  if (fault) throw new McpEndpointDefinitionError(field, `${field} ${ended(fault.problem)}`);
  const published = isRenamed ? declared : { agent: declared };
  if (typeof Object(published.agent).name === 'string' || typeof published.agent === 'string')
    return published;
  const problem = `${field} is ${shown(published.agent)}: use an agent, its name, or { agent, as, description }.`;
  throw new McpEndpointDefinitionError(field, problem);
}

type PublishedAsTool = Exclude<PublishedAgent, string | Agent>;

const AS_TOOL = {
  of: 'a published agent',
  keys: { agent: 'any', as: 'text', description: 'text' },
  required: ['agent'],
  foreign: { name: 'as' },
} satisfies LiteralShape<keyof PublishedAsTool>;
