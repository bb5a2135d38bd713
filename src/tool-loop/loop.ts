import type { BudgetLimit, SessionEvent } from '../journal/events.ts';
import type { FrameState, SessionState } from '../journal/state.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { Instructions } from '../tools/frame.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import type { CallLimit, Limits } from '../tools/limits.ts';
import type { Secrets } from '../tools/secrets.ts';
import type { AnyTool, Leaf } from '../tools/tool.ts';
import type { ToolCallContext } from '../tools/tool-call-context.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Budget } from './budget.ts';
import type { CallLocks } from './call-locks.ts';
import type { LoopInspector } from './inspector.ts';
import type { LiveMemories } from './live-memories.ts';
import type { LoopAgents } from './loop-agent.ts';
import type { LoopEnd } from './next-step.ts';
import type { LoopPolicies } from './policies.ts';
import type { Reservations } from './reserve.ts';
import type { ScheduleRoom } from './schedule-room.ts';
import type { Slots } from './slots.ts';
import type { LoopTransformer } from './transformer.ts';

/** The journal as a loop writes it. */
export interface LoopJournal {
  /** Folded up to the last event emitted. */
  readonly state: SessionState;
  /** The sequence that the next event gets. */
  readonly nextSeq: number;
  /** Folds the events at once and stores them soon, in order and together. */
  emit(...events: SessionEvent[]): void;
  /** Resolves when everything emitted so far is stored. @throws Interrupted when it never will be. */
  durable(): Promise<void>;
}

/** What a client may watch that is not journaled. */
export interface LiveEvents {
  /** A piece of the reply `{iteration}.{attempt}`. Absent: nobody watches, and the model need not stream. */
  readonly text?: ((reply: string, piece: string, frame: string) => void) | undefined;
  /** What was shown of an earlier attempt at this reply is void. */
  restarted(reply: string, frame: string): void;
  progress(call: string, status: string): void;
}

/** Everything one loop needs; a nested loop has its own instructions, tools and bounds, and shares the rest. */
export interface Loop {
  readonly turn: string;
  /** When the turn started, by the clock of whoever stored it; ms since the epoch. */
  readonly startedAt: number;
  readonly frame: string;
  readonly instructions: Instructions;
  /** How many loops are around it. */
  readonly depth: number;
  /** What its answer must be; words unless given. Loops inside it have their own. */
  readonly output?: AnswerForm | undefined;
  readonly tools: readonly AnyTool[];
  /** Model calls that it may make before it is asked for the best answer. */
  readonly iterations: number;
  /** On the calls of the loops around it, outermost first, and on its own. */
  readonly callLimits: readonly CallLimits[];
  /** What models may use in it: its own limits and those of every loop around. */
  readonly budgets: readonly Budget[];
  /** Of the invocation. */
  readonly reservations: Reservations;
  readonly model: ChatModel;
  /** Those of every loop: a nested one has them between its own sources and strategies. */
  readonly kinds: readonly InjectionStrategy[];
  /** All that decide what this loop offers, in order. */
  readonly strategies: readonly InjectionStrategy[];
  /** Tools that code has made from journaled data in this invocation, by what they were made of. */
  readonly made: Map<string, readonly AnyTool[]>;
  readonly policies: LoopPolicies;
  readonly inspectors: readonly LoopInspector[];
  readonly transformers: readonly LoopTransformer[];
  readonly context: ToolCallContext;
  readonly secrets: Secrets;
  /** Whether a session keeps what is emitted. */
  readonly inSession: boolean;
  readonly journal: LoopJournal;
  readonly live: LiveEvents;
  readonly slots: Slots;
  /** Of the invocation. */
  readonly locks: CallLocks;
  /** What kinds of tools remember, of the session and of calls that run. */
  readonly memories: LiveMemories;
  /** Of the invocation; absent where nothing can be scheduled. */
  readonly scheduleRoom?: ScheduleRoom | undefined;
  readonly invocation: Invocation;
  /** Those of the app, for tools that hand work to another. */
  readonly agents?: LoopAgents | undefined;
  /** What is run in place of a tool's effect; nested loops share it. */
  readonly leaf?: ((leaf: Leaf) => Leaf) | undefined;
  /** Of a planned frame: what loops inside it are run with instead of its plan. */
  readonly aroundPlan?: Pick<Loop, 'model' | 'iterations'> | undefined;
  /** Runs a nested loop; the same function that runs this one. */
  readonly run: (loop: Loop, frame: FrameState) => Promise<LoopEnd>;
}

/** The invocation that runs the loop: whether it may act, and until when. */
export interface Invocation {
  /** Aborts with an `Interrupted` as its reason: the turn is cancelled, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts as `signal` does, and when the wait for a reply is left to another invocation. */
  readonly modelSignal: AbortSignal;
  /** @throws Interrupted when this invocation is to start nothing more. Checks its own deadline by the clock. */
  checkpoint(): void;
  /**
   * As `checkpoint`, before a piece of work that takes so many requests to others, and so long at the most: they are
   * counted, or the work is left to another invocation when too little is left for it.
   *
   * @throws ToolConfigurationError when no invocation would have enough.
   */
  claim(needs: Needs): void;
  /** Counts requests of work that has begun, and could not be foreseen. */
  count(subrequests: number): void;
  /** As `checkpoint`, but only for the lease: the last look before a tool that is already journaled as started runs. */
  assertHeld(): void;
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  now(): number;
  /** Resolves when the former holder can no longer be acting; only then may it be asked what it did. */
  formerHolderGone(): Promise<void>;
  /** Hex SHA-256 over the session's name and incarnation and the call's id. */
  idempotencyKey(call: string): Promise<string>;
  /**
   * Journals the messages that were left for the turn, when this is its own loop: they are then the newest of its
   * conversation. Answers whether there were any.
   */
  takeSteers(frame: string): boolean;
  /** Has the result journaled that a call still gives which was ended as unknown; `undefined` when it gives none. */
  late(call: LateCall, answer: Promise<ToolResult | undefined>): void;
  /** Runs when this invocation's part of the turn is over, on every path, and is not waited for long. Must not throw. */
  atEnd(work: () => Promise<unknown>): void;
}

/** What a piece of work takes at the most, once it has begun. */
export interface Needs {
  /** Requests to models, services and objects. */
  readonly subrequests: number;
  readonly ms: number;
}

/** A call that was ended before it answered. */
export interface LateCall {
  readonly call: string;
  readonly tool: string;
  /** As the model wrote it, shortened: so the model knows its call again. */
  readonly input: string;
}

/** The bounds of a loop. Those on tokens and cost are only those that it declares: what is around it has its own. */
export interface LoopLimits extends Pick<Limits, BudgetLimit> {
  readonly iterations: number;
  readonly toolCalls: CallLimit;
  readonly callsPerTool: CallLimit | Readonly<Record<string, CallLimit>>;
}

/** Bounds on the tool calls of one loop and of what nests in it. */
export interface CallLimits extends Pick<Limits, 'toolCalls' | 'callsPerTool'> {
  /** The loop's. */
  readonly frame: string;
}

/** Those around, and the limits that a frame declares: what nests in a loop is bound by both. */
export const withCallLimits = (
  around: readonly CallLimits[],
  frame: string,
  { toolCalls, callsPerTool }: Pick<Limits, 'toolCalls' | 'callsPerTool'> = {},
): readonly CallLimits[] =>
  toolCalls === undefined && callsPerTool === undefined
    ? around
    : [...around, { frame, toolCalls, callsPerTool }];

/** Generous enough for honest work, small enough to stop a runaway (AEL-10, SPM-13). */
export const DEFAULT_LIMITS: LoopLimits = { iterations: 20, toolCalls: 150, callsPerTool: 40 };

/** The declared limits over those around them; on tokens and cost, the declared ones alone. */
export const withLimits = (limits: Limits | undefined, around: LoopLimits): LoopLimits => ({
  iterations: limits?.iterations ?? around.iterations,
  toolCalls: limits?.toolCalls ?? around.toolCalls,
  callsPerTool: perTool(limits?.callsPerTool, lifted(limits?.toolCalls, around.callsPerTool)),
  ...(limits?.tokens !== undefined && { tokens: limits.tokens }),
  ...(limits?.cost !== undefined && { cost: limits.cost }),
});

type PerTool = LoopLimits['callsPerTool'];

/** Whoever declares more calls in all than any one tool has by default, means them for any one tool too. */
const lifted = (toolCalls: CallLimit = 0, around: PerTool): PerTool =>
  toolCalls === 'unlimited' || toolCalls > Number(around) ? toolCalls : around;

/** What is declared of some tools leaves the others as they were. */
function perTool(declared: PerTool | undefined, around: PerTool): PerTool {
  if (typeof declared !== 'object') return declared ?? around;
  return { ...(typeof around === 'object' ? around : { '*': around }), ...declared };
}
