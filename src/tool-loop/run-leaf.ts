import { inFrame } from '../journal/events.ts';
import type { CallRecord } from '../journal/state.ts';
import { cancelledRunning, unknownOutcome } from '../journal/unknown-outcome.ts';
import { shorten } from '../tools/json-text.ts';
import { SignalError, signalled } from '../tools/signals.ts';
import type { Leaf, ToolCall } from '../tools/tool.ts';
import { failure, type ToolResult, toolResult } from '../tools/tool-result.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import { isCutOff } from './cut-off.ts';
import { exceptionResult } from './exception-processor.ts';
import { Interrupted } from './interrupted.ts';
import { keptResult, resultOf, tellDeveloper } from './kept-result.ts';
import type { Invocation, Loop } from './loop.ts';

/** What came of a leaf, and how long `run` took. */
interface Ran {
  readonly result: ToolResult;
  readonly ms?: number;
}

/** A call as the model asked for it, and as its tool is given it. */
interface Begun {
  readonly record: CallRecord;
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
export async function runLeaf(
  loop: Loop,
  record: CallRecord,
  scope: Omit<ToolCall, 'idempotencyKey'>,
  declared: Leaf,
): Promise<Ran> {
  const inherited = record.started;
  // What was started as more than a read may have happened, whatever its tool has become since.
  const isWeakened = inherited === 'idempotent' && declared.effect === 'read';
  const leaf: Leaf = isWeakened ? { ...declared, effect: inherited } : declared;
  // Begun as what may be repeated, and no longer so: run again, it could happen twice.
  const isInDoubt = inherited === 'once' || (inherited === 'idempotent' && leaf.effect === 'once');
  return loop.slots.hold(async () => {
    loop.invocation.claim({ subrequests: leaf.subrequests ?? 1, ms: leaf.timeout });
    // A tool whose effect has changed since it was started starts anew, under the effect that it has now.
    const goesOn = isInDoubt || inherited === leaf.effect;
    const started = goesOn ? undefined : start(loop, record, leaf);
    const [idempotencyKey] = await Promise.all([loop.invocation.idempotencyKey(record.id), started]);
    const call: ToolCall = { ...scope, ...(leaf.effect === 'once' && { decide: tooLate }), idempotencyKey };
    if (isInDoubt) {
      await loop.invocation.formerHolderGone();
      const known = await reconciled(loop, call, leaf);
      if (known !== 'not-done') return { result: known };
    }
    const { signal } = loop.invocation;
    if (signal.aborted) return { result: (inherited ? stopped : withoutAnswer)(loop, call, leaf, signal) };
    loop.invocation.assertHeld();
    const began = loop.invocation.now();
    const result = await runOnce(loop, { record, call }, leaf);
    return { result, ms: loop.invocation.now() - began };
  });
}

async function start(loop: Loop, record: CallRecord, { effect }: Leaf): Promise<void> {
  const { journal, turn, frame, memories, secrets } = loop;
  const held = secrets.redact(memories.heldBy(record.id));
  journal.emit({ type: 'tool-call-started', turn, ...inFrame(frame), call: record.id, effect, ...held });
  // What counts even if the call is killed must be stored before it can be.
  if (effect !== 'read' || held.atEnd) await journal.durable();
}

/** `run` against its timeout and the invocation's signal. */
async function runOnce(loop: Loop, { record, call }: Begun, leaf: Leaf): Promise<ToolResult> {
  const stop = new AbortController();
  const signal = AbortSignal.any([loop.invocation.signal, stop.signal]);
  const outOfTime = new DOMException(`${leaf.timeout} ms are over.`, 'TimeoutError');
  const cancel = loop.invocation.after(leaf.timeout, () => stop.abort(outOfTime));
  let isRunning = true;
  try {
    const answer = answerOf(loop, { ...call, signal }, leaf).finally(() => {
      isRunning = false;
    });
    const first = await untilAborted(signal, answer).catch(noAnswer);
    if (first !== 'no-answer') return first;
    if (leaf.effect !== 'once') return stopped(loop, call, leaf, signal);
    const word = signal.aborted ? await lastWord(loop, answer) : first;
    if (word !== 'no-answer') return word;
    const wasRunning = isRunning;
    const known = await reconciled(loop, call, leaf);
    if (!wasRunning) return known === 'not-done' ? withoutAnswer(loop, call, leaf, signal) : known;
    // What was not done yet when it was asked about may have been done since, by the very call that was asked about.
    if (!isRunning && known === 'not-done') return orUnknown(call, await answer);
    if (known !== 'not-done' && !isUnknown(known)) return known;
    tellLate(loop, { record, call }, answer);
    return unknownOutcome(call.tool);
  } finally {
    cancel();
  }
}

const orUnknown = ({ tool }: ToolCall, answer: ToolResult | 'no-answer'): ToolResult =>
  answer === 'no-answer' ? unknownOutcome(tool) : answer;

const isUnknown = (result: ToolResult): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

/** The call is told as unknown and still runs: what it answers after all is journaled, without secrets. */
function tellLate(loop: Loop, { record, call }: Begun, answer: Promise<ToolResult | 'no-answer'>): void {
  const result = answer.then((late) =>
    late === 'no-answer' || isUnknown(late)
      ? undefined
      : keptResult(loop, call.tool, toolResult(loop.secrets.redact({ ...late }))),
  );
  loop.invocation.late(
    { call: call.id, tool: call.tool, input: shorten(record.input, MAX_INPUT) },
    result.catch(() => undefined),
  );
}

const isSuspended = (thrown: unknown): boolean => thrown instanceof Interrupted && thrown.why === 'suspended';

function noAnswer(thrown: unknown): 'no-answer' {
  if (isSuspended(thrown)) throw thrown;
  return 'no-answer';
}

/** What a `once` call has done when it asks inside `run` would be done again after the answer. */
async function tooLate(): Promise<never> {
  throw new Error(
    "A tool whose effect is 'once' cannot ask inside run, since run would begin anew after the answer. " +
      'Ask before it, with requireApproval or withAwaiting.',
  );
}

/** What a `read` or `idempotent` call came to that ran and gave no answer. */
function stopped(loop: Loop, call: ToolCall, leaf: Leaf, signal: AbortSignal): ToolResult {
  const result = withoutAnswer(loop, call, leaf, signal);
  if (leaf.effect !== 'idempotent') return result;
  // The model would repeat it under another key, so it must not take it for undone.
  return isCancelled(loop.invocation) ? cancelledRunning(call.tool) : unknownOutcome(call.tool);
}

const isCancelled = ({ signal: { reason } }: Invocation): boolean =>
  reason instanceof Interrupted && reason.why === 'cancelled';

/** What a call came to that gave no answer, and either did not happen or may be repeated. */
function withoutAnswer({ invocation }: Loop, call: ToolCall, leaf: Leaf, signal: AbortSignal): ToolResult {
  if (isCancelled(invocation)) return failure('cancelled', `The call of '${call.tool}' was cancelled.`);
  if (invocation.signal.aborted) throw invocation.signal.reason;
  if (signal.aborted)
    return failure('timeout', `Tool '${call.tool}' did not answer within ${leaf.timeout} ms.`);
  return failure('timeout', `The connection of tool '${call.tool}' was lost before it answered.`);
}

/**
 * A tool that throws says that it failed, unless it was cut off or told to stop: whatever is thrown then, there is no
 * answer, and nobody knows.
 */
async function answerOf(loop: Loop, call: ToolCall, leaf: Leaf): Promise<ToolResult | 'no-answer'> {
  try {
    return resultOf(loop, call.tool, await leaf.run(call));
  } catch (thrown) {
    if (isSuspended(thrown)) throw thrown;
    if (thrown instanceof SignalError) return signalled(thrown);
    if (call.signal.aborted || isCutOff(thrown)) return 'no-answer';
    return exceptionResult(loop, { tool: call.tool, thrown });
  }
}

/** A call that was told to stop may still say what it did; a lost lease cannot wait for that, or store it. */
async function lastWord(
  { invocation }: Loop,
  answer: Promise<ToolResult | 'no-answer'>,
): Promise<ToolResult | 'no-answer'> {
  const { reason } = invocation.signal;
  if (reason instanceof Interrupted && reason.why === 'lost') throw reason;
  return within(invocation, LAST_WORD, answer, 'no-answer');
}

const misreconciled = (tool: string, answer: unknown): string =>
  `The reconcile of tool '${tool}' answered '${String(answer)}', which is neither { done }, 'not-done' nor 'unknown'.`;

/** What a `once` call in doubt came to: its result, that it is unknown, or that it certainly did not happen. */
async function reconciled(loop: Loop, call: ToolCall, leaf: Leaf): Promise<ToolResult | 'not-done'> {
  if (!leaf.reconcile) return unknownOutcome(call.tool);
  const { invocation } = loop;
  const stop = new AbortController(); // its own: the call's may have aborted, and that is why this is asked
  try {
    const ms = invocation.signal.aborted ? Math.min(leaf.timeout, LAST_WORD) : leaf.timeout;
    const asked = Promise.resolve(leaf.reconcile({ ...call, signal: stop.signal }));
    const answer = await within(invocation, ms, asked, 'unknown');
    if (answer === 'not-done') return answer;
    // In plain JavaScript it may be anything: a misspelt word must not be taken for what was done.
    const known: object = Object(answer);
    if ('done' in known) return resultOf(loop, call.tool, known.done);
    if (answer !== 'unknown') tellDeveloper(loop, misreconciled(call.tool, answer));
    return unknownOutcome(call.tool);
  } catch {
    return unknownOutcome(call.tool);
  } finally {
    stop.abort();
  }
}

/**
 * The promise's value, or `otherwise` when it takes more than `ms`, more than a last word once the turn is cancelled, or
 * when the lease is lost.
 */
function within<T>(invocation: Invocation, ms: number, promise: Promise<T>, otherwise: T): Promise<T> {
  const { signal } = invocation;
  const timeUp = Promise.withResolvers<T>();
  const giveUp = (): void => timeUp.resolve(otherwise);
  const timers = [invocation.after(ms, giveUp)];
  const onAbort = (): void => {
    const isLost = signal.reason instanceof Interrupted && signal.reason.why === 'lost';
    if (isLost) giveUp();
    else timers.push(invocation.after(LAST_WORD, giveUp));
  };
  signal.addEventListener('abort', onAbort);
  return Promise.race([promise, timeUp.promise]).finally(() => {
    for (const cancel of timers) cancel();
    signal.removeEventListener('abort', onAbort);
  });
}
