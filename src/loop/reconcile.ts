import { cancelledRunning, unknownOutcome } from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import type { CallContext, ToolEffect } from '../tool/call.ts';
import { shorten } from '../tool/json.ts';
import type { CallRun } from '../tool/tool.ts';
import { failure, isOutcomeUnknown, type ToolResult, toolResult } from '../tool/tool-result.ts';
import { type Holder, isInterrupted, type LateCall } from './holder.ts';
import { reconcileInModules } from './loop-seams.ts';
import { journaledResult, resultOf, tellMistake, tellThrown } from './tool-answer.ts';
import type { PermittedRun } from './tool-call-run.ts';

/** Asks the tool what became of a `once` call. One that cannot tell, does not in time, or throws does not know. */
export async function reconciled(running: Running): Promise<Found> {
  const { loop, call, execution } = running;
  const { holder } = loop;
  const unknown: Found = { verdict: 'unknown', result: unknownOutcome(call.tool) };
  if (!execution.reconcile) return unknown;
  const stop = new AbortController(); // its own: the call's may have aborted, and that is why this is asked
  try {
    const ms = holder.signal.aborted ? Math.min(execution.timeout, LAST_WORD) : execution.timeout;
    const context = { ...call, signal: stop.signal };
    const asked = Promise.resolve(
      reconcileInModules(loop.spec.uses, { run: running.run, context, effect: execution }),
    );
    const answer = await within(holder, ms, asked);
    if (answer === 'not-done') return { ...unknown, verdict: answer };
    // In plain JavaScript it may be anything: a misspelt word must not be taken for what was done.
    const known: object = Object(answer);
    if ('done' in known) {
      const result = await resultOf(loop, call.tool, known.done);
      return { verdict: isOutcomeUnknown(result) ? 'unknown' : 'done', result };
    }
    if (answer !== 'unknown' && answer !== 'no-answer') tellMistake(loop, misreconciled(call.tool, answer));
  } catch (thrown) {
    // A `reconcile` that throws does not know.
    tellThrown(loop, { tool: call.tool, thrown }, ' in reconcile');
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
export async function foundOut(running: Running): Promise<Found> {
  const { loop, record } = running;
  const left = (): Found | undefined => record.late && { verdict: 'done', result: toolResult(record.late) };
  if (!record.late) await loop.holder.formerHolderGone();
  const found = left() ?? (await reconciled(running));
  // It may have come while the tool was asked.
  return left() ?? found;
}

/** An effect with the call that it is run for, as the model asked for it and as its code is given it. */
export interface Running extends Pick<PermittedRun, 'loop' | 'record' | 'tool'> {
  readonly run: CallRun;
  readonly execution: ToolEffect;
  readonly call: CallContext;
}

type Verdict = 'done' | 'not-done' | 'unknown';

/** What is known of a `once` call in doubt. */
interface Found {
  readonly verdict: Verdict;
  /** What it did, or that nobody knows. */
  readonly result: ToolResult;
}

/** A `once` call that gave no answer in time: what its `reconcile` found, and what `run` may still say. */
interface Doubt extends Running, Found {
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
function toldLater({ loop, record, call: { tool }, answer, result }: Doubt): ToolResult {
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
export function stopped(running: Running): ToolResult {
  const { loop, execution, call } = running;
  const result = withoutAnswer(running);
  if (execution.effect !== 'idempotent') return result;
  // The model would repeat it under another key, so it must not take it for undone.
  return isCancelled(loop.holder) ? cancelledRunning(call.tool) : unknownOutcome(call.tool);
}

/** Answers what a call came to that gave no answer, and either did not happen or may be repeated. */
export function withoutAnswer({ loop: { holder }, call, execution }: Running): ToolResult {
  if (isCancelled(holder)) return failure('cancelled', `The call of '${call.tool}' was cancelled.`);
  if (holder.signal.aborted) throw holder.signal.reason;
  if (call.signal.aborted)
    return failure('timeout', `Tool '${call.tool}' did not answer within ${execution.timeout} ms.`);
  return failure('timeout', `The connection of tool '${call.tool}' was lost before it answered.`);
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

const misreconciled = (tool: string, answer: unknown): string =>
  `The reconcile of tool '${tool}' answered '${String(answer)}', which is neither { done }, 'not-done' nor 'unknown'.`;

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
