import type { Json, JsonObject } from './json.ts';
import type { BlackboardEntry } from './kept-values.ts';
import { INTEGER, type Infer, NUMBER, type Shape } from './shape.ts';
import type { ToolMemory } from './tool-memory.ts';
import type { Signal, ToolResult } from './tool-result.ts';

/** The end of a nested loop, with its answer and its calls in order. */
export interface FrameOutcome {
  readonly outcome: 'completed' | 'returned-direct' | 'limit-reached' | 'failed';
  /** The limit that it reached, if any. */
  readonly limit?: ReachedLimit | undefined;
  readonly text: string;
  /** The answer as data, if it has a declared form. */
  readonly object?: Json | undefined;
  /** The name of the object's domain type. */
  readonly objectType?: string | undefined;
  readonly calls: readonly DoneCall[];
  /** The entries added to the frame's own blackboard. */
  readonly added: readonly BlackboardEntry[];
  /** The signal that ended it, if a call sent one. */
  readonly signal?: Signal | undefined;
}

/** An ended call of a nested loop. */
export interface DoneCall {
  readonly tool: string;
  readonly result: ToolResult;
  /** `true` if it opened a frame that a model controlled. */
  readonly nested: boolean;
}

/**
 * Returns the next call of a planned frame, given the earlier ones in order, or `undefined`. Called again on
 * every resume, so it must depend only on these calls.
 */
export type Plan = (done: readonly DoneCall[]) => PlannedCall | undefined;

/** The next call of a plan. */
export interface PlannedCall {
  readonly tool: string;
  /** Text is parsed like input from a model, and problems are returned as the call's result. */
  readonly input: JsonObject | string;
}

/** Limits of a loop. A turn that reaches one ends as `limit-reached`, with the best answer so far. */
export interface Limits {
  /**
   * The number of tokens, as reported by models, after which the turn calls no model. Includes nested loops
   * and earlier turns of the tree. No tokens are reserved, so the last call can exceed the limit. For a
   * strict limit, or one for nested loops, use `budget` from `holdfast/limits`. Defaults to a million, or to
   * `unlimited` if there is a budget of tokens.
   */
  readonly tokens?: CallLimit | undefined;
  /** The maximum number of model calls, not counting the last one without tools. */
  readonly iterations?: number | undefined;
}

/** The limit that ended a turn or a loop: its name in `Limits` and its value. */
export interface ReachedLimit extends Infer<typeof REACHED_LIMIT> {}
export const REACHED_LIMIT = {
  object: {
    kind: { oneOf: ['tokens', 'cost', 'iterations', 'toolCalls', 'callsPerTool'] },
    /** The value of the limit. For a cost, in USD. */
    most: NUMBER,
  },
} as const satisfies Shape;

/** The maximum number of calls. An `unlimited` tool still counts toward the calls of the turn. */
export type CallLimit = Infer<typeof CALL_LIMIT>;
export const CALL_LIMIT = { anyOf: [INTEGER, { only: 'unlimited' }] } as const satisfies Shape;

/** The usage of a limit. */
export interface BudgetView {
  readonly limit: number;
  /** The used amount. Includes amounts reserved for model calls in flight. */
  readonly used: number;
  /** The remaining amount, at least 0. */
  readonly remaining: number;
}

/**
 * Data about the turn of a call. Always current, except for `recall`. Contains no context, no principal and
 * no secrets.
 */
export interface ProcessView {
  /** The turn's id, or in a nested loop, the id of the call that opened it. */
  readonly id: string;
  /** The id of the outer loop. Absent for the turn's own loop. */
  readonly parent?: string | undefined;
  /** The form of the answer that the loop works toward. Absent for plain text. */
  readonly goal?: string | undefined;
  /**
   * Milliseconds since the turn started, including waits. Measured from the start on the object's clock to
   * the present on the Worker's clock.
   */
  readonly runningMs: number;
  /** For each kind, the limit with the least remaining, among those of the loop and its enclosing loops. */
  readonly budget: {
    readonly cost?: BudgetView | undefined;
    readonly tokens?: BudgetView | undefined;
    /** Absent if they are unlimited. */
    readonly toolCalls?: BudgetView | undefined;
  };
  /** The usage of the whole turn, including nested loops. */
  readonly used: {
    /** As reported by the models. */
    readonly tokens: number;
    /** In USD. 0 if no model has prices. */
    readonly cost: number;
    readonly toolCalls: number;
    /** The number of model replies. */
    readonly modelCalls: number;
    /**
     * As reported by the models. The optional counts are included in the input and output counts, and absent
     * if not reported.
     */
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
    readonly reasoningTokens?: number | undefined;
  };
  /** Returns a memory of the session, as of the reply that made the call. */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>): Value;
}
