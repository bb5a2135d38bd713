import type { Json, JsonObject } from './json.ts';
import type { BlackboardEntry } from './kept-values.ts';
import type { Signal, ToolResult } from './tool-result.ts';

/** How a nested loop stopped, with its answer and its calls in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  /** Of a loop that reached one. */
  readonly limit?: ReachedLimit | undefined;
  readonly text: string;
  /** The text as data, when it had to have a form and has it. */
  readonly object?: Json | undefined;
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

/** Whoever runs a nested loop. A tool only passes one on: it is made and understood by the loop, since tools know no model. */
export abstract class FrameRunner {
  /** Keeps the compiler from taking other objects for one; there is nothing at run time. */
  declare protected readonly isFrameRunner: true;
}

/**
 * Bounds of a loop. A turn that meets one ends as `limit-reached`, with the best answer so far. Those on
 * tokens and cost count what nests in the loop too, and a nested loop is bound by those around it besides its own.
 */
export interface Limits {
  /**
   * Tokens that models may use, input and output together, nested loops included. Each model call is held to what is left,
   * and refused when that would not do for a reply. What a provider does not report counts with what was held back for it.
   * Instructions, tools or messages that change between two calls without a change in length are taken for the same, so
   * that a call may go over by the tokens that the new ones have more. A turn whose agent says nothing here asks no model any more
   * once a million were counted, for which nothing is held back; `unlimited` lifts that.
   */
  readonly tokens?: CallLimit | undefined;
  /** The same in USD, for models that have prices. */
  readonly cost?: number | undefined;
  /** Model calls, the last one (without tools) not counted. */
  readonly iterations?: number | undefined;
}

/** The limit that ended a turn or a loop, by its name in `Limits`, and how much it allows. */
export interface ReachedLimit {
  readonly kind: keyof Limits | 'toolCalls' | 'callsPerTool';
  readonly most: number;
}

/** How many calls are allowed. A tool that is `unlimited` still counts among the calls of the turn. */
export type CallLimit = number | 'unlimited';
