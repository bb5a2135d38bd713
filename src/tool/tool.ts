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

/** A tool in a list, without its specific types. Made by `defineTool` or by a decorator. Never mutated. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** `none` if the tool has no effects of its own: it opens a frame or leaves its work to the caller. */
  readonly effect: Effect | 'none';
  /**
   * Calls of one batch with the same value run one after another, in source order. A function receives the
   * model's parsed input, which is not validated yet, and must not throw.
   */
  readonly serial?: Serial | undefined;
  /**
   * If `true`, the turn can end with this tool's result, without another model call. A result without an
   * effect, such as a memoized one, still goes to the model.
   */
  readonly returnDirect: boolean;
  /** Metadata for programs that list tools. Never sent to a model. */
  readonly metadata: Readonly<Record<string, Json>>;
  /** Its return type. A domain type also names its artifacts. */
  readonly output?: StandardSchemaV1 | undefined;
  /** If `true`, every client can see the exception that ends the turn. */
  readonly expose?: boolean | undefined;
  /** Set if the model's provider runs the tool. The request contains it, and Holdfast never runs it. */
  readonly providerTool?: ProviderTool | undefined;
  /** The modules that it needs. An app whose agent has the tool also has them. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** The modules that are used only in its call's nested loop. The app also has them. */
  readonly usesInside?: readonly ModuleUse[] | undefined;
  /** The tool that a decorator wraps. */
  readonly delegate?: AnyTool | undefined;
  /** The name of the agent to which it delegates, if it refers to the agent by name. */
  readonly asks?: string | undefined;
  /** The inner tools, for code that lists them. */
  readonly inner?: readonly AnyTool[] | undefined;
  /** `true` if its own loop offers the inner tools once the tool has been called. */
  readonly opens?: true | undefined;
  /**
   * Wraps the tools that this tool unfolds to, so that a guard of an unfolding tool also guards its inner
   * tools.
   */
  readonly adopt?: ((inner: AnyTool) => AnyTool) | undefined;
  /**
   * Returns the other tool that an input is for, with its input. The loop treats the call as a call of that
   * tool. Must depend only on the input, and must not throw. A decorator that replaces `call` drops the
   * route.
   */
  readonly route?: ((input: JsonObject) => RoutedCall | undefined) | undefined;
  /** Parses the model's text. The default parser refuses text that is not a JSON object. Must not throw. */
  readonly readInput?: ((raw: string) => JsonObject) | undefined;
  /**
   * Checks an input without running anything. Returns the input that `run` would receive, or the error for
   * the model. `name`: the name that the model knows. Defaults to the tool's own name.
   */
  check(input: JsonObject, name?: string): Promise<CheckedInput<unknown>>;
  /**
   * Runs the tool. `input` is the model's parsed JSON, which is not validated yet. For an invalid input,
   * returns an error result that lists every problem.
   */
  call(input: JsonObject, call: CallRun): Promise<ToolResult>;
}

/** The definition of a tool for its provider. */
interface ProviderTool {
  /** Its id, such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A tool whose inner tools are offered in its own loop. */
export type OpeningTool = AnyTool & { readonly opens: true };

/** The key shared by calls of one batch that must not run in parallel. */
export type Serial = string | ((input: JsonObject) => string);

/** The tool that a call is for, with its input. */
export interface RoutedCall {
  readonly tool: AnyTool;
  readonly input: JsonObject;
}

/**
 * A tool with its literal name, input and output, for inference. The types are phantom types, so that any
 * list accepts the tool.
 */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown> extends AnyTool {
  readonly name: Name;
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

/**
 * The input that a tool's `run` receives: its schema's output. `unknown` for a tool without specific types.
 */
export type ToolInput<T extends AnyTool> = T extends Tool<string, infer Input, unknown> ? Input : unknown;

/** The return type of a tool's `run`. `unknown` for a tool without specific types. */
export type ToolOutput<T extends AnyTool> = T extends Tool<string, unknown, infer Output> ? Output : unknown;

/**
 * A running call that its loop passes to the tool, its decorators and the modules around it. Side effects
 * must go through `execute`: it waits for a slot, journals the start if the effect requires it, enforces the
 * timeout, and returns the known outcome of an interrupted call. Code around it (validation, decorators) runs
 * again on every resume.
 */
export interface CallRun extends CallContext {
  /**
   * The loop of the call, as of the start of its batch. `recall` also includes the facts of earlier calls of
   * the same `serial`.
   */
  readonly view: LoopView;
  /** Returns the tools that the model could have called, as of the start of the batch. */
  offered(): readonly AnyTool[];
  /**
   * Returns the tools that the next request would offer if the batch recorded only this fact, the facts of
   * this call so far, and those of earlier calls of the same `serial`. Use it to describe a call's changes to
   * the model. The order is that of the strategies, and the first tool of a name counts. Does not record the
   * fact.
   */
  offeredAfter<Value extends Json, Fact extends Json>(
    memory: ToolMemory<Value, Fact>,
    fact: Fact,
  ): readonly AnyTool[];
  /** Properties that `withParameter` added to the input, for a tool that passes on its whole input. */
  readonly added?: AddedInput | undefined;
  /**
   * The name and the input of the call in the journal. An unfolding tool may have routed it to another tool.
   */
  readonly asked: { readonly name: string; readonly input: string };
  /** Opaque. Read by functions over a call, such as `nest`. A Worker bundles only those that it imports. */
  readonly inLoop: object;
  execute(execution: ToolEffect): Promise<ToolResult>;
  /**
   * Runs code around the effect. If it takes longer than 30 seconds, the log shows the name in `code`, and
   * the call ends as `timeout`, or with the result of its effect if that has run.
   */
  during<T>(code: string, work: () => T | Promise<T>): Promise<T>;
  /** Runs work around the effect that has its own time limit, and can take longer than 30 seconds. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  /**
   * `true` if the call resumes: an earlier invocation started its effect or opened its frame, or the caller
   * ran it.
   */
  readonly hasBegun: boolean;
}

/** Properties of an input that are not in the tool's own schema. */
export interface AddedInput {
  /** The values as the model sent them. */
  readonly sent: JsonObject;
  /** The outputs of their schemas. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/** The system message for the model. A function must depend only on the view. */
export type Instructions = string | ((view: LoopView) => string);

/**
 * The view of a loop for its strategies and instructions. Computed only from the journal, so it is the same
 * on every resume.
 */
export interface LoopView {
  /** The session's id, as in its URL. Empty outside a session. */
  readonly session: string;
  /** The name of the session's agent, even in the loop of a subagent. Empty outside a session. */
  readonly agent: string;
  readonly turn: string;
  /** When the turn started, in ms since the epoch. The same in every invocation. */
  readonly turnStartedAt: number;
  /** The principal that started the turn. */
  readonly principal: TurnPrincipal;
  /** The id of the call that opened the loop. Empty for the turn's own loop. */
  readonly frame: string;
  /**
   * The names of the agent and of the enclosing frames, joined by `/`. Memories of scope `path` use it as
   * their key.
   */
  readonly path: string;
  /** The number of replies so far. */
  readonly iterations: number;
  /** The tools of the loop before strategies change them. */
  readonly tools: readonly AnyTool[];
  readonly context: ToolCallContext;
  /** Writes a line to the app's log. Secrets in it are redacted. */
  readonly log: Log;
  /** The entries of the blackboard, oldest first. Do not change them. */
  readonly blackboard: readonly BlackboardEntry[];
  /**
   * Returns a memory of the session. Do not change it. `path`: another loop, for a memory of scope `path`.
   */
  recall<Value extends Json, Fact extends Json>(memory: ToolMemory<Value, Fact>, path?: string): Value;
  /**
   * Returns tools that are created from journaled data once per invocation: the same key returns the same
   * array. A key contains the kind and the data. Other data of the invocation can be cached by the array,
   * even if it is empty.
   */
  made(key: string, make: () => readonly AnyTool[]): readonly AnyTool[];
  /**
   * Returns the loop's conversation, as journaled. For the turn's own loop, this is the session's
   * conversation. Do not change it.
   */
  history(): readonly HistoryMessage[];
}

/**
 * Decides which tools a loop offers. Unfolding, chaining and similar features are strategies. It must depend
 * only on its arguments. It runs before each model call, and again, with the state at the reply, before the
 * reply's calls run.
 */
export interface InjectionStrategy {
  readonly name: string;
  /** Called before `offer` and before each model call, to discover external state that `offer` needs. */
  readonly discover?: DiscoverySteps | undefined;
  /** The modules that it needs, as in the definition of a tool. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Returns the offered tools. It must return the same array if it changes nothing, and must not throw. */
  offer(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[];
  /**
   * Returns the tools, other than inner tools, that it can create from a tool and offer instead, even if the
   * tool is not offered now. It lets any Worker show a model again which tools the conversation added and
   * removed. Must not throw.
   */
  mayBecome?(tool: AnyTool): readonly AnyTool[];
  /** Called after a call has succeeded and before its end is journaled. Must not throw. */
  remarkOn?(call: RemarkedCall, view: LoopView): CallRemarks | undefined;
}

/** A successful call, with its result in journaled form. */
export interface RemarkedCall {
  readonly id: string;
  /** The tool as it was offered. */
  readonly tool: AnyTool;
  /** The model's own text. */
  readonly input: string;
  readonly result: ToolResult;
}

/** A strategy's additions to the end of a call. */
export interface CallRemarks {
  /** Facts made by `fact` of a module. Facts of a module that the app lacks are not stored. */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** A remark for the model below the result. */
  readonly remark?: string | undefined;
}

/** The functions with which a source of tools discovers them. */
export interface Discovery {
  /**
   * The loop. Keep results that depend on a user's credentials under the view's principal, so that other
   * users do not see them.
   */
  readonly view: LoopView;
  /** Credentials for this invocation. Never journaled. */
  readonly secrets: Secrets;
  /** Aborts when this invocation can no longer act for the session. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `work` in one of the invocation's connections, for at most `ms`.
   *
   * @throws CallInterrupted if the invocation has fewer subrequests or less time left than `work` needs.
   * Rethrow it.
   * @throws a TimeoutError after `ms`.
   */
  ask<T>(needs: { readonly subrequests: number; readonly ms: number }, work: () => Promise<T>): Promise<T>;
  /**
   * Registers work that always runs when this invocation's part of the turn is over. The invocation waits
   * only briefly for it. `work` must not throw.
   */
  atEnd(work: () => Promise<unknown>): void;
  /**
   * Counts requests beyond the declared number as they are made, since an invocation has a limited number.
   */
  count(subrequests: number): void;
  readonly credentials: SessionCredentials;
}

/**
 * Credentials from other services for later invocations of the session, such as the session id of a server.
 * They are stored outside the journal, where readers cannot see them, and are erased with the session. Only
 * one invocation at a time has them.
 */
export interface SessionCredentials {
  /**
   * Returns the value under a key. `lost`: it cannot be read now, or it cannot be used because an interrupted
   * invocation may still use it. Never rejects.
   */
  find(key: string): Promise<KeptValue>;
  /**
   * Stores or replaces the value under a key. `null` removes it. Returns whether it succeeded. Never rejects.
   */
  keep(key: string, value: string | null): Promise<boolean>;
}

/** The value that a session keeps under a key. */
export type KeptValue =
  | { readonly status: 'found'; readonly value: string }
  | { readonly status: 'lost' | 'none' };

/**
 * Discovers external state, and returns the facts that record it in the session. If it throws, the error is
 * logged, facts are not recorded, and the next model call tries again.
 */
export type Discover = (discovery: Discovery) => Promise<readonly MemoryFact[]>;

/** A discovery as a whole, or in parts. A part that fails or exceeds a limit does not affect the others. */
export type DiscoverySteps = Discover | readonly Discover[];
