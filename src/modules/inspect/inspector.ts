import type { ModelFailure, ModelMessage, ToolDefinition } from '../../model/chat-model.ts';
import type { Usage } from '../../model/prices.ts';
import type { TurnPrincipal } from '../../tool/call.ts';
import type { Json } from '../../tool/json.ts';
import type { ResultData } from '../../tool/tool-result.ts';

/** The place in a turn where an inspector saw something. */
export interface LoopPlace {
  /** The session's id, as its owner knows it. Empty if the loop runs without a session. */
  readonly session: string;
  readonly turn: string;
  /** The id of the call that opened the nested loop. Empty for the turn's own loop. */
  readonly frame: string;
  /** The names of the agent and of the enclosing frames, joined by `/`. */
  readonly path: string;
  /**
   * The number of the model call in this loop, from 1. For a tool call, this is the number of the model call
   * that requested it.
   */
  readonly iteration: number;
  /** The principal of the turn. Text in a client's message cannot change it. */
  readonly principal: TurnPrincipal;
}

/** A model call before it is sent. */
export interface ModelCallSeen extends LoopPlace {
  /** The messages as sent: transformed, with one system message first. */
  readonly messages: readonly ModelMessage[];
  /** The names of the offered tools, sorted. */
  readonly tools: readonly string[];
  /**
   * The number of times that loops of this turn have queried external sources, such as MCP servers, for their
   * tools. Excludes queries from opening an unfolding tool.
   */
  readonly sourcesAsked: number;
  /** Returns a rough estimate: the characters of the messages divided by 4. Computed on demand. */
  tokenEstimate(): number;
}

/** A model's reply. */
export interface ReplySeen extends LoopPlace {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly CallSeen[];
  readonly finish: string;
  readonly usage?: Usage | undefined;
  /** Milliseconds from the request to the reply, including the wait for a slot and a second attempt. */
  readonly ms: number;
}

/** A model call without a reply. The loop ends, unless the model is asked again with a shorter request. */
export interface ModelFailureSeen extends LoopPlace {
  readonly model: string;
  /** The kind of failure, such as `rate-limited`. */
  readonly failure: ModelFailure;
  /** The HTTP status of the server's response, if any. */
  readonly status?: number | undefined;
  /** The message as clients see it. */
  readonly message: string;
  /** Milliseconds from the request to the failure, including attempts and waits in between. */
  readonly ms: number;
}

/** The tools that were added and removed between two requests. A replaced tool is in both lists. */
export interface ToolsChangeSeen extends LoopPlace {
  /**
   * `session` means that the session's state changed, for example because a call opened tools. `turn` means
   * that another turn has started. `deploy` means that new code was deployed, which offers different tools.
   * `came` and `went` can then be empty.
   */
  readonly cause: 'session' | 'turn' | 'deploy';
  readonly came: readonly string[];
  readonly went: readonly string[];
  /**
   * Returns a copy of an offered tool's metadata. A discovered object's tool has `domainType` and
   * `instanceId`, and an MCP tool has its server. Empty if the tool is not offered.
   */
  metadata(name: string): Readonly<Record<string, Json>>;
  /**
   * Returns the origin of an offered tool. Returns `undefined` if the loop had it from the start, or if the
   * tool is not offered.
   */
  broughtBy(name: string): BroughtBy | undefined;
}

/**
 * The origin of a tool: an object that a call returned, with its domain type and id (if any), or the
 * unfolding tool that contained it.
 */
export type BroughtBy =
  | { readonly by: 'object'; readonly domainType: string; readonly instanceId?: string }
  | { readonly by: 'unfolding'; readonly tool: string };

/** A call as the model requested it. */
export interface CallSeen {
  /** Unique in the session. It stays the same if the call runs again. */
  readonly id: string;
  readonly name: string;
  /** The input as the model wrote it. */
  readonly input: string;
}

/** A call before it runs, or before it gets a result without running. */
export interface ToolCallSeen extends LoopPlace {
  readonly call: CallSeen;
  /** The metadata of the tool. Empty if the tool does not exist. */
  readonly metadata: Readonly<Record<string, Json>>;
  /**
   * Returns a copy of the tool's definition as the model saw it, or `undefined` if the tool does not exist.
   */
  definition(): ToolDefinition | undefined;
}

/** A call and its result. */
export interface ToolResultSeen extends ToolCallSeen {
  /** The result as the journal stores it, before any transformer. */
  readonly result: ResultData;
  /** The text that the model reads. */
  readonly text: string;
  /** Milliseconds of the whole call, including decorators and the wait for a slot. */
  readonly ms: number;
}

/** A completed iteration. */
export interface IterationSeen extends LoopPlace {
  /** The calls of its reply. Empty if the reply was the answer. */
  readonly calls: readonly CallSeen[];
}

/** The moments of a loop, with the data that inspectors receive. */
export interface LoopMoments {
  readonly beforeModelCall: ModelCallSeen;
  readonly afterModelCall: ReplySeen;
  /** Called instead of `afterModelCall` if the model failed. */
  readonly modelFailed: ModelFailureSeen;
  /** Called before the first request whose tools differ from the previous request's. */
  readonly toolsChanged: ToolsChangeSeen;
  /** Called again if a suspended or abandoned call restarts. */
  readonly beforeToolCall: ToolCallSeen;
  /** Called for every result, including those of failed, unknown and skipped tools. */
  readonly afterToolCall: ToolResultSeen;
  /** Called when every call of the reply has its result, whether the loop continues or ends. */
  readonly afterIteration: IterationSeen;
}

/**
 * Watches the loops of an agent without changing them. Each inspector receives its own copy of the data, and
 * the loop does not wait for it. Its errors are logged, and its return values are ignored. The inspectors of
 * a loop also watch its nested loops. After a killed invocation, an event can be missing or reported twice.
 */
export type LoopInspector = {
  readonly [Moment in keyof LoopMoments]?: ((seen: LoopMoments[Moment]) => unknown) | undefined;
};
