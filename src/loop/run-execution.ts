import type { CallRecord } from '../journal/state.ts';
import { untilAborted } from '../tool/async.ts';
import type { ToolCall, ToolExecution } from '../tool/call.ts';
import { SignalError } from '../tool/signals.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import { exceptionResult, resultOf } from './call-ending.ts';
import { isCutOff } from './exception-processor.ts';
import { isInterrupted } from './holder.ts';
import { inLoop, type Loop } from './loop.ts';
import {
  inDoubt,
  lastWord,
  type Running,
  reconciled,
  type Said,
  stopped,
  withoutAnswer,
} from './reconcile.ts';
import type { ToolCallRun } from './tool-call-run.ts';

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

/** What came of an effect, and how long `run` took. */
interface Ran {
  readonly result: ToolResult;
  readonly ms?: number;
}

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
    return await inDoubt(code, { ...running, ...found, answer });
  } finally {
    cancel();
  }
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

function noAnswer(thrown: unknown): 'no-answer' {
  if (isInterrupted(thrown, 'suspended')) throw thrown;
  return 'no-answer';
}
