import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import type { AgentSettings } from '../model/settings.ts';
import type { Limits, Plan } from '../tool/frame.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, InjectionStrategy, Instructions } from '../tool/tool.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import type { LoopAgent } from './loop.ts';

/** What a nested loop is made of. Only its data is journaled; the code makes the rest again on every resume. */
export interface Frame {
  /** Joined to the path of what is around it; keeps state of its tools apart. */
  readonly name: string;
  /** The system message. A function is called before each model call. */
  readonly instructions: Instructions;
  /** What the nested loop is asked, as its user message. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  readonly limits?: Limits | undefined;
  /** Modules around its model calls and its calls, beside those of the loops around it that hold inside too. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Asked before the strategies of every loop, so that what they add can unfold. */
  readonly sources?: readonly InjectionStrategy[] | undefined;
  /** Change what is offered after all others, in order. */
  readonly strategies?: readonly InjectionStrategy[] | undefined;
  /** Take effect when the frame opens, whatever becomes of it; never again when it is resumed. */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** Under the context of the loop around it, which wins where both have a key. */
  readonly context?: ToolCallContext | undefined;
  /**
   * The frame has a blackboard of its own: a copy of the one around it, whose additions nobody else sees. They are the
   * outcome's `added`.
   */
  readonly ownBlackboard?: boolean | undefined;
  /** Decides the calls in place of a model: a pipeline. */
  readonly plan?: Plan | undefined;
  /** Runs the loop where the model around it does not. */
  readonly runBy?: Runner | undefined;
}

/** Who runs a nested loop in place of the model around it. */
export interface Runner {
  /** By its definition, or by the name under which the app has it. What the frame has of its own is beside what the agent has. */
  readonly agent?: LoopAgent | string | undefined;
  /** In place of the agent's; without an agent, of the model of the loop around it. */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /** In place of the agent's. */
  readonly instructions?: Instructions | undefined;
  /** Of the loop, over those of the loop around it; with a model of its own it has these alone. */
  readonly settings?: AgentSettings | undefined;
}
