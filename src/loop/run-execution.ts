import { cancelledRunning, unknownOutcome } from '../journal/close-turn.ts';
import type { CallRecord } from '../journal/state.ts';
import { untilAborted } from '../tool/async.ts';
import type { ToolCall, ToolExecution } from '../tool/call.ts';
import { shorten } from '../tool/json.ts';
import { SignalError } from '../tool/signals.ts';
import { failure, type ToolResult, toolResult } from '../tool/tool-result.ts';
import { exceptionResult, journaledResult, resultOf, tellDeveloper } from './call-ending.ts';
import { isCutOff } from './exception-processor.ts';
import { type Holder, isInterrupted } from './holder.ts';
import { inLoop, type Loop } from './loop.ts';
import type { ToolCallRun } from './tool-call-run.ts';

/** What came of an effect, and how long `run` took. */
interface Ran {
  readonly result: ToolResult;
  readonly ms?: number;
}

/** An effect with the call that it is run for, as the model asked for it and as its code is given it. */
interface Running extends Pick<ToolCallRun, 'loop' | 'record'> {
  readonly execution: ToolExecution;
  readonly call: ToolCall;
}

/** Characters of its input by which a model knows a call again. */
const MAX_INPUT = 200;

/** How long an aborted `once` call may still tell what it did, in ms. */
const LAST_WORD = 5_000;

/**
 * Runs the part of a tool that acts. The start is durable first, unless the effect is `read`. A call that an earlier
 * invocation started is run again under its id, except a `once` call: that is reconciled, or its outcome is unknown.
 *
 * @throws Interrupted when the call is left open for another invocation or for the turn's end to answer.
 */
export async function runExecution(
  { loop, record }: ToolCallRun,
  scope: Omit<ToolCall, 'idempotencyKey'>,
  declared: ToolExecution,
): Promise<Ran> {
  const { holder, slots } = loop;
  const inherited = record.started;
  // What was started as more than a read may have happened, whatever its tool has become since.
  const isWeakened = inherited === 'idempotent' && declared.effect === 'read';
  const execution: ToolExecution = isWeakened ? { ...declared, effect: inherited } : declared;
  // Begun as what may be repeated, and no longer so: run again, it could happen twice.
  const isInDoubt = inherited === 'once' || (inherited === 'idempotent' && execution.effect === 'once');
  return slots.hold(async () => {
    holder.claim({ subrequests: execution.subrequests ?? 1, ms: execution.timeout });
    // A tool whose effect has changed since it was started starts anew, under the effect that it has now.
    const goesOn = isInDoubt || inherited === execution.effect;
    const started = goesOn ? undefined : start(loop, record, execution);
    const [idempotencyKey] = await Promise.all([holder.idempotencyKey(record.id), started]);
    const call: ToolCall = {
      ...scope,
      ...(execution.effect === 'once' && { decide: tooLate }),
      idempotencyKey,
    };
    const running: Running = { loop, record, execution, call };
    if (isInDoubt) {
      await holder.formerHolderGone();
      const found = await reconciled(running);
      if (found.verdict !== 'not-done') return { result: found.result };
    }
    if (holder.signal.aborted) return { result: (inherited ? stopped : withoutAnswer)(running) };
    holder.assertHeld();
    const began = holder.now();
    const result = await runOnce(running);
    return { result, ms: holder.now() - began };
  });
}

async function start(loop: Loop, { id: call }: CallRecord, { effect }: ToolExecution): Promise<void> {
  const { journal, memories, secrets } = loop;
  const held = secrets.redact(memories.heldBy(call));
  journal.emit({ type: 'tool-call-started', ...inLoop(loop), call, effect, ...held });
  // What counts even if the call is killed must be stored before it can be.
  if (effect !== 'read' || held.atEnd) await journal.durable();
}

/** What a `once` call has done when it asks inside `run` would be done again after the answer. */
async function tooLate(): Promise<never> {
  throw new Error(
    "A tool whose effect is 'once' cannot ask inside run, since run would begin anew after the answer. " +
      'Ask before it, with requireApproval or withAwaiting.',
  );
}

/** What `run` answered: its result, or nothing that tells what it did. */
type Said = ToolResult | 'no-answer';

/** `run` against its timeout and the signal of whoever holds the turn. */
async function runOnce(begun: Running): Promise<ToolResult> {
  const { holder } = begun.loop;
  const { execution } = begun;
  const stop = new AbortController();
  const outOfTime = new DOMException(`${execution.timeout} ms are over.`, 'TimeoutError');
  const cancel = holder.after(execution.timeout, () => stop.abort(outOfTime));
  const signal = AbortSignal.any([holder.signal, stop.signal]);
  const running: Running = { ...begun, call: { ...begun.call, signal } };
  let isRunning = true;
  try {
    const answer = saidBy(running).finally(() => {
      isRunning = false;
    });
    const first = await untilAborted(signal, answer).catch(noAnswer);
    if (first !== 'no-answer') return first;
    if (execution.effect !== 'once') return stopped(running);
    const word = signal.aborted ? await lastWord(holder, answer) : first;
    if (word !== 'no-answer') return word;
    const wasRunning = isRunning;
    const found = await reconciled(running);
    const code = wasRunning ? (isRunning ? 'running' : 'answered') : 'gone';
    return await CAME_TO[code][found.verdict]({ ...running, ...found, answer });
  } finally {
    cancel();
  }
}

/** A `once` call that gave no answer in time: what its `reconcile` found, and what `run` may still say. */
interface Doubt extends Running, Found {
  readonly answer: Promise<Said>;
}

type Resolve = (doubt: Doubt) => ToolResult | Promise<ToolResult>;

/**
 * What a `once` call without an answer came to: by what its code did when `reconcile` had been asked, and what that found.
 * `gone`: it had stopped before. `answered`: it stopped meanwhile.
 */
const CAME_TO: Record<'gone' | 'answered' | 'running', Record<Verdict, Resolve>> = {
  gone: { done: asFound, 'not-done': withoutAnswer, unknown: asFound },
  answered: { done: asFound, 'not-done': asAnswered, unknown: toldLater },
  running: { done: asFound, 'not-done': toldLater, unknown: toldLater },
};

function asFound({ result }: Doubt): ToolResult {
  return result;
}

/** What was not done yet when it was asked about may have been done since, by the very call that was asked about. */
async function asAnswered({ answer, result }: Doubt): Promise<ToolResult> {
  const said = await answer;
  return said === 'no-answer' ? result : said;
}

/** The call is told as unknown and still runs: what it answers after all is journaled, without secrets. */
function toldLater({ loop, record, call: { id, tool }, answer, result }: Doubt): ToolResult {
  const late = answer.then((said) =>
    said === 'no-answer' || isUnknown(said)
      ? undefined
      : journaledResult(loop, { tool, result: toolResult(loop.secrets.redact({ ...said })) }),
  );
  const input = shorten(record.input, MAX_INPUT);
  const orNothing = late.catch(() => undefined);
  loop.holder.late({ call: id, tool, input }, orNothing);
  return result;
}

/** What a `read` or `idempotent` call came to that ran and gave no answer. */
function stopped(running: Running): ToolResult {
  const { loop, execution, call } = running;
  const result = withoutAnswer(running);
  if (execution.effect !== 'idempotent') return result;
  // The model would repeat it under another key, so it must not take it for undone.
  return isCancelled(loop.holder) ? cancelledRunning(call.tool) : unknownOutcome(call.tool);
}

const isCancelled = ({ signal }: Holder): boolean => isInterrupted(signal.reason, 'cancelled');

/** What a call came to that gave no answer, and either did not happen or may be repeated. */
function withoutAnswer({ loop: { holder }, call, execution }: Running): ToolResult {
  if (isCancelled(holder)) return failure('cancelled', `The call of '${call.tool}' was cancelled.`);
  if (holder.signal.aborted) throw holder.signal.reason;
  if (call.signal.aborted)
    return failure('timeout', `Tool '${call.tool}' did not answer within ${execution.timeout} ms.`);
  return failure('timeout', `The connection of tool '${call.tool}' was lost before it answered.`);
}

function noAnswer(thrown: unknown): 'no-answer' {
  if (isInterrupted(thrown, 'suspended')) throw thrown;
  return 'no-answer';
}

/**
 * A tool that throws says that it failed, unless it was cut off or told to stop: whatever is thrown then, there is no
 * answer, and nobody knows.
 */
async function saidBy({ loop, call, execution }: Running): Promise<Said> {
  try {
    return resultOf(loop, call.tool, await execution.run(call));
  } catch (thrown) {
    if (isInterrupted(thrown, 'suspended')) throw thrown;
    const isCut = call.signal.aborted || isCutOff(thrown);
    if (isCut && !(thrown instanceof SignalError)) return 'no-answer';
    return exceptionResult(loop, { tool: call.tool, thrown });
  }
}

/** A call that was told to stop may still say what it did; a lost lease cannot wait for that, or store it. */
async function lastWord(holder: Holder, answer: Promise<Said>): Promise<Said> {
  if (isInterrupted(holder.signal.reason, 'lost')) throw holder.signal.reason;
  return within(holder, LAST_WORD, answer);
}

type Verdict = 'done' | 'not-done' | 'unknown';

/** What is known of a `once` call in doubt. */
interface Found {
  readonly verdict: Verdict;
  /** What it did, or that nobody knows. */
  readonly result: ToolResult;
}

/** Asks the tool what became of a `once` call. One that cannot tell, does not in time, or throws does not know. */
async function reconciled({ loop, call, execution }: Running): Promise<Found> {
  const { holder } = loop;
  const unknown: Found = { verdict: 'unknown', result: unknownOutcome(call.tool) };
  if (!execution.reconcile) return unknown;
  const stop = new AbortController(); // its own: the call's may have aborted, and that is why this is asked
  try {
    const ms = holder.signal.aborted ? Math.min(execution.timeout, LAST_WORD) : execution.timeout;
    const asked = Promise.resolve(execution.reconcile({ ...call, signal: stop.signal }));
    const answer = await within(holder, ms, asked);
    if (answer === 'not-done') return { ...unknown, verdict: answer };
    // In plain JavaScript it may be anything: a misspelt word must not be taken for what was done.
    const known: object = Object(answer);
    if ('done' in known) {
      const result = resultOf(loop, call.tool, known.done);
      return { verdict: isUnknown(result) ? 'unknown' : 'done', result };
    }
    if (answer !== 'unknown' && answer !== 'no-answer') tellDeveloper(loop, misreconciled(call.tool, answer));
  } catch {
    // It does not know.
  } finally {
    stop.abort();
  }
  return unknown;
}

const isUnknown = (result: ToolResult): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

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
