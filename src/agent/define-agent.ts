import type { ChatModel } from '../model/chat-model.ts';
import { DEFAULT_LIMITS, type LoopLimits, withLimits } from '../tool-loop/loop.ts';
import type { JsonObject } from '../tools/json.ts';
import type { AnyTool, Limits } from '../tools/tool.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';

/** Instructions, a model, tools and limits: code, deployed with the Worker and never stored. */
export interface Agent<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly AnyTool[];
  /** Absent: the app's model. */
  readonly model?: ChatModel | undefined;
  readonly limits: LoopLimits;
  /** Under every request's context, which wins where both have a key (CTX-05). */
  readonly context: ToolCallContext;
}

/** The literal that `defineAgent` takes. */
export interface AgentConfig<Name extends string> {
  /** Stands in the paths of its sessions: 1 to 64 of the characters A-Z a-z 0-9 _ -. */
  readonly name: Name;
  /** What the agent is for, for whoever reads `GET /agents`. */
  readonly description: string;
  /** What the model is told first in every request. */
  readonly instructions: string;
  /** What the model may call; each name once. */
  readonly tools: readonly AnyTool[];
  /** Absent: the app's model. */
  readonly model?: ChatModel | undefined;
  /** Bounds of one turn. Unless given: 20 iterations, 150 tool calls, 40 calls of any one tool. */
  readonly limits?: Limits | undefined;
  /** Tool-call context of every turn; a request's own wins where both have a key. No credentials: it is code. */
  readonly context?: JsonObject | undefined;
}

/**
 * Declares an agent.
 *
 * @throws AgentDefinitionError when the name cannot stand in a path, two tools share a name (AEV-04), or a limit is
 *   not a positive whole number.
 */
export function defineAgent<const Name extends string>(config: AgentConfig<Name>): Agent<Name> {
  const { name, description, instructions, tools, model, limits, context = {} } = config;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new AgentDefinitionError(
      name,
      'name',
      'is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -',
    );
  }
  const seen = new Set<string>();
  for (const tool of tools) {
    if (seen.has(tool.name))
      throw new AgentDefinitionError(name, 'tools', `has two tools of the name '${tool.name}'`);
    seen.add(tool.name);
  }
  for (const [limit, value] of Object.entries(limits ?? {})) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    const problem = `has a limit '${limit}' of ${value}: use a positive whole number`;
    throw new AgentDefinitionError(name, `limits.${limit}`, problem);
  }
  return {
    name,
    description,
    instructions,
    tools: [...tools],
    model,
    limits: withLimits(limits, DEFAULT_LIMITS),
    context: ToolCallContext.of(context),
  };
}

/** An agent was declared wrongly; thrown where it is defined. */
export class AgentDefinitionError extends Error {
  override readonly name = 'AgentDefinitionError';
  /** The name that was given, valid or not. */
  readonly agent: string;
  /** The property of the definition that is wrong, such as `limits.iterations`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Agent 'x' ". */
  constructor(agent: string, field: string, problem: string) {
    super(`Agent '${agent}' ${problem}.`);
    this.agent = agent;
    this.field = field;
  }
}
