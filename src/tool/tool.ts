import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext, Effect, HistoryMessage, ToolEffect, TurnPrincipal } from './call.ts';
import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { BlackboardEntry } from './kept-values.ts';
import type { Log } from './log.ts';
import type { ModuleUse } from './module-use.ts';
import type { CheckedInput } from './problem-lines.ts';
import type { Secrets } from './secrets.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { MemoryFact, ToolMemory } from './tool-memory.ts';
import type { ToolResult } from './tool-result.ts';

/** A tool as lists hold it, its types erased. Made by `defineTool` or by a decorator of one; never mutated. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** `none`: the tool opens a frame or leaves its running to the caller, and has no effect of its own. */
  readonly effect: Effect | 'none';
  /**
   * Calls of one batch that share this word run one after another, in source order. A function is given the model's parsed
   * input, which is not checked yet, and must not throw.
   */
  readonly serial?: Serial | undefined;
  /**
   * The turn may end with this tool's result, without another model call. What it answers without having acted,
   * as a memo does, goes to the model.
   */
  readonly returnDirect: boolean;
  /** For programs that list tools: never sent to a model. */
  readonly metadata: Readonly<Record<string, Json>>;
  /** What it returns; a domain type also names its artifacts. */
  readonly output?: StandardSchemaV1 | undefined;
  /** What it throws may be told to every client, where it ends the turn. */
  readonly expose?: boolean | undefined;
  /** The model's provider runs it, and knows it by this; it is in the request and never run by us. */
  readonly providerTool?: ProviderTool | undefined;
  /** The modules that it needs; the app of an agent that has the tool has them too. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** The modules that only the nested loop of its call uses; the app has them too. */
  readonly usesInside?: readonly ModuleUse[] | undefined;
  /** What a decorator was made of. */
  readonly delegate?: AnyTool | undefined;
  /** The name of the agent that it asks, if it was given the agent by its name alone. */
  readonly asks?: string | undefined;
  /** The tools inside, for whoever lists them. */
  readonly inner?: readonly AnyTool[] | undefined;
  /** The tools inside are offered in its own loop, once it was called. */
  readonly opens?: true | undefined;
  /** Wraps the tools that this one unfolds into: what guards an unfolding tool also guards the tools behind it. */
  readonly adopt?: ((inner: AnyTool) => AnyTool) | undefined;
  /**
   * The tool that this input is meant for in place of this one, and the input for it; the loop treats the call as one of
   * that tool. Must be a function of the input alone, and must not throw. A decorator that replaces `call` drops it.
   */
  readonly route?: ((input: JsonObject) => RoutedCall | undefined) | undefined;
  /** Reads the model's own text in place of the parser, which refuses what is no JSON object. Must not throw. */
  readonly readInput?: ((raw: string) => JsonObject) | undefined;
  /**
   * Checks an input without running anything: what `run` would be given, or what the model is answered. `name` is the
   * one under which the model knows the tool; its own unless given.
   */
  check(input: JsonObject, name?: string): Promise<CheckedInput<unknown>>;
  /** `input` is the model's parsed JSON, not yet validated. Bad input is an error result that lists every problem. */
  call(input: JsonObject, call: CallRun): Promise<ToolResult>;
}

/** A tool as the provider that runs it knows it. */
interface ProviderTool {
  /** Such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A tool whose tools inside are offered in its own loop. */
export type OpeningTool = AnyTool & { readonly opens: true };

/** What calls of one batch that may not meet have in common. */
export type Serial = string | ((input: JsonObject) => string);

/** Whom a call is meant for. */
export interface RoutedCall {
  readonly tool: AnyTool;
  readonly input: JsonObject;
}

/** A tool with its literal name, input and output, for inference; the types are phantoms, so that any list accepts it. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> extends AnyTool {
  readonly name: Name;
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

/** What the `run` of a tool is given: its schema's output. `unknown` for a tool whose types were erased. */
export type ToolInput<T extends AnyTool> = T extends Tool<string, infer Input, unknown> ? Input : unknown;

/** What the `run` of a tool returns. `unknown` for a tool whose types were erased. */
export type ToolOutput<T extends AnyTool> = T extends Tool<string, unknown, infer Output> ? Output : unknown;

/**
 * One call that runs, as its loop hands it to the tool, its decorators and the modules around it. `execute` is the only door to side effects: it waits for a slot, journals the
 * start where the effect asks for it, keeps the deadline, and answers what is known of a call that was interrupted.
 * Code around it (validation, decorators) runs again on every resume.
 */
export interface CallRun extends CallContext {
  /**
   * The loop that the call belongs to, as of the start of its batch; its `recall` also knows the facts of earlier calls of
   * the same `serial`.
   */
  readonly view: LoopView;
  /** The tools that the model could have called, as of the start of the batch. */
  offered(): readonly AnyTool[];
  /**
   * The tools that the model would be offered next if the batch came to nothing but this fact, those that this call has
   * recorded and those of earlier calls of the same `serial`, for a call that tells the model what it changes. In the
   * strategies' order; of two of one name the first counts. Nothing is remembered by it.
   */
  offeredAfter<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
  ): readonly AnyTool[];
  /** What `withParameter` has added to the tool's input, for a tool that hands all of its input on. */
  readonly added?: AddedInput | undefined;
  /** The name and the input of the call in the journal: an unfolding tool may have handed it to another tool. */
  readonly asked: { readonly name: string; readonly input: string };
  /** Opaque. Functions over a call, such as `nest`, read it; a Worker carries only those that it imports. */
  readonly inLoop: object;
  execute(execution: ToolEffect): Promise<ToolResult>;
  /**
   * Runs code around the effect under a name, which the log shows if the code takes longer than half a minute. The call ends as
   * `timeout` then, or with the result of its effect if that has run.
   */
  during<T>(code: string, work: () => T | Promise<T>): Promise<T>;
  /** Runs work around the effect that has a time limit of its own: it may take longer than half a minute. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  /** An earlier invocation has started its effect or opened its frame, or the caller has run it: it goes on there. */
  readonly hasBegun: boolean;
}

/** Properties of an input that the schema of the tool does not know. */
export interface AddedInput {
  /** As the model sent them. */
  readonly sent: JsonObject;
  /** As their own schemas read them. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/** What a model is told first. Must be a function of the view alone. */
export type Instructions = string | ((view: LoopView) => string);

/** A loop as its strategies and instructions see it: made from the journal alone, so the same on every resume. */
export interface LoopView {
  /** The session's id, as its owner and its URL name it; empty outside of a session. */
  readonly session: string;
  /** The name of the session's agent, also in the loop of a subagent; empty outside of a session. */
  readonly agent: string;
  readonly turn: string;
  /** Milliseconds since the epoch. The same in every invocation. */
  readonly turnStartedAt: number;
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
  /** Takes a line for whoever runs the app, by way of its `log`; secrets are hidden in it. */
  readonly log: Log;
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
  /** The modules that it needs, as a tool has them. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** The same list when nothing changes. Must not throw. */
  offer(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[];
  /**
   * Answers what it may make of a tool and offer in its place, beside what is inside of it: whether or not it is offered now. A
   * model that is told in the conversation which tools came and went is shown them again by it, in any Worker. Must not throw.
   */
  mayBecome?(tool: AnyTool): readonly AnyTool[];
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
  /** Made by `fact` of a module. Facts of a module that the app does not have are not kept. */
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
  readonly credentials: SessionCredentials;
}

/**
 * Credentials that others have given to the session, such as the id of a server's session, for the invocations that go on with it.
 * They stand beside the journal, in nothing that anybody reads, and go with the session. One invocation at a time has them.
 */
export interface SessionCredentials {
  /**
   * Answers what was kept under a key. `lost`: an invocation was cut off that may still use it, so that no other one does, or it
   * cannot be read now. Never rejects.
   */
  find(key: string): Promise<KeptValue>;
  /** Keeps a value in place of the one under its key; `null` forgets that. Answers whether it was done. Never rejects. */
  keep(key: string, value: string | null): Promise<boolean>;
}

/** What a session keeps under a key. */
export type KeptValue =
  | { readonly status: 'found'; readonly value: string }
  | { readonly status: 'lost' | 'none' };

/**
 * Finds out what is to be had outside, and answers the facts by which the session will know it. What it throws is logged,
 * and nothing is remembered: the next model call asks again.
 */
export type Discover = (discovery: Discovery) => Promise<readonly MemoryFact[]>;

/** How something finds out: at once, or in parts, of which one that fails or has no room takes nothing away from the others. */
export type Discovers = Discover | readonly Discover[];
