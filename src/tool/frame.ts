import type { BlackboardEntry } from './call.ts';
import type { Json, JsonObject } from './json.ts';
import type { Signal, ToolResult } from './tool-result.ts';

/** Whoever runs a nested loop. A tool only passes one on: it is made and understood by the loop, since tools know no model. */
export abstract class FrameRunner {
  /** Keeps the compiler from taking other objects for one; there is nothing at run time. */
  declare protected readonly isFrameRunner: true;
}

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
