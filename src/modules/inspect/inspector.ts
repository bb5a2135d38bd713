import type { ModelFailure, ModelMessage, ToolDefinition } from '../../model/chat-model.ts';
import type { Usage } from '../../model/prices.ts';
import type { TurnPrincipal } from '../../tool/call.ts';
import type { Json } from '../../tool/json.ts';
import type { ResultData } from '../../tool/tool-result.ts';

/** Where in a turn something was seen. */
export interface LoopPlace {
  /** The session's id, as its owner calls it; empty where a loop runs without one. */
  readonly session: string;
  readonly turn: string;
  /** The id of the call that opened the nested loop; empty for the turn's own. */
  readonly frame: string;
  /** The names of the agent and of the frames around, joined by `/`. */
  readonly path: string;
  /** The model call of this loop, from 1; of a tool call, the one that asked for it. */
  readonly iteration: number;
  /** Who asked for the turn: nothing that a client writes into a message can change it. */
  readonly principal: TurnPrincipal;
}

/** What a model is about to be asked. */
export interface ModelCallSeen extends LoopPlace {
  /** As they are sent: transformed, and one system message first. */
  readonly messages: readonly ModelMessage[];
  /** The names of the tools that it is offered, sorted. */
  readonly tools: readonly string[];
  /**
   * How often sources outside, such as MCP servers, were asked before requests of this turn so far, by whichever loop, and told
   * their tools. What an unfolding tool asks when it is opened does not count.
   */
  readonly sourcesAsked: number;
  /** Characters of the messages over 4: a rough guess, made when asked for. */
  tokenEstimate(): number;
}

/** What a model answered. */
export interface ReplySeen extends LoopPlace {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly CallSeen[];
  readonly finish: string;
  readonly usage?: Usage | undefined;
  /** Milliseconds from the request to the reply, the wait for a slot and a second attempt included. */
  readonly ms: number;
}

/** A model call that came to no reply: the loop ends, unless the model is asked once more for less. */
export interface ModelFailureSeen extends LoopPlace {
  readonly model: string;
  /** Such as `rate-limited`. */
  readonly failure: ModelFailure;
  /** The HTTP status of the server's answer, where there was one. */
  readonly status?: number | undefined;
  /** As clients are told it. */
  readonly message: string;
  /** Milliseconds from the request to the failure, with the attempts and waits between. */
  readonly ms: number;
}

/** Which tools came and went between two requests; one that was replaced by another of its name did both. */
export interface ToolsChangeSeen extends LoopPlace {
  /**
   * `session`: what the session knows since, such as what calls have opened; `turn`: another turn has begun; `deploy`: this code
   * offers others than the one that asked last, of which `came` and `went` may say nothing.
   */
  readonly cause: 'session' | 'turn' | 'deploy';
  readonly came: readonly string[];
  readonly went: readonly string[];
  /**
   * What a tool that is offered now says of itself, copied when asked for: one of a discovered object its `domainType` and
   * `instanceId`, one of an MCP server that server. Empty when there is none of this name.
   */
  metadata(name: string): Readonly<Record<string, Json>>;
  /** What brought a tool that is offered now; `undefined` if the loop had it from the start, or there is none of this name. */
  broughtBy(name: string): BroughtBy | undefined;
}

/**
 * What brought a tool: an object that a call returned, by the name of its domain type and by its id, if its type has ids; or the unfolding tool that
 * it was behind.
 */
export type BroughtBy =
  | { readonly by: 'object'; readonly domainType: string; readonly instanceId?: string }
  | { readonly by: 'unfolding'; readonly tool: string };

/** One call as the model asked for it. */
export interface CallSeen {
  /** Unique in the session, and the same when the call is run again. */
  readonly id: string;
  readonly name: string;
  /** The model's own text. */
  readonly input: string;
}

/** A call that is about to be run, or answered without running. */
export interface ToolCallSeen extends LoopPlace {
  readonly call: CallSeen;
  /** Of the tool; empty when there is none of this name. */
  readonly metadata: Readonly<Record<string, Json>>;
  /** What the model was told of the tool, copied when asked for; `undefined` when there is none of this name. */
  definition(): ToolDefinition | undefined;
}

/** A call and its result. */
export interface ToolResultSeen extends ToolCallSeen {
  /** As the journal keeps it: no transformer has touched it. */
  readonly result: ResultData;
  /** What it says to the model. */
  readonly text: string;
  /** Milliseconds of the whole call, decorators and the wait for a slot included. */
  readonly ms: number;
}

/** An iteration that is over. */
export interface IterationSeen extends LoopPlace {
  /** The calls of its reply; none when the reply was the answer. */
  readonly calls: readonly CallSeen[];
}

/** The moments of a loop that can be watched, and what is told of each. */
export interface LoopMoments {
  readonly beforeModelCall: ModelCallSeen;
  readonly afterModelCall: ReplySeen;
  /** Told in the place of `afterModelCall` when the model failed. */
  readonly modelFailed: ModelFailureSeen;
  /** Told before the first request with other tools than the one before it. */
  readonly toolsChanged: ToolsChangeSeen;
  /** Told again when a call that was suspended or left behind begins anew. */
  readonly beforeToolCall: ToolCallSeen;
  /** Told of every result: of tools that failed, that do not exist, and that were skipped, too. */
  readonly afterToolCall: ToolResultSeen;
  /** Told when every call of the reply has its result, however the loop goes on or ends. */
  readonly afterIteration: IterationSeen;
}

/**
 * Watches the loops of an agent and changes nothing. Every inspector is given a copy of its own and is not waited for;
 * what it throws is logged, what it answers is not looked at. Nested loops are watched by the inspectors of the loop around
 * them. What happened in an invocation that was killed may be told of not at all, or twice.
 */
export type LoopInspector = {
  readonly [Moment in keyof LoopMoments]?: ((seen: LoopMoments[Moment]) => unknown) | undefined;
};
