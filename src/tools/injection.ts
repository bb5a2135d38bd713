import type { Discovers } from './discovery.ts';
import type { Json } from './json.ts';
import type { AnyTool, BlackboardEntry, HistoryMessage } from './tool.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { MemoryFact, ToolMemory } from './tool-memory.ts';
import type { ToolResult } from './tool-result.ts';
import type { TurnPrincipal } from './turn-principal.ts';

/** A loop as its strategies and instructions see it: made from the journal alone, so the same on every resume. */
export interface LoopView {
  readonly turn: string;
  /** Who asked for the turn. */
  readonly principal: TurnPrincipal;
  /** The id of the call that opened the loop; empty for the turn's own. */
  readonly frame: string;
  /** Names of the agent and of the frames around, joined by `/`: what session-long memory is kept under. */
  readonly path: string;
  /** Replies so far. */
  readonly iterations: number;
  /** What the loop was given, before any strategy. */
  readonly tools: readonly AnyTool[];
  readonly context: ToolCallContext;
  /** Oldest first; not to be changed. */
  readonly blackboard: readonly BlackboardEntry[];
  /** What a kind of tool remembers of the session; not to be changed. `path`: of another loop, for a memory by path. */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>, path?: string): Value;
  /**
   * Tools that code makes from journaled data, made once an invocation: the same key answers the same list. A key names the
   * kind, and what the list was made of. The list is also an identity, and an empty one can be only that: what else is
   * known for as long as the invocation lasts may be kept by it.
   */
  made(key: string, make: () => readonly AnyTool[]): readonly AnyTool[];
  /** The loop's conversation, as journaled; the turn's own loop has that of the session. Not to be changed. */
  history(): readonly HistoryMessage[];
}

/**
 * Decides which tools a loop offers: unfolding, chaining and their like are each one of these. A function of what it is
 * given and nothing else, asked before each model call and again, with what was known when the model replied, before its
 * calls are run.
 */
export interface InjectionStrategy {
  readonly name: string;
  /** Asked before `offer` and before each model call, for what that needs to know from outside. */
  readonly discover?: Discovers | undefined;
  /** The same list when nothing changes. Must not throw. */
  offer(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[];
  /** Asked when a call has succeeded, before its end is journaled. Must not throw. */
  note?(call: NotedCall, view: LoopView): Notes | undefined;
}

/** A call that succeeded, with its result as the journal will give it back. */
export interface NotedCall {
  readonly id: string;
  /** As it was offered. */
  readonly tool: AnyTool;
  /** The model's own text. */
  readonly input: string;
  readonly result: ToolResult;
}

/** What a strategy has to add to the end of a call. */
export interface Notes {
  /** Made by `RememberingKind.fact`; those of a kind that the app was not given are kept by nobody. */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** Said to the model below the result. */
  readonly remark?: string | undefined;
}
