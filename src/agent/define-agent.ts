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

export interface AgentConfig<Name extends string> {
  readonly name: Name;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly AnyTool[];
  readonly model?: ChatModel | undefined;
  readonly limits?: Limits | undefined;
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
    throw new AgentDefinitionError(name, `is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -`);
  }
  const seen = new Set<string>();
  for (const tool of tools) {
    if (seen.has(tool.name)) throw new AgentDefinitionError(name, `has two tools of the name '${tool.name}'`);
    seen.add(tool.name);
  }
  for (const [limit, value] of Object.entries(limits ?? {})) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new AgentDefinitionError(name, `has a limit '${limit}' of ${value}: use a positive whole number`);
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
  readonly agent: string;

  constructor(agent: string, problem: string) {
    super(`Agent '${agent}' ${problem}.`);
    this.agent = agent;
  }
}
