import type { Json, JsonObject } from './json.ts';
import type { BlackboardEntry } from './kept-values.ts';
import { type Infer, type Shape, WHOLE } from './shape.ts';
import type { Signal, ToolResult } from './tool-result.ts';

/** How a nested loop stopped, with its answer and its calls in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  /** Of a loop that reached one. */
  readonly limit?: ReachedLimit | undefined;
  readonly text: string;
  /** The text as data, when it had to have a form and has it. */
  readonly object?: Json | undefined;
  /** The domain type of the object, by its name. */
  readonly objectType?: string | undefined;
  readonly calls: readonly DoneCall[];
  /** What was added to the frame's own blackboard. */
  readonly added: readonly BlackboardEntry[];
  /** What ended it, when a call sent one. */
  readonly signal?: Signal | undefined;
}

/** A call of a nested loop that has ended. */
export interface DoneCall {
  readonly tool: string;
  readonly result: ToolResult;
  /** It opened a frame in which a model decided. */
  readonly nested: boolean;
}

/**
 * The next call of a planned frame, by those before it, in order; `undefined` when there is none. It is
 * asked again on every resume, so it depends on nothing else.
 */
export type Plan = (done: readonly DoneCall[]) => PlannedCall | undefined;

/** The next call of a plan. */
export interface PlannedCall {
  readonly tool: string;
  /** Text is read as a model's own is: what is wrong with it is the call's answer. */
  readonly input: JsonObject | string;
}

/**
 * Bounds of a loop. A turn that meets one ends as `limit-reached`, with the best answer so far.
 */
export interface Limits {
  /**
   * Tokens, as models report them, after which the turn asks no model any more; those of nested loops and of the turns before it in its
   * tree count too. Nothing is held back for a call, so that the last one may exceed it: `budget` of `holdfast/limits` bounds strictly,
   * and nested loops by themselves. Defaults to a million, or to `unlimited` beside a budget of tokens.
   */
  readonly tokens?: CallLimit | undefined;
  /** Model calls, the last one (without tools) not counted. */
  readonly iterations?: number | undefined;
}

/** The limit that ended a turn or a loop, by its name in `Limits`, and how much it allows. */
export interface ReachedLimit extends Infer<typeof REACHED_LIMIT> {}
export const REACHED_LIMIT = {
  object: {
    kind: { oneOf: ['tokens', 'cost', 'iterations', 'toolCalls', 'callsPerTool'] },
    most: WHOLE,
  },
} as const satisfies Shape;

/** How many calls are allowed. A tool that is `unlimited` still counts among the calls of the turn. */
export type CallLimit = Infer<typeof CALL_LIMIT>;
export const CALL_LIMIT = { anyOf: [WHOLE, { only: 'unlimited' }] } as const satisfies Shape;
