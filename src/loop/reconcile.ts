import { createCancelledRunningResult, createUnknownOutcomeResult } from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import type { CallContext, ToolEffect } from '../tool/call.ts';
import { shorten } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import type { CallRun } from '../tool/tool.ts';
import {
  createFailureResult,
  createToolResult,
  isOutcomeUnknown,
  type ToolResult,
} from '../tool/tool-result.ts';
import { type Holder, isInterrupted, type LateCall } from './holder.ts';
import { reconcileInModules } from './loop-seams.ts';
import type { RunningCall } from './running-call.ts';
import { logMistake, logToolException, toJournaledResult, toKeptResult } from './tool-answer.ts';

/**
 * Asks the tool whether a `once` call was done. If the tool has no `reconcile`, or it throws or takes too
 * long, the verdict is `unknown`.
 */
export async function reconcileCall(running: RunningEffect): Promise<ReconciledOutcome> {
  const { effect, context } = running;
  const { loop } = running.call;
  const { holder } = loop;
  const unknown: ReconciledOutcome = { verdict: 'unknown', result: createUnknownOutcomeResult(context.tool) };
  if (!effect.reconcile) return unknown;
  const stop = new AbortController(); // A separate signal, since the call's own may have aborted.
  try {
    const ms = holder.signal.aborted ? Math.min(effect.timeout, LAST_RESULT_MS) : effect.timeout;
    const doubted = { ...running, context: { ...context, signal: stop.signal } };
    const asked = Promise.resolve(reconcileInModules(loop.spec.uses, doubted));
    const answer = await waitAtMost(holder, ms, asked);
    if (answer === 'not-done') return { ...unknown, verdict: answer };
    // Plain JavaScript can return any value. A misspelled verdict must not count as done.
    const known: object = Object(answer);
    if ('done' in known) {
      const result = await toKeptResult(loop, context.tool, known.done);
      return { verdict: isOutcomeUnknown(result) ? 'unknown' : 'done', result };
    }
    const mistake = literals?.misreconciled(context.tool, answer);
    if (mistake !== undefined) logMistake(loop, mistake);
  } catch (thrown) {
    // If `reconcile` throws, the verdict stays `unknown`.
    logToolException(loop, { tool: context.tool, thrown }, ' in reconcile');
  } finally {
    stop.abort();
  }
  return unknown;
}

/**
 * Finds the outcome of a call that an earlier invocation began: from the result that it stored late, or else
 * from the tool.
 *
 * @throws InterruptionError if this invocation must not continue.
 */
export async function findOutcome(running: RunningEffect): Promise<ReconciledOutcome> {
  const { loop, record } = running.call;
  const findLateOutcome = (): ReconciledOutcome | undefined =>
    record.late && { verdict: 'done', result: createToolResult(record.late) };
  if (!record.late) await loop.holder.formerHolderGone();
  const found = findLateOutcome() ?? (await reconcileCall(running));
  // The late result may have arrived while the tool was asked.
  return findLateOutcome() ?? found;
}

/** A call's running effect, and the context that its code receives. */
export interface RunningEffect {
  readonly call: RunningCall;
  readonly run: CallRun;
  readonly effect: ToolEffect;
  readonly context: CallContext;
}

type Verdict = 'done' | 'not-done' | 'unknown';

/** The known outcome of a `once` call in doubt. */
interface ReconciledOutcome {
  readonly verdict: Verdict;
  /** Its result, or an error that says that the outcome is unknown. */
  readonly result: ToolResult;
}

/**
 * A `once` call that did not return in time, with the verdict of `reconcile` and the call's pending answer.
 */
interface CallInDoubt extends RunningEffect, ReconciledOutcome {
  readonly answer: Promise<RunResult>;
}

/**
 * The state of a `once` call's code after `reconcile`: stopped before it, finished during it, or still
 * running.
 */
type CodeState = 'gone' | 'answered' | 'running';

/** Returns the result of a `once` call without an answer. */
export function resolveDoubt(code: CodeState, doubt: CallInDoubt): ToolResult | Promise<ToolResult> {
  const { verdict, result } = doubt;
  if (verdict === 'done') return result;
  if (code === 'gone') return verdict === 'unknown' ? result : createUnansweredResult(doubt);
  return code === 'answered' && verdict === 'not-done' ? awaitResult(doubt) : reportUnknown(doubt);
}

/** Returns the result of a call that finished after `reconcile` said `not-done`: its own answer decides. */
async function awaitResult({ answer, result }: CallInDoubt): Promise<ToolResult> {
  const said = await answer;
  return said === 'no-answer' ? result : said;
}

/**
 * Returns the call's outcome as unknown while it still runs. Its late result is journaled without secrets.
 */
function reportUnknown({
  call: { loop, record },
  context: { tool },
  answer,
  result,
}: CallInDoubt): ToolResult {
  const late = answer.then((said) =>
    said === 'no-answer' || isOutcomeUnknown(said)
      ? undefined
      : toJournaledResult(loop, { tool, result: createToolResult(loop.secrets.redact({ ...said })) }),
  );
  const orNothing = late.catch(() => undefined);
  loop.holder.late(toLateCall(record), orNothing);
  return result;
}

/** Describes a call that ends late, so that a model recognizes it. */
export const toLateCall = ({ id, name, input }: CallRecord): LateCall => ({
  call: id,
  tool: name,
  input: shorten(input, MAX_INPUT_LENGTH),
});

/** The maximum characters of its input in that description. */
const MAX_INPUT_LENGTH = 200;

/** Returns the result of a `read` or `idempotent` call that ran and did not return. */
export function createStoppedResult(running: RunningEffect): ToolResult {
  const { effect, context } = running;
  const { loop } = running.call;
  const result = createUnansweredResult(running);
  if (effect.effect !== 'idempotent') return result;
  // The model would repeat it under another key, so the result must not claim that it was not done.
  return isCancelled(loop.holder)
    ? createCancelledRunningResult(context.tool)
    : createUnknownOutcomeResult(context.tool);
}

/** Returns the result of a call that did not return, and that did not run or can be repeated. */
export function createUnansweredResult({ call, effect, context }: RunningEffect): ToolResult {
  const { holder } = call.loop;
  const { tool, signal } = context;
  if (isCancelled(holder)) return createFailureResult('cancelled', `The call of '${tool}' was cancelled.`);
  if (holder.signal.aborted) throw holder.signal.reason;
  if (signal.aborted)
    return createFailureResult('timeout', `Tool '${tool}' did not answer within ${effect.timeout} ms.`);
  return createFailureResult('timeout', `The connection of tool '${tool}' was lost before it answered.`);
}

/**
 * Waits a short time for the result of an aborted call. If the lease is lost, throws at once: this invocation
 * could not store it.
 */
export async function waitForLastResult(holder: Holder, answer: Promise<RunResult>): Promise<RunResult> {
  if (isInterrupted(holder.signal.reason, 'lost')) throw holder.signal.reason;
  return waitAtMost(holder, LAST_RESULT_MS, answer);
}

/** How long an aborted `once` call has to report its result, in ms. */
const LAST_RESULT_MS = 5_000;

/** The result of `run`, or `no-answer` if it leaves the outcome unknown. */
export type RunResult = ToolResult | 'no-answer';

const isCancelled = ({ signal }: Holder): boolean => isInterrupted(signal.reason, 'cancelled');

/**
 * Resolves with the promise's value, or with `no-answer` after `ms`. After a cancel it waits at most
 * `LAST_RESULT_MS` ms more. After a lost lease it stops waiting.
 */
function waitAtMost<T>(holder: Holder, ms: number, promise: Promise<T>): Promise<T | 'no-answer'> {
  const { signal } = holder;
  const timeUp = Promise.withResolvers<'no-answer'>();
  const abandonWait = (): void => timeUp.resolve('no-answer');
  const timers = [holder.after(ms, abandonWait)];
  const onAbort = (): void => {
    if (isInterrupted(signal.reason, 'lost')) abandonWait();
    else timers.push(holder.after(LAST_RESULT_MS, abandonWait));
  };
  signal.addEventListener('abort', onAbort);
  return Promise.race([promise, timeUp.promise]).finally(() => {
    for (const cancel of timers) cancel();
    signal.removeEventListener('abort', onAbort);
  });
}
