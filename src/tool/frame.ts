import type { Json, JsonObject } from './json.ts';
import type { BlackboardEntry } from './kept-values.ts';
import { type Infer, type Shape, WHOLE } from './shape.ts';
import type { ToolMemory } from './tool-memory.ts';
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

/** How far one limit is used up. */
export interface BudgetView {
  readonly limit: number;
  /** Model calls that wait for their reply count with what is held back for them. */
  readonly used: number;
  /** Never below 0. */
  readonly remaining: number;
}

/** What a call may know of the turn that it runs in, as of now but for `recall`. No context, no principal, nothing secret. */
export interface ProcessView {
  /** The turn's id; in a nested loop, that of the call which opened it. */
  readonly id: string;
  /** Of the loop around; absent for the turn's own. */
  readonly parent?: string | undefined;
  /** The form of the answer that the loop works towards; absent when it answers in words. */
  readonly goal?: string | undefined;
  /** Milliseconds since the turn started, by the object's clock then and the Worker's now; waiting included. */
  readonly runningMs: number;
  /** Of all limits that hold for the loop, its own and those around it, the one of which the least remains. */
  readonly budget: {
    readonly cost?: BudgetView | undefined;
    readonly tokens?: BudgetView | undefined;
    /** Absent when they are unlimited. */
    readonly toolCalls?: BudgetView | undefined;
  };
  /** Of the whole turn, nested loops included. */
  readonly used: {
    /** As reported by the models. */
    readonly tokens: number;
    /** In USD; 0 where no model has prices. */
    readonly cost: number;
    readonly toolCalls: number;
    /** Replies of models. */
    readonly modelCalls: number;
    /** As reported by the models; the optional ones are parts of these two, and absent where no model told them. */
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
    readonly reasoningTokens?: number | undefined;
  };
  /** What a kind of tool remembers of the session, as of the reply that asked for the call. */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>): Value;
}
