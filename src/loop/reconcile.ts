import { cancelledRunning, unknownOutcome } from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import type { CallContext, ToolEffect } from '../tool/call.ts';
import { shorten } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import type { CallRun } from '../tool/tool.ts';
import { failure, isOutcomeUnknown, type ToolResult, toolResult } from '../tool/tool-result.ts';
import { type Holder, isInterrupted, type LateCall } from './holder.ts';
import { reconcileInModules } from './loop-seams.ts';
import type { RunningCall } from './running-call.ts';
import { journaledResult, resultOf, tellMistake, tellThrown } from './tool-answer.ts';

/** Asks the tool what became of a `once` call. One that cannot tell, does not in time, or throws does not know. */
export async function reconciled(running: RunningEffect): Promise<Found> {
  const { effect, context } = running;
  const { loop } = running.call;
  const { holder } = loop;
  const unknown: Found = { verdict: 'unknown', result: unknownOutcome(context.tool) };
  if (!effect.reconcile) return unknown;
  const stop = new AbortController(); // its own: the call's may have aborted, and that is why this is asked
  try {
    const ms = holder.signal.aborted ? Math.min(effect.timeout, LAST_WORD) : effect.timeout;
    const doubted = { ...running, context: { ...context, signal: stop.signal } };
    const asked = Promise.resolve(reconcileInModules(loop.spec.uses, doubted));
    const answer = await within(holder, ms, asked);
    if (answer === 'not-done') return { ...unknown, verdict: answer };
    // In plain JavaScript it may be anything: a misspelt word must not be taken for what was done.
    const known: object = Object(answer);
    if ('done' in known) {
      const result = await resultOf(loop, context.tool, known.done);
      return { verdict: isOutcomeUnknown(result) ? 'unknown' : 'done', result };
    }
    const mistake = literals?.misreconciled(context.tool, answer);
    if (mistake !== undefined) tellMistake(loop, mistake);
  } catch (thrown) {
    // A `reconcile` that throws does not know.
    tellThrown(loop, { tool: context.tool, thrown }, ' in reconcile');
  } finally {
    stop.abort();
  }
  return unknown;
}

/**
 * Finds out about a call that an earlier invocation began: by the result that one left behind, or else from the tool.
 *
 * @throws Interrupted if this invocation may not go on.
 */
export async function foundOut(running: RunningEffect): Promise<Found> {
  const { loop, record } = running.call;
  const left = (): Found | undefined => record.late && { verdict: 'done', result: toolResult(record.late) };
  if (!record.late) await loop.holder.formerHolderGone();
  const found = left() ?? (await reconciled(running));
  // It may have come while the tool was asked.
  return left() ?? found;
}

/** The effect of a call that runs, and what its code gets. */
export interface RunningEffect {
  readonly call: RunningCall;
  readonly run: CallRun;
  readonly effect: ToolEffect;
  readonly context: CallContext;
}

type Verdict = 'done' | 'not-done' | 'unknown';

/** What is known of a `once` call in doubt. */
interface Found {
  readonly verdict: Verdict;
  /** What it did, or that nobody knows. */
  readonly result: ToolResult;
}

/** A `once` call that gave no answer in time: what its `reconcile` found, and what `run` may still say. */
interface Doubt extends RunningEffect, Found {
  readonly answer: Promise<Said>;
}

/** What the code of a `once` call did when `reconcile` had been asked: it had stopped before, or meanwhile, or still runs. */
type CodeState = 'gone' | 'answered' | 'running';

/** Decides what a `once` call without an answer came to. */
export function inDoubt(code: CodeState, doubt: Doubt): ToolResult | Promise<ToolResult> {
  const { verdict, result } = doubt;
  if (verdict === 'done') return result;
  if (code === 'gone') return verdict === 'unknown' ? result : withoutAnswer(doubt);
  return code === 'answered' && verdict === 'not-done' ? asAnswered(doubt) : toldLater(doubt);
}

/** What was not done yet when it was asked about may have been done since, by the very call that was asked about. */
async function asAnswered({ answer, result }: Doubt): Promise<ToolResult> {
  const said = await answer;
  return said === 'no-answer' ? result : said;
}

/** The call is told as unknown and still runs: what it answers after all is journaled, without secrets. */
function toldLater({ call: { loop, record }, context: { tool }, answer, result }: Doubt): ToolResult {
  const late = answer.then((said) =>
    said === 'no-answer' || isOutcomeUnknown(said)
      ? undefined
      : journaledResult(loop, { tool, result: toolResult(loop.secrets.redact({ ...said })) }),
  );
  const orNothing = late.catch(() => undefined);
  loop.holder.late(lateCall(record), orNothing);
  return result;
}

/** Names a call that answers late, so that a model knows it again. */
export const lateCall = ({ id, name, input }: CallRecord): LateCall => ({
  call: id,
  tool: name,
  input: shorten(input, MAX_INPUT),
});

/** Characters of its input by which a model knows a call again. */
const MAX_INPUT = 200;

/** Answers what a `read` or `idempotent` call came to that ran and gave no answer. */
export function stopped(running: RunningEffect): ToolResult {
  const { effect, context } = running;
  const { loop } = running.call;
  const result = withoutAnswer(running);
  if (effect.effect !== 'idempotent') return result;
  // The model would repeat it under another key, so it must not take it for undone.
  return isCancelled(loop.holder) ? cancelledRunning(context.tool) : unknownOutcome(context.tool);
}

/** Answers what a call came to that gave no answer, and either did not happen or may be repeated. */
export function withoutAnswer({ call, effect, context }: RunningEffect): ToolResult {
  const { holder } = call.loop;
  const { tool, signal } = context;
  if (isCancelled(holder)) return failure('cancelled', `The call of '${tool}' was cancelled.`);
  if (holder.signal.aborted) throw holder.signal.reason;
  if (signal.aborted) return failure('timeout', `Tool '${tool}' did not answer within ${effect.timeout} ms.`);
  return failure('timeout', `The connection of tool '${tool}' was lost before it answered.`);
}

/** A call that was told to stop may still say what it did; a lost lease cannot wait for that, or store it. */
export async function lastWord(holder: Holder, answer: Promise<Said>): Promise<Said> {
  if (isInterrupted(holder.signal.reason, 'lost')) throw holder.signal.reason;
  return within(holder, LAST_WORD, answer);
}

/** How long an aborted `once` call may still tell what it did, in ms. */
const LAST_WORD = 5_000;

/** What `run` answered: its result, or nothing that tells what it did. */
export type Said = ToolResult | 'no-answer';

const isCancelled = ({ signal }: Holder): boolean => isInterrupted(signal.reason, 'cancelled');

/** The promise's value, unless it takes more than `ms`, more than a last word once the turn is cancelled, or the lease is lost. */
function within<T>(holder: Holder, ms: number, promise: Promise<T>): Promise<T | 'no-answer'> {
  const { signal } = holder;
  const timeUp = Promise.withResolvers<'no-answer'>();
  const giveUp = (): void => timeUp.resolve('no-answer');
  const timers = [holder.after(ms, giveUp)];
  const onAbort = (): void => {
    if (isInterrupted(signal.reason, 'lost')) giveUp();
    else timers.push(holder.after(LAST_WORD, giveUp));
  };
  signal.addEventListener('abort', onAbort);
  return Promise.race([promise, timeUp.promise]).finally(() => {
    for (const cancel of timers) cancel();
    signal.removeEventListener('abort', onAbort);
  });
}
