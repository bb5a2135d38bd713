import type { ChatModel } from '../model/chat-model.ts';
import type { Frame } from '../tools/frame.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import { paragraphs } from '../tools/paragraphs.ts';
import type { AnswerForm } from './answer-form.ts';
import { withParts } from './frame-parts.ts';
import type { Loop, LoopLimits } from './loop.ts';

/** An agent as another loop runs it, in a frame: what it declares. */
export interface LoopAgent
  extends Pick<Loop, 'tools' | 'policies' | 'inspectors' | 'transformers' | 'context'> {
  readonly name: string;
  readonly instructions: string;
  /** It lacks something that only an app can give it. */
  readonly needsApp: boolean;
  readonly sources: readonly InjectionStrategy[];
  readonly strategies: readonly InjectionStrategy[];
  readonly limits: LoopLimits;
  readonly model?: ChatModel | undefined;
  readonly output?: AnswerForm | undefined;
}

/** The agents of an app, as its loops hand work to them. */
export interface LoopAgents {
  /** Sorted. */
  readonly names: readonly string[];
  /** For agents without one of their own. @throws ConfigurationError when the settings name none. */
  readonly model: ChatModel;
  /** With its tool groups; `undefined` when there is none of this name. @throws ConfigurationError when it lacks a group. */
  find(name: string): LoopAgent | undefined;
  /** The same for an agent whose definition is at hand. */
  resolve(agent: LoopAgent): LoopAgent;
}

/** The frame, which an agent runs: by its definition, or by the name under which the app has it. */
export const agentFrame = (frame: AgentWork, agent: LoopAgent | string): Frame =>
  withParts({ ...frame, instructions: '', tools: [] }, { agent });

/** What is asked of an agent; what the frame is made of beside that is the agent's own. */
export type AgentWork = Pick<Frame, 'name' | 'message' | 'ownBlackboard'>;

/** Names of agents in the text that a model reads. */
const MAX_NAMES = 20;

/** The agent, with what its environment gives it; or why it cannot be had, in words for the model that asked for it. */
export function findAgent(agents: LoopAgents | undefined, asked: LoopAgent | string): LoopAgent | string {
  if (typeof asked !== 'string') {
    if (!asked.needsApp || agents) return agents?.resolve(asked) ?? asked;
    return `Agent '${asked.name}' asks for tool groups, and no app is here to give them.`;
  }
  if (!agents) {
    return `Agent '${asked}' not found: no app is here to look for it. It can be asked where it is given by its definition.`;
  }
  return agents.find(asked) ?? `Agent '${asked}' not found. Available agents: ${listed(agents.names)}.`;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}

/**
 * The frame of an agent as its loop runs it. Its policies stand in for those around it; what watches and changes the loops
 * around it does so in this one too, before its own.
 */
export function framed(loop: Loop, work: Frame, agent: LoopAgent): Frame {
  const { instructions, output, tools, sources, strategies, limits, context } = agent;
  const model = agent.model ?? loop.agents?.model;
  const told = paragraphs(instructions, output?.instruction);
  const frame = { ...work, instructions: told, tools, sources, strategies, limits, context };
  return withParts(frame, {
    ...(model && { model }),
    ...(output && { output }),
    policies: agent.policies,
    inspectors: [...loop.inspectors, ...agent.inspectors],
    transformers: [...loop.transformers, ...agent.transformers],
  });
}
