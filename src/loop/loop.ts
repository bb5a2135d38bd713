import type { Outcome, SessionEvent, TurnError } from '../journal/events.ts';
import type { TurnMemories } from '../journal/memories.ts';
import { type FrameState, inFrame, type SessionState } from '../journal/state.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import type { AgentSettings, ModelTimeout } from '../model/settings.ts';
import { CODE, type TurnPrincipal } from '../tool/call.ts';
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

/** One loop: what it is declared with, where it stands, and what it shares with the other loops of its turn. */
export interface Loop extends TurnScope {
  readonly spec: LoopSpec;
  /** Its part of the folded state, which grows as the loop goes on. */
  readonly frame: FrameState;
}

/** Answers where the events of a loop belong. */
export const inLoop = ({ turn, frame }: Loop): { readonly turn: string; readonly frame?: string } => ({
  turn,
  ...inFrame(frame.id),
});

/** The time now by the holder's clock, and never before the turn's start; ms since the epoch. */
export const timeIn = ({ holder, startedAt }: Pick<Loop, 'holder' | 'startedAt'>): number =>
  Math.max(holder.now(), startedAt);

/** Who asked for the turn of a loop. */
export const principalOf = ({ journal }: Pick<Loop, 'journal'>): TurnPrincipal =>
  journal.state.turn?.principal ?? CODE;

/** A model whose replies are a plan's: nobody is asked for them, and they cost nothing. */
export interface PlannedModel extends ChatModel {
  readonly planned: true;
}

/** True for a `PlannedModel`, whose replies cost nothing. */
export const isPlanned = (model: ChatModel): boolean => 'planned' in model;

/** A module as it is used for a loop. */
export interface ScopedUse {
  readonly use: ModuleUse;
  /** The id of the loop for which it is used; empty for the turn's own. */
  readonly frame: string;
  /** It is the app's own. */
  readonly isAppWide: boolean;
}

/** What a loop is declared with: by an agent, or by the call that opens a nested one. */
export interface LoopSpec {
  readonly instructions: Instructions;
  /** What its answer must be; words unless given. Loops inside it have their own. */
  readonly output?: AnswerForm | undefined;
  readonly tools: readonly AnyTool[];
  /** The modules around its model calls and its calls, the outermost first. */
  readonly uses: readonly ScopedUse[];
  /** All that decide what this loop offers, in order. */
  readonly strategies: readonly InjectionStrategy[];
  readonly model: ChatModel;
  /** Media types of files that the messages of its agent may hold, where the agent says so. */
  readonly accepts?: readonly string[] | undefined;
  /** How its replies are made, over the model's defaults. */
  readonly settings?: AgentSettings | undefined;
  /** How long its model calls may take. */
  readonly modelTimeout: ModelTimeout;
  /** Model calls that it may make before it is asked for the best answer. */
  readonly iterations: number;
  /** Tokens of the turn after which no model is asked; absent where a module bounds them, and of a plan. */
  readonly tokenCeiling?: number | undefined;
  readonly policies: LoopPolicies;
  /** Values beside the schemas of its tools: what it declares, under what the loops around it have. */
  readonly context: ToolCallContext;
  /** How many loops are around it. */
  readonly depth: number;
  /** A planned loop asks no model. Loops inside it are run with these instead of its plan. */
  readonly aroundPlan?: Pick<LoopSpec, 'model' | 'iterations' | 'tokenCeiling'> | undefined;
}

/** What all loops of a turn share while one invocation runs them. */
export interface TurnScope {
  /** The session's id, as its owner calls it; empty where there is none. */
  readonly session: string;
  /** The name of the session's agent; empty where there is none. */
  readonly agent: string;
  readonly turn: string;
  /** When the turn started, by the clock of whoever stored it; ms since the epoch. */
  readonly startedAt: number;
  /** When an earlier invocation last started each call, by the same clock. The keys are the ids of the calls. */
  readonly startsBefore: ReadonlyMap<string, number>;
  /** Invocations that gave this turn up, or died, since its last reply. */
  readonly takeOvers: number;
  /** Whether a session keeps what is emitted. */
  readonly inSession: boolean;
  readonly journal: LoopJournal;
  readonly holder: Holder;
  readonly live: LiveEvents;
  readonly secrets: Secrets;
  /** The Worker's vars, secrets and bindings. Only tools are given them. */
  readonly env: WorkerEnv;
  /** It knows where in the app the turn is, and hides the secrets. */
  readonly log: Log;
  /** Absent: no module keeps files. */
  readonly files?: LoopFiles | undefined;
  readonly slots: Slots;
  readonly locks: TurnLocks;
  /** What kinds of tools remember, of the session and of calls that run. */
  readonly memories: TurnMemories;
  /** What its calls start; absent where no session keeps turns. */
  readonly starts?: TurnStarts | undefined;
  /** Tools that code has made from journaled data in this invocation, by what they were made of. */
  readonly made: Map<string, readonly AnyTool[]>;
  /** Of the app. Every loop has their strategies: a nested one between its own sources and strategies. */
  readonly modules: Pick<Modules, 'uses' | 'strategies'>;
  /** Those of the app, for tools that hand work to another. */
  readonly agents?: LoopAgents | undefined;
}

/** Which calls wait for others in one invocation of a turn. */
export interface TurnLocks {
  /** Calls that had not begun when this invocation came to them, or that it is done with: no call waits for what they did before. */
  readonly passed: Set<string>;
  /** Absent until a call asks to run exclusively. */
  current?: { release(call: string): void };
}

/** How a loop stopped. */
export interface LoopEnd {
  readonly outcome: Outcome;
  /** The limit that it reached, if one ended it. */
  readonly limit?: ReachedLimit;
  readonly error?: TurnError;
  readonly signal?: Signal;
  /** Its answer as data, when it has the declared form. */
  readonly object?: Json;
}

/** The journal as a loop writes it. */
export interface LoopJournal {
  /** Folded up to the last event emitted. */
  readonly state: SessionState;
  /** Resolves when more has been emitted, by whomever: whoever waits for something in the state looks again. */
  readonly changed: Promise<void>;
  /** Folds the events at once and stores them soon, in order and together. */
  emit(...events: SessionEvent[]): void;
  /** Resolves when everything emitted so far is stored. @throws Interrupted when it never will be. */
  durable(): Promise<void>;
}

/** What a client may watch that is not journaled. */
export interface LiveEvents {
  /** The text of the turn's own reply that was shown and is not journaled. The loop empties it when it journals a reply. */
  said?: string;
  /** A piece of the reply `{iteration}.{attempt}`. Absent: the model need not stream now. */
  readonly text?: ((reply: string, piece: string, frame: string) => void) | undefined;
  /** A piece of what the model thinks, told in the same way. */
  readonly reasoning?: ((reply: string, piece: string, frame: string) => void) | undefined;
  /** What was shown of an earlier attempt at this reply is void. */
  restarted(reply: string, frame: string): void;
  progress(call: string, status: string): void;
}

/** An agent as another loop runs it, in a frame: what it declares. */
export interface LoopAgent extends Pick<LoopSpec, 'tools' | 'policies' | 'context'> {
  readonly name: string;
  readonly instructions: string;
  /** The modules that it uses. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** It lacks something that only an app can give it. */
  readonly needsApp: boolean;
  readonly sources: readonly InjectionStrategy[];
  readonly strategies: readonly InjectionStrategy[];
  readonly limits: LoopLimits;
  readonly model?: ChatModel | undefined;
  readonly accepts?: readonly string[] | undefined;
  readonly settings?: AgentSettings | undefined;
  readonly output?: AnswerForm | undefined;
}

/** The agents of an app, as its loops hand work to them. */
export interface LoopAgents {
  /** The names of all agents, sorted. */
  readonly names: readonly string[];
  /** For agents without one of their own. @throws ConfigurationError when the settings name none. */
  readonly model: ChatModel;
  /** The model that a function makes of the environment; absent where there is none. @throws ConfigurationError when it fails. */
  modelOf?(make: ModelOfEnv): ChatModel;
  /** With its tool groups; `undefined` when there is none of this name. @throws ConfigurationError when it lacks a group. */
  find(name: string): LoopAgent | undefined;
  /** The same for an agent whose definition is at hand. */
  resolve(agent: LoopAgent): LoopAgent;
}
