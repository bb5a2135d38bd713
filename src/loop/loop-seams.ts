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

/** The hooks of a module in the loops that use it. */
export interface LoopSeam {
  /**
   * Returns the instructions and the output form of the turn's own loop, based on the turn's context. Every
   * invocation that resumes the turn calls it, so it must be pure and must not throw.
   */
  declare?(declared: LoopDeclaration, turn: Pick<TurnState, 'context'>): LoopDeclaration;
  /**
   * Called before tools are offered for a model call, except for the last call at a limit. It can make
   * requests, and journals its results with `loop.journal.emit`. After a crash it is called again, so it must
   * decide from the folded state.
   *
   * @throws InterruptionError if this invocation must not continue.
   */
  prepare?(loop: Loop): Promise<void>;
  /**
   * Wraps a call whose tool is offered. Returns its own result or that of `next`. It runs again in every
   * invocation that resumes the call, and after every answer from outside. It can take 30 seconds, not
   * counting `next`, and must rethrow `InterruptionError`.
   */
  call?(call: CallRun, next: () => Promise<ToolResult>, place: CallPlace): Promise<ToolResult>;
  /**
   * Wraps `run` of a call's tool, once the start of the call is durable. Returns the value of `next` or
   * another value that `run` could return. `next` accepts replacements for members of the call's context. The
   * time counts against the tool's timeout, and it runs again whenever `run` does. An error that it throws
   * counts as thrown by the tool. It must rethrow unknown errors.
   */
  run?(call: CallRun, next: (change?: Partial<CallContext>) => unknown, effect: ToolEffect): unknown;
  /**
   * Wraps `reconcile` of a tool that has one. A module whose `run` skips `next` must itself know whether its
   * work was done.
   */
  reconcile?(
    call: CallRun,
    next: () => Reconciliation | Promise<Reconciliation>,
  ): Reconciliation | Promise<Reconciliation>;
  /**
   * A step of the seam `request`: changes the conversation that the model is shown. It must be pure, since it
   * runs many times per model call and for `call.history()`. It must keep the ids of calls.
   */
  history?(shown: readonly HistoryMessage[], scope: HistoryScope): readonly HistoryMessage[];
  /**
   * The last step of the seam `request`: returns the cache marks of a request in place of `auto`, or
   * `undefined` for no caching. Only the last use in scope is asked, and only for a model that `caches`. It
   * must not throw.
   */
  marks?(request: ModelRequest, given: MarksInput, loop: Loop): CacheMarks | undefined;
  /**
   * Observes the moments of a loop. It must not change them and must not throw. Its promise is not awaited.
   */
  watch?(loop: Loop, moment: LoopMoment): void;
  /** Wraps the model calls. Create it with `askLayer`. */
  readonly ask?: AskSeam | undefined;
  /** `true` if the module keeps the conversation short. The log then does not warn about long ones. */
  readonly shortens?: boolean | undefined;
  /** `true` if the module limits tokens. Its limit then replaces the default one of a turn. */
  readonly boundsTokens?: boolean | undefined;
  /**
   * Returns why the module cannot be used with this model, or `undefined` if it can. The text follows the
   * name of an agent.
   */
  readonly refuses?: ((model: ChatModel) => string | undefined) | undefined;
  /**
   * Returns the usage of the limits that the module sets, for tools that report the budget. `frame`: the loop
   * that they limit.
   */
  limits?(loop: Loop, frame: string): readonly LimitUse[];
}

/** The instructions of a loop, and the form of its answer. */
export type LoopDeclaration = Pick<LoopAgent, 'instructions' | 'output'>;

/** The purpose of a step of the phase `history`. */
export interface HistoryScope {
  /**
   * The part to show. `conversation`: all messages, for a model or a tool. `all-words`: the same, but results
   * must not be shortened. `answer`: the last reply, as the user sees it. `result`: one reply with the result
   * of one call, as a model would see it.
   */
  readonly of: 'conversation' | 'all-words' | 'answer' | 'result';
  /** The principal that started the turn. */
  readonly principal: TurnPrincipal;
  readonly log: Log;
}

/** The input of a step of the phase `marks`, in addition to the request. */
export interface MarksInput {
  /** A cache key that is the same for all requests of a loop in its session. It reveals no names. */
  readonly key: string;
  /** The default marks. */
  readonly auto: CacheMarks;
}

/**
 * Returns why one of the modules cannot be used with this model, or `undefined`. The text follows the name of
 * an agent.
 */
export function findModelProblem(uses: readonly ModuleUse[], model: ChatModel): string | undefined {
  for (const use of uses) {
    const problem = isPlanned(model) ? undefined : LOOPS.of(use)?.refuses?.(model);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns the number of tokens after which a turn no longer asks a model. Tokens are not reserved in advance.
 * Returns `undefined` if the agent declares `unlimited`, or if a module of the turn limits tokens.
 */
export function computeTokenCeiling(
  { tokens }: Pick<Limits, 'tokens'>,
  uses: readonly ScopedUse[] = [],
): number | undefined {
  if (tokens !== undefined) return tokens === 'unlimited' ? undefined : tokens;
  for (const { use } of uses) if (LOOPS.of(use)?.boundsTokens) return undefined;
  return DEFAULT_MAX_TOKENS;
}

/** The default for turns without a token limit of the agent or a module. */
const DEFAULT_MAX_TOKENS = 1_000_000;

/** A module's position around a call. */
export interface CallPlace {
  /** The id of the loop that uses the module. Empty for the turn's own loop. */
  readonly frame: string;
  /** Records that the call exceeded a limit. */
  reached(limit: ReachedLimit): void;
}

/** A limit that a module sets, with its usage. */
export interface LimitUse extends ReachedLimit {
  readonly used: number;
}

/** The seam for the hooks of loops: `prepare`, `request`, `call`, `run` and `ask`. */
export const LOOPS = defineSeam<LoopSeam>();

/** Returns the uses of a turn's own loop: those of the app, then those of its agent. */
export const listTurnUses = (
  appWide: readonly ModuleUse[],
  ofAgent: readonly ModuleUse[],
): readonly ScopedUse[] => [
  ...toScopedUses(ROOT, appWide, true),
  ...toScopedUses(
    ROOT,
    ofAgent.filter((use) => !appWide.includes(use)),
  ),
];

/** Returns the uses of a nested loop: the outer ones that also apply there, then its own. */
export function listNestedUses(
  around: readonly ScopedUse[],
  frame: string,
  own: readonly ModuleUse[] = [],
): readonly ScopedUse[] {
  const kept = around.filter(({ use, isAppWide }) => isAppWide || use.module.nested);
  return [...kept, ...toScopedUses(frame, own).filter(({ use }) => !kept.some((one) => one.use === use))];
}

/** Returns the uses that have hooks in loops. */
const toScopedUses = (frame: string, uses: readonly ModuleUse[], isAppWide = false): readonly ScopedUse[] =>
  uses.filter((use) => LOOPS.of(use)).map((use) => ({ use, frame, isAppWide }));

/** Runs `prepare` of every module before a model call. Rethrows their errors. */
export async function prepareAll(loop: Loop): Promise<void> {
  for (const { use } of loop.spec.uses) await LOOPS.of(use)?.prepare?.(loop);
}

/** Passes a moment of a loop to the modules that watch it. A loop without modules can skip the call. */
export function notifyWatchers(loop: Loop, moment: LoopMoment): void {
  for (const { use } of loop.spec.uses) LOOPS.of(use)?.watch?.(loop, moment);
}

/**
 * Returns any layer around the model calls of a loop, since each can run all of them. Returns `undefined`
 * otherwise.
 */
export function findAskSeam({ spec: { uses, model } }: Pick<Loop, 'spec'>): AskSeam | undefined {
  for (const { use } of uses) {
    const seam = LOOPS.of(use)?.ask;
    if (seam && !isPlanned(model)) return seam;
  }
  return undefined;
}

/** Runs a call through the modules that wrap it, outermost first. */
export function callInModules(
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

/** Runs the effect of a call through the modules that wrap it, outermost first. */
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

/** Runs `reconcile` of a call's tool through the modules that wrap it. The tool must have one. */
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

/** A call's running effect, and the context that its code receives. */
interface RunningEffect {
  readonly run: CallRun;
  readonly effect: ToolEffect;
  readonly context: CallContext;
}

/**
 * A moment in a loop, as the seam `watch` receives it. It is the loop's own data: read it, but do not change
 * it. `ms`: the duration, including attempts and the waits between them.
 */
export type LoopMoment =
  | { readonly at: 'tools-changed'; readonly change: EventOf<'tools-changed'>; readonly offer: WatchedOffer }
  | { readonly at: 'ask'; readonly request: ModelRequest }
  | { readonly at: 'reply'; readonly reply: ModelReplyEvent; readonly ms: number }
  | { readonly at: 'no-reply'; readonly failure: ModelError; readonly ms: number }
  | { readonly at: 'call'; readonly record: CallRecord; readonly offer: WatchedOffer }
  | {
      readonly at: 'result';
      readonly record: CallRecord;
      readonly offer: WatchedOffer;
      readonly result: ToolResult;
      readonly ms: number;
    }
  /** A step of the loop is over. Calls of its reply can still be open. */
  | { readonly at: 'step' };

/** The tools that a loop offers, by name and in the form that the model sees. */
export interface WatchedOffer {
  readonly byName: ReadonlyMap<string, AnyTool>;
  readonly definitions: readonly ToolDefinition[];
}

type ModelReplyEvent = Extract<SessionEvent, { type: 'model-replied' }>;
