import type { Json } from './json.ts';
import type { Secrets } from './secrets.ts';
import type { AnyTool, BlackboardEntry, HistoryMessage, TurnPrincipal } from './tool.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { MemoryFact, ToolMemory } from './tool-memory.ts';
import type { ToolResult } from './tool-result.ts';

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
  remarkOn?(call: RemarkedCall, view: LoopView): CallRemarks | undefined;
}

/** A call that succeeded, with its result as the journal will give it back. */
export interface RemarkedCall {
  readonly id: string;
  /** As it was offered. */
  readonly tool: AnyTool;
  /** The model's own text. */
  readonly input: string;
  readonly result: ToolResult;
}

/** What a strategy has to add to the end of a call. */
export interface CallRemarks {
  /** Made by `RememberingKind.fact`; those of a kind that the app was not given are kept by nobody. */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** Said to the model below the result. */
  readonly remark?: string | undefined;
}

/** What a source of tools may use to find out which ones it has. */
export interface Discovery {
  /** What is found out with one's credentials is not another's to see: keep it under the view's principal. */
  readonly view: LoopView;
  /** Credentials for this invocation; never journaled. */
  readonly secrets: Secrets;
  /** Aborts when this invocation may no longer act for the session. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `work` in one of the invocation's connections, for `ms` at the most.
   *
   * @throws CallInterrupted when the invocation has fewer subrequests or less time left than `work` needs: it is to be let
   *   through; a TimeoutError after `ms`.
   */
  ask<T>(needs: { readonly subrequests: number; readonly ms: number }, work: () => Promise<T>): Promise<T>;
  /** Runs once this invocation's part of the turn is over, on every path; it is not waited for long. Must not throw. */
  atEnd(work: () => Promise<unknown>): void;
  /** Counts requests beyond those that were asked for, when they are made: an invocation has so many and no more. */
  count(subrequests: number): void;
}

/**
 * Finds out what is to be had outside, and answers the facts by which the session will know it. What it throws is logged,
 * and nothing is remembered: the next model call asks again.
 */
export type Discover = (discovery: Discovery) => Promise<readonly MemoryFact[]>;

/** How something finds out: at once, or in parts, of which one that fails or has no room takes nothing away from the others. */
export type Discovers = Discover | readonly Discover[];

/** The parts, each with the object that it is a method of. */
export const partsOf = (source: { readonly discover?: Discovers | undefined }): readonly Discover[] =>
  [source.discover ?? []].flat().map((find) => find.bind(source));

/**
 * What all parts found, for whoever goes on with some of it.
 *
 * @throws what the first part threw, when none found anything.
 */
export async function foundBy(
  parts: readonly Discover[],
  discovery: Discovery,
): Promise<readonly MemoryFact[]> {
  const settled = await Promise.allSettled(parts.map((find) => find(discovery)));
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const one of settled) if (one.status === 'rejected' && found.length === 0) throw one.reason;
  return found;
}
