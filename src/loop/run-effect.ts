import { createTimeoutError, StopController } from '../tool/async.ts';
import type { CallContext, Question, ToolEffect } from '../tool/call.ts';
import { literals } from '../tool/literals.ts';
import { SignalError } from '../tool/signals.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { isCutOff } from './exception-processor.ts';
import { isInterrupted } from './holder.ts';
import { toLoopFields } from './loop.ts';
import { runInModules } from './loop-seams.ts';
import {
  createStoppedResult,
  createUnansweredResult,
  findOutcome,
  type RunningEffect,
  type RunResult,
  reconcileCall,
  resolveDoubt,
  waitForLastResult,
} from './reconcile.ts';
import type { RunningCall } from './running-call.ts';
import { createExceptionResult, logToolException, toKeptResult, warnUnrebuildable } from './tool-answer.ts';

/**
 * Runs the effect of a tool. Its start is made durable first, unless the effect is `read`. A call that an
 * earlier invocation started runs again under its id. A `once` call is reconciled instead, or its outcome is
 * unknown. If it then runs again, a new start is journaled, so that the next invocation knows how recent its
 * last request can be.
 *
 * @throws InterruptionError if the call is left open, for another invocation or for the end of the turn.
 */
export async function runExecution({ effect: declared, ...of }: RunningEffect): Promise<EffectOutcome> {
  const { call, context } = of;
  const { loop, record } = call;
  const { holder, slots } = loop;
  const inherited = record.started;
  // A call started as more than a read may have acted, even if its tool is a read now.
  const isWeakened = inherited === 'idempotent' && declared.effect === 'read';
  const effect: ToolEffect = isWeakened ? { ...declared, effect: inherited } : declared;
  // The call started as repeatable, but its tool no longer is. Running it again could repeat the effect.
  const isInDoubt = inherited === 'once' || (inherited === 'idempotent' && effect.effect === 'once');
  return slots.hold(async () => {
    holder.claim({ subrequests: effect.subrequests ?? 1, ms: effect.timeout });
    // If the tool's effect has changed, the call starts again under the current one.
    if (!isInDoubt && inherited !== effect.effect) await recordStart(call, effect);
    const running: RunningEffect = { ...of, effect };
    if (isInDoubt) {
      const found = await findOutcome({ ...running, context: { ...context, startedAt: getLastStart(call) } });
      if (found.verdict !== 'not-done') return { result: found.result };
      if (!holder.signal.aborted) await recordStart(call, effect);
    }
    if (holder.signal.aborted)
      return { result: (inherited ? createStoppedResult : createUnansweredResult)(running) };
    holder.assertHeld();
    const began = holder.now();
    const result = await runOnce(running, began);
    return { result, ms: holder.now() - began };
  });
}

/**
 * Returns when another invocation last started a call. Repeats of an idempotent call are not journaled and
 * can continue until the take-over, so such a call counts as started now.
 */
function getLastStart({ loop: { holder, startsBefore }, record: { id, started } }: RunningCall): number {
  const journaled = started === 'once' ? startsBefore.get(id) : undefined;
  return journaled ?? holder.now();
}

async function recordStart(
  { loop, record: { id: call } }: RunningCall,
  { effect }: ToolEffect,
): Promise<void> {
  const { journal, memories, secrets } = loop;
  const held = secrets.redact(memories.live?.heldBy(call) ?? {});
  journal.emit({ type: 'tool-call-started', ...toLoopFields(loop), call, effect, ...held });
  // Facts that count even if the call is killed must be stored before it runs.
  if (effect !== 'read' || held.atEnd) await journal.durable();
}

/**
 * Refuses questions inside `run` of a `once` call, whose effects would repeat after the answer. A call that
 * keeps running meanwhile and a question with a checkpoint are allowed.
 */
const createCheckpointAsk =
  ({ ask }: Pick<CallContext, 'ask'>): CallContext['ask'] =>
  async (question) => {
    const asked: Question = question;
    if (asked.for === 'decision' && (asked.meanwhile === 'running' || asked.checkpoint !== undefined))
      return ask(question);
    throw new Error(
      `A tool whose effect is 'once' cannot ask inside run without a checkpoint.${literals?.mending.askBefore ?? ''}`,
    );
  };

/** The result of an effect, and the duration of `run` in ms. */
interface EffectOutcome {
  readonly result: ToolResult;
  readonly ms?: number;
}

/** A running effect, with a controller to stop waiting for it. */
interface StoppableEffect extends RunningEffect {
  readonly stop: StopController;
  /** `true` when its code has returned or thrown. */
  isOver: boolean;
}

/** Calls `run` once, within its timeout and the signal of the lease holder. */
async function runOnce(entered: RunningEffect, startedAt: number): Promise<ToolResult> {
  const { effect, context } = entered;
  const { holder } = entered.call.loop;
  const stop = new StopController(holder.signal);
  const cancel = holder.after(effect.timeout, () => stop.abort(createTimeoutError(effect.timeout)));
  const once = effect.effect === 'once' && { ask: createCheckpointAsk(context) };
  const own: CallContext = {
    ...context,
    ...once,
    startedAt,
    get signal() {
      return stop.signal;
    },
  };
  const running: StoppableEffect = { ...entered, context: own, stop, isOver: false };
  try {
    const answer = runTool(running);
    const first = await stop.until(answer).catch(toNoAnswer);
    if (first !== 'no-answer') return first;
    if (effect.effect !== 'once') return createStoppedResult(running);
    const word = stop.aborted ? await waitForLastResult(holder, answer) : first;
    if (word !== 'no-answer') return word;
    const wasRunning = !running.isOver;
    const found = await reconcileCall(running);
    const code = wasRunning ? (running.isOver ? 'answered' : 'running') : 'gone';
    return await resolveDoubt(code, { ...running, ...found, answer });
  } finally {
    cancel();
    stop.end();
  }
}

/**
 * Returns the result of `run`. An exception is a failure of the tool, unless the call was cut off or stopped:
 * then the outcome is unknown.
 */
async function runTool(running: StoppableEffect): Promise<RunResult> {
  const { call, effect, context, stop } = running;
  const { loop, tool } = call;
  try {
    const { uses } = loop.spec;
    const returned = await (uses.length > 0 ? runInModules(uses, running) : effect.run(context));
    if (literals) warnUnrebuildable(loop, tool, returned);
    return await toKeptResult(loop, context.tool, returned);
  } catch (thrown) {
    if (isInterrupted(thrown, 'suspended')) throw thrown;
    const isCut = stop.aborted || isCutOff(thrown);
    if (isCut && !(thrown instanceof SignalError)) {
      if (!stop.aborted) logToolException(loop, { tool: context.tool, thrown });
      return 'no-answer';
    }
    return createExceptionResult(loop, tool, thrown);
  } finally {
    running.isOver = true;
  }
}

function toNoAnswer(thrown: unknown): 'no-answer' {
  if (isInterrupted(thrown, 'suspended')) throw thrown;
  return 'no-answer';
}
