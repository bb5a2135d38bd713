import type { Outcome, SessionEvent, TurnError } from '../journal/events.ts';
import type { TurnMemories } from '../journal/memories.ts';
import { type FrameState, type SessionState, toFrameField } from '../journal/state.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import type { AgentSettings, ModelTimeout } from '../model/settings.ts';
import { CODE_PRINCIPAL, type TurnPrincipal } from '../tool/call.ts';
import type { WorkerEnv } from '../tool/env.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import type { AnyTool, InjectionStrategy, Instructions } from '../tool/tool.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Signal } from '../tool/tool-result.ts';
import type { AnswerForm } from './answer-form.ts';
import type { TurnStarts } from './call-starts.ts';
import type { Holder, Slots } from './holder.ts';
import type { LoopFiles } from './loop-files.ts';
import type { Modules } from './modules.ts';
import type { LoopLimits, LoopPolicies } from './policies.ts';

/** A loop: its declaration, its state, and the resources that it shares with the other loops of its turn. */
export interface Loop extends TurnScope {
  readonly spec: LoopSpec;
  /** Its part of the folded state, which grows as the loop runs. */
  readonly frame: FrameState;
}

/** Returns the ids that place an event in this loop. */
export const toLoopFields = ({ turn, frame }: Loop): { readonly turn: string; readonly frame?: string } => ({
  turn,
  ...toFrameField(frame.id),
});

/** Returns the current time by the holder's clock, but at least the turn's start, in ms since the epoch. */
export const getLoopTime = ({ holder, startedAt }: Pick<Loop, 'holder' | 'startedAt'>): number =>
  Math.max(holder.now(), startedAt);

/** Returns the principal that started the loop's turn. */
export const getPrincipal = ({ journal }: Pick<Loop, 'journal'>): TurnPrincipal =>
  journal.state.turn?.principal ?? CODE_PRINCIPAL;

/** A model whose replies come from a plan. No provider is asked, and the replies cost nothing. */
export interface PlannedModel extends ChatModel {
  readonly planned: true;
}

export const isPlanned = (model: ChatModel): boolean => 'planned' in model;

/** A module's use in a loop. */
export interface ScopedUse {
  readonly use: ModuleUse;
  /** The id of the loop that uses it. Empty for the turn's own loop. */
  readonly frame: string;
  /** `true` if the app itself uses it. */
  readonly isAppWide: boolean;
}

/** The declaration of a loop, from an agent or from the call that opens a nested loop. */
export interface LoopSpec {
  readonly instructions: Instructions;
  /** The form of its answer. Defaults to text. Nested loops have their own. */
  readonly output?: AnswerForm | undefined;
  readonly tools: readonly AnyTool[];
  /** The modules around its model calls and its calls, outermost first. */
  readonly uses: readonly ScopedUse[];
  /** All strategies that decide which tools this loop offers, in order. */
  readonly strategies: readonly InjectionStrategy[];
  readonly model: ChatModel;
  /** The media types of files that messages can contain, if the agent restricts them. */
  readonly accepts?: readonly string[] | undefined;
  /** Settings of its model calls, over the model's defaults. */
  readonly settings?: AgentSettings | undefined;
  /** The time limits of its model calls. */
  readonly modelTimeout: ModelTimeout;
  /** The maximum number of model calls before the model must give its best answer. */
  readonly iterations: number;
  /**
   * The number of the turn's tokens after which it no longer asks a model. Absent if a module limits them,
   * and for a plan.
   */
  readonly tokenCeiling?: number | undefined;
  readonly policies: LoopPolicies;
  /**
   * Values that its tools receive beside their input: its own, overridden by those of the loops around it.
   */
  readonly context: ToolCallContext;
  /** The number of loops around it. */
  readonly depth: number;
  /** For a planned loop: the model and limits that loops inside it use instead of its plan. */
  readonly aroundPlan?: Pick<LoopSpec, 'model' | 'iterations' | 'tokenCeiling'> | undefined;
}

/** The resources that all loops of a turn share during one invocation. */
export interface TurnScope {
  /** The session's id, as its owner knows it. Empty without a session. */
  readonly session: string;
  /** The name of the session's agent. Empty without a session. */
  readonly agent: string;
  readonly turn: string;
  /** When the turn started, by the clock of the machine that stored it, in ms since the epoch. */
  readonly startedAt: number;
  /** When an earlier invocation last started each call, by the same clock. Keyed by call id. */
  readonly startsBefore: ReadonlyMap<string, number>;
  /** The number of invocations that abandoned this turn, or fell silent, since its last reply. */
  readonly takeOvers: number;
  /** `true` if a session stores the emitted events. */
  readonly inSession: boolean;
  readonly journal: LoopJournal;
  readonly holder: Holder;
  readonly live: LiveEvents;
  readonly secrets: Secrets;
  /** The Worker's vars, secrets and bindings. Only tools receive them. */
  readonly env: WorkerEnv;
  /** Adds the turn's place in the app to each line, and redacts secrets. */
  readonly log: Log;
  /** Absent if no module keeps files. */
  readonly files?: LoopFiles | undefined;
  readonly slots: Slots;
  readonly locks: TurnLocks;
  /** The memories of tool kinds in the session, including facts of running calls. */
  readonly memories: TurnMemories;
  /** The turns that its calls start. Absent without a session. */
  readonly starts?: TurnStarts | undefined;
  /** Tools made from journaled data in this invocation, keyed by that data. */
  readonly madeTools: Map<string, readonly AnyTool[]>;
  /**
   * The modules of the app. Every loop has their strategies. In a nested loop, they come between its own
   * sources and strategies.
   */
  readonly modules: Pick<Modules, 'uses' | 'strategies'>;
  /** The agents of the app, for tools that delegate work. */
  readonly agents?: LoopAgents | undefined;
}

/** The locks between calls in one invocation of a turn. */
export interface TurnLocks {
  /**
   * Calls that do not block others: they had not begun when this invocation reached them, or it has finished
   * with them.
   */
  readonly passed: Set<string>;
  /** Absent until a call asks to run exclusively. */
  current?: { release(call: string): void };
}

/** How a loop ended. */
export interface LoopEnd {
  readonly outcome: Outcome;
  /** The limit that ended it, if any. */
  readonly limit?: ReachedLimit;
  readonly error?: TurnError;
  readonly signal?: Signal;
  /** Its answer as data, if it has the declared form. */
  readonly object?: Json;
}

export interface LoopJournal {
  /** The folded state, including the last emitted event. */
  readonly state: SessionState;
  /** Resolves after the next emit by any code. Check the state again then. */
  readonly changed: Promise<void>;
  /** Folds the events at once and stores them soon after, in order and together. */
  emit(...events: SessionEvent[]): void;
  /**
   * Resolves when all events emitted so far are stored.
   *
   * @throws InterruptionError if they never will be.
   */
  durable(): Promise<void>;
}

/** Live updates for clients that are not journaled. */
export interface LiveEvents {
  /**
   * The text of the turn's own reply that was shown but is not journaled. The loop empties it when it
   * journals a reply.
   */
  said?: string;
  /** Receives a piece of the reply `{iteration}.{attempt}`. If absent, the model need not stream now. */
  readonly text?: ((reply: string, piece: string, frame: string) => void) | undefined;
  /** Receives a piece of the model's reasoning, with the same arguments. */
  readonly reasoning?: ((reply: string, piece: string, frame: string) => void) | undefined;
  /** Voids the shown pieces of an earlier attempt at this reply. */
  restarted(reply: string, frame: string): void;
  progress(call: string, status: string): void;
}

/** The declaration of an agent that another loop runs in a frame. */
export interface LoopAgent extends Pick<LoopSpec, 'tools' | 'policies' | 'context'> {
  readonly name: string;
  readonly instructions: string;
  readonly uses?: readonly ModuleUse[] | undefined;
  /** `true` if it needs tool groups that only an app can provide. */
  readonly needsApp: boolean;
  readonly sources: readonly InjectionStrategy[];
  readonly strategies: readonly InjectionStrategy[];
  readonly limits: LoopLimits;
  readonly model?: ChatModel | undefined;
  readonly accepts?: readonly string[] | undefined;
  readonly settings?: AgentSettings | undefined;
  readonly output?: AnswerForm | undefined;
}

/** The agents of an app to which its loops can delegate. */
export interface LoopAgents {
  /** The names of all agents, sorted. */
  readonly names: readonly string[];
  /**
   * The model for agents without their own.
   *
   * @throws ConfigurationError if the settings name no model.
   */
  readonly model: ChatModel;
  /**
   * Makes a model from the environment. Absent without an environment.
   *
   * @throws ConfigurationError if the function fails.
   */
  modelOf?(make: ModelOfEnv): ChatModel;
  /**
   * Returns the agent of this name with its tool groups, or `undefined`.
   *
   * @throws ConfigurationError if the app lacks one of its tool groups.
   */
  find(name: string): LoopAgent | undefined;
  /** Returns this agent with its tool groups, like `find`. */
  resolve(agent: LoopAgent): LoopAgent;
}
