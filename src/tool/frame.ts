import type { InjectionStrategy, LoopView } from './injection.ts';
import type { Json, JsonObject } from './json.ts';
import type { Limits } from './limits.ts';
import type { AnyTool, BlackboardEntry } from './tool.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { MemoryFact } from './tool-memory.ts';
import type { Signal, ToolResult } from './tool-result.ts';

/** What a nested loop is made of. Only its data is journaled; the code makes the rest again on every resume. */
export interface Frame {
  /** Joined to the path of what is around it; keeps state of its tools apart. */
  readonly name: string;
  /** Told to the model first; a function is asked anew before each model call. */
  readonly instructions: Instructions;
  /** What the nested loop is asked, as its user message. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  readonly limits?: Limits | undefined;
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
  /** Runs the loop where the model around it does not, such as another agent. */
  readonly runBy?: FrameRunner | undefined;
}

/** Whoever runs a nested loop. A tool only passes one on: it is made and understood by the loop, since tools know no model. */
export abstract class FrameRunner {
  /** Keeps the compiler from taking other objects for one; there is nothing at run time. */
  declare protected readonly isFrameRunner: true;
}

/** What a model is told first. Must be a function of the view alone. */
export type Instructions = string | ((view: LoopView) => string);

/**
 * The next call of a planned frame, by those before it, in order; `undefined` when there is none. It is
 * asked again on every resume, so it depends on nothing else.
 */
export type Plan = (done: readonly DoneCall[]) => PlannedCall | undefined;

/** A call of a nested loop that has ended. */
export interface DoneCall {
  readonly tool: string;
  readonly result: ToolResult;
  /** It opened a frame in which a model decided. */
  readonly nested: boolean;
}

export interface PlannedCall {
  readonly tool: string;
  /** Text is read as a model's own is: what is wrong with it is the call's answer. */
  readonly input: JsonObject | string;
}

/** How a nested loop stopped, with its answer and its calls in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  readonly text: string;
  /** The text as data, when it had to have a form and has it. */
  readonly object?: Json | undefined;
  readonly calls: readonly DoneCall[];
  /** What was added to the frame's own blackboard. */
  readonly added: readonly BlackboardEntry[];
  /** What ended it, when a call sent one. */
  readonly signal?: Signal | undefined;
}
