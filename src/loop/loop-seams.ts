import { type EventOf, ROOT, type SessionEvent } from '../journal/events.ts';
import type { CallRecord, TurnState } from '../journal/state.ts';
import type { CacheMarks, ChatModel, ModelError, ModelRequest, ToolDefinition } from '../model/chat-model.ts';
import type { CallContext, HistoryMessage, Reconciliation, ToolEffect, TurnPrincipal } from '../tool/call.ts';
import type { Limits, ReachedLimit } from '../tool/frame.ts';
import type { Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, CallRun } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { AskSeam } from './ask-reply.ts';
import { isPlanned, type Loop, type LoopAgent, type ScopedUse } from './loop.ts';

/** What a module brings to the loops in whose scope it is used. */
export interface LoopSeam {
  /**
   * Returns what the turn's own loop is told to do, and what its answer must be, as the context of the turn says. Called by every invocation
   * that continues the turn: it must be pure, and must not throw.
   */
  declare?(declared: Declared, turn: Pick<TurnState, 'context'>): Declared;
  /**
   * Called before tools are offered for a model call, but not for the last one at a limit. It may ask others, and journals what it did
   * (`loop.journal.emit`): after a crash it is called again, so that it decides from the folded state.
   *
   * @throws Interrupted when this invocation may not go on.
   */
  prepare?(loop: Loop): Promise<void>;
  /**
   * Wraps a call whose tool is offered: it returns a result itself, or the result of `next`. It runs again in every invocation that
   * continues the call, and after every answer from outside. It may take 30 seconds, without `next`, and must rethrow `Interrupted`.
   */
  call?(call: CallRun, next: () => Promise<ToolResult>, place: CallPlace): Promise<ToolResult>;
  /**
   * Wraps `run` of a call's tool, once the start of the call is durable: it returns what `run` may return, itself or by `next`,
   * which takes what the tool gets in place of members of its call. It counts
   * against the tool's timeout, and runs again where `run` does. What it throws, the tool has thrown; it must rethrow what it does not know.
   */
  run?(call: CallRun, next: (change?: Partial<CallContext>) => unknown, effect: ToolEffect): unknown;
  /** Wraps `reconcile` of a tool that has one. A module whose `run` leaves out `next` must know what became of its own work. */
  reconcile?(
    call: CallRun,
    next: () => Reconciliation | Promise<Reconciliation>,
  ): Reconciliation | Promise<Reconciliation>;
  /**
   * A step of the seam `request`: changes what is shown of a conversation, before it is written out for the model. Pure: it runs many times
   * for a model call, and for `call.history()`. It must keep the ids of calls.
   */
  history?(shown: readonly HistoryMessage[], scope: HistoryScope): readonly HistoryMessage[];
  /**
   * The last step of the seam `request`: returns what of a request its provider is asked to keep, in place of `auto`; `undefined` for
   * nothing. The last use in scope is asked, and only for a model that `caches`. It must not throw.
   */
  marks?(request: ModelRequest, given: GivenMarks, loop: Loop): CacheMarks | undefined;
  /** Called with what happens in a loop, which it may only read. It must not throw, and is not waited for. */
  watch?(loop: Loop, moment: LoopMoment): void;
  /** Wraps the model calls. Made by `askLayer`. */
  readonly ask?: AskSeam | undefined;
  /** It keeps the conversation short, so that the log need not say when it is long. */
  readonly shortens?: boolean | undefined;
  /** It bounds tokens, in the place of the number that bounds a turn by default. */
  readonly boundsTokens?: boolean | undefined;
  /** Returns why it cannot be used for loops of this model, to follow the name of an agent; `undefined` if it can. */
  readonly refuses?: ((model: ChatModel) => string | undefined) | undefined;
  /** Returns how far the limits that it sets are used up, for tools that report the budget. `frame`: the loop that they bound. */
  limits?(loop: Loop, frame: string): readonly LimitUse[];
}

/** What a loop is told to do, and what its answer must be. */
export type Declared = Pick<LoopAgent, 'instructions' | 'output'>;

/** What a step of the phase `history` is given, and for whom. */
export interface HistoryScope {
  /**
   * `conversation`: all messages, for a model or a tool. `all-words`: the same, in which results may not be shortened. `answer`: the last
   * reply, as the user is answered it. `result`: one reply with the result of one call, as a model would be shown it.
   */
  readonly of: 'conversation' | 'all-words' | 'answer' | 'result';
  /** Who asked for the turn. */
  readonly principal: TurnPrincipal;
  readonly log: Log;
}

/** What a step of the phase `marks` is given beside the request. */
export interface GivenMarks {
  /** The same for all requests of a loop in its session, and made of no name that anybody could read. */
  readonly key: string;
  /** What holds if no module says otherwise. */
  readonly auto: CacheMarks;
}

/** Returns why one of the modules cannot be used for loops of this model, to follow the name of an agent. */
export function refusedModel(uses: readonly ModuleUse[], model: ChatModel): string | undefined {
  for (const use of uses) {
    const problem = isPlanned(model) ? undefined : LOOPS.of(use)?.refuses?.(model);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns after how many tokens a turn asks no model any more, though nothing is held back for them; `undefined` for any number: its agent
 * says so, or a module of the turn bounds them.
 */
export function tokenCeiling(
  { tokens }: Pick<Limits, 'tokens'>,
  uses: readonly ScopedUse[] = [],
): number | undefined {
  if (tokens !== undefined) return tokens === 'unlimited' ? undefined : tokens;
  for (const { use } of uses) if (LOOPS.of(use)?.boundsTokens) return undefined;
  return MOST_TOKENS;
}

/** Where neither the agent of a turn nor a module bounds its tokens. */
const MOST_TOKENS = 1_000_000;

/** Where a use stands around a call. */
export interface CallPlace {
  /** The id of the loop for which it is used; empty for the turn's own. */
  readonly frame: string;
  /** Notes that the call was beyond a limit. */
  reached(limit: ReachedLimit): void;
}

/** A limit that a module sets, and how much of it is used up. */
export interface LimitUse extends ReachedLimit {
  readonly used: number;
}

/** The seams `prepare`, `request`, `call`, `run` and `ask`. */
export const LOOPS = defineSeam<LoopSeam>();

/** The uses of a turn's own loop: those of the app, then those of its agent. */
export const usesOfTurn = (
  appWide: readonly ModuleUse[],
  ofAgent: readonly ModuleUse[],
): readonly ScopedUse[] => [
  ...scoped(ROOT, appWide, true),
  ...scoped(
    ROOT,
    ofAgent.filter((use) => !appWide.includes(use)),
  ),
];

/** The uses of a loop inside another: those around it that hold there too, then its own. */
export function usesInside(
  around: readonly ScopedUse[],
  frame: string,
  own: readonly ModuleUse[] = [],
): readonly ScopedUse[] {
  const kept = around.filter(({ use, isAppWide }) => isAppWide || use.module.nested);
  return [...kept, ...scoped(frame, own).filter(({ use }) => !kept.some((one) => one.use === use))];
}

/** As far as they bring anything to a loop. */
const scoped = (frame: string, uses: readonly ModuleUse[], isAppWide = false): readonly ScopedUse[] =>
  uses.filter((use) => LOOPS.of(use)).map((use) => ({ use, frame, isAppWide }));

/** Has every module prepare the next model call. @throws what they do. */
export async function prepareAll(loop: Loop): Promise<void> {
  for (const { use } of loop.spec.uses) await LOOPS.of(use)?.prepare?.(loop);
}

/** Shows a moment of a loop to the modules that watch it. A loop without modules need not call it. */
export function watched(loop: Loop, moment: LoopMoment): void {
  for (const { use } of loop.spec.uses) LOOPS.of(use)?.watch?.(loop, moment);
}

/** Returns a layer around the model calls of a loop, by which all of them are found; `undefined` if there are none. */
export function askSeamOf({ spec: { uses, model } }: Pick<Loop, 'spec'>): AskSeam | undefined {
  for (const { use } of uses) {
    const seam = LOOPS.of(use)?.ask;
    if (seam && !isPlanned(model)) return seam;
  }
  return undefined;
}

/** Runs a call through the modules that wrap it, the outermost first. */
export function throughModules(
  uses: readonly ScopedUse[],
  call: CallRun,
  { next, reached }: { next(): Promise<ToolResult>; reached(limit: ReachedLimit): void },
): Promise<ToolResult> {
  const chain = uses.reduceRight((inner, { use, frame }) => {
    const seam = LOOPS.of(use);
    const around = seam?.call?.bind(seam);
    return around ? () => around(call, inner, { frame, reached }) : inner;
  }, next);
  return chain();
}

/** Runs the effect of a call through the modules that wrap it, the outermost first. */
export function runInModules(uses: readonly ScopedUse[], { run, context, effect }: RunningEffect): unknown {
  const chain = uses.reduceRight<(call: CallContext) => unknown>(
    (inner, { use }) => {
      const seam = LOOPS.of(use);
      const around = seam?.run?.bind(seam);
      if (!around) return inner;
      return (given) => around({ ...run, ...given }, (change) => inner({ ...given, ...change }), effect);
    },
    (given) => effect.run(given),
  );
  return chain(context);
}

/** Asks the tool of a call what became of it, through the modules that wrap its effect. The tool has a `reconcile`. */
export function reconcileInModules(
  uses: readonly ScopedUse[],
  { run, context, effect }: RunningEffect,
): Reconciliation | Promise<Reconciliation> {
  const call = { ...run, ...context };
  const ask = (): Reconciliation | Promise<Reconciliation> =>
    effect.reconcile ? effect.reconcile(context) : 'unknown';
  return uses.reduceRight((inner, { use }) => {
    const seam = LOOPS.of(use);
    const around = seam?.reconcile?.bind(seam);
    return around ? () => around(call, inner) : inner;
  }, ask)();
}

/** The effect of a call that runs, and what its code is given. */
interface RunningEffect {
  readonly run: CallRun;
  readonly effect: ToolEffect;
  readonly context: CallContext;
}

/**
 * What happens in a loop, as the seam `watch` receives it: the loop's own data, to be read and not to be changed. `ms`: how long it
 * took, with the attempts and waits between.
 */
export type LoopMoment =
  | { readonly at: 'tools-changed'; readonly change: EventOf<'tools-changed'>; readonly offer: WatchedOffer }
  | { readonly at: 'ask'; readonly request: ModelRequest }
  | { readonly at: 'reply'; readonly reply: ModelReplied; readonly ms: number }
  | { readonly at: 'no-reply'; readonly failure: ModelError; readonly ms: number }
  | { readonly at: 'call'; readonly record: CallRecord; readonly offer: WatchedOffer }
  | {
      readonly at: 'result';
      readonly record: CallRecord;
      readonly offer: WatchedOffer;
      readonly result: ToolResult;
      readonly ms: number;
    }
  /** A step of the loop is over. Calls of its reply may be open. */
  | { readonly at: 'step' };

/** The tools that a loop offers, by their names and as the model is shown them. */
export interface WatchedOffer {
  readonly byName: ReadonlyMap<string, AnyTool>;
  readonly definitions: readonly ToolDefinition[];
}

type ModelReplied = Extract<SessionEvent, { type: 'model-replied' }>;
