import type { Json } from './json.ts';
import type { ToolMemory } from './tool-memory.ts';

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
