import type { TurnError } from '../journal/events.ts';
import { OUTCOMES_WITH_ANSWER } from '../journal/reduce.ts';
import { raceAbort } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import { askModel } from './ask-model.ts';
import { type Batch, createBatch } from './batch.ts';
import { executeCall } from './execute-call.ts';
import { isInterrupted } from './holder.ts';
import { type Loop, type LoopEnd, toLoopFields } from './loop.ts';
import { notifyWatchers } from './loop-seams.ts';
import { decideNextStep, isSupersededBySignal } from './next-step.ts';
import { getShownAnswer } from './shown-history.ts';
import { logLostValue } from './tool-answer.ts';

/**
 * Asks the model and runs its tool calls until the loop has an answer or waits for one. Resumes where the
 * journal ends.
 *
 * @throws InterruptionError if this invocation must not continue.
 * @throws ModelError if the model gave no reply.
 */
export async function runToolLoop(loop: Loop): Promise<LoopEnd> {
  for (;;) {
    loop.holder.checkpoint();
    const step = decideNextStep(loop.frame, loop.spec, loop.journal.state.turn);
    switch (step.do) {
      case 'ask':
        await askModel(loop, step.last);
        break;
      case 'act':
        await runBatch(loop);
        break;
      case 'refuse': {
        const { most, used } = step;
        const refused = { limit: 'tokens', most, used, needed: 1 } as const;
        loop.journal.emit({ type: 'model-refused', ...toLoopFields(loop), ...refused });
        break;
      }
      case 'end': {
        const { do: _, ...end } = step;
        return end;
      }
    }
    if (loop.spec.uses.length > 0) notifyWatchers(loop, { at: 'step' });
  }
}

/**
 * Runs the remaining calls of the last reply in parallel, except calls with the same `serial`, which run one
 * after another.
 *
 * @throws InterruptionError if this invocation must not continue. By then, every call that began has ended or is
 * left open.
 */
export async function runBatch(loop: Loop): Promise<void> {
  const batch = createBatch(loop);
  const settled = await Promise.allSettled(batch.lanes.map((lane) => runLane(batch, lane)));
  loop.holder.checkpoint();
  for (const message of literals?.sharedWrites(batch.lanes) ?? []) logLostValue(loop, message);
  for (const lane of settled) {
    if (lane.status === 'fulfilled') continue;
    if (canContinue(batch, lane.reason)) return;
    throw lane.reason;
  }
}

async function runLane(batch: Batch, lane: Batch['lanes'][number]): Promise<void> {
  const { holder } = batch.loop;
  // The later calls of a lane have not begun, unless an earlier deployment had other lanes. So they do not
  // block other calls.
  releaseCalls(batch, lane.slice(1));
  try {
    for (const call of lane) {
      holder.checkpoint();
      await executeCall(batch, call);
      releaseCalls(batch, [call]);
    }
  } finally {
    releaseCalls(batch, lane);
  }
}

/** Releases calls that have ended, are left open, or have not begun, with the locks that they hold. */
function releaseCalls({ loop: { locks, memories } }: Batch, calls: Batch['lanes'][number]): void {
  for (const { record } of calls) {
    locks.passed.add(record.id);
    locks.current?.release(record.id);
    memories.live?.release(record.id);
  }
}

/**
 * Returns whether the loop can continue despite a suspended call: it waits for permission to run, but another
 * call has ended the loop.
 */
const canContinue = ({ batch, loop }: Batch, reason: unknown): boolean =>
  isInterrupted(reason, 'suspended') && batch.some(isSupersededBySignal(batch, loop.journal.state.turn));

/**
 * Runs a loop until its answer has the declared form, if any. The first answer without it is journaled as
 * rejected, with the reasons, and the model is asked again. A second one fails the loop. This is decided from
 * the folded state alone, so it survives a killed invocation. An answer that cannot be requested again
 * (returned by a tool, or the last one at a limit) need not have the form.
 */
export async function runForOutput(loop: Loop): Promise<LoopEnd> {
  const { frame, journal, holder } = loop;
  const { output } = loop.spec;
  for (;;) {
    const end = await runToolLoop(loop);
    if (!output || end.signal || !OUTCOMES_WITH_ANSWER.includes(end.outcome)) return end;
    const answer = await raceAbort(holder.signal, output.parse(getShownAnswer(loop)));
    if (answer.ok) return { ...end, object: answer.object };
    if (end.outcome !== 'completed' || journal.state.turn?.limited) return end;
    const { problems } = answer;
    if (frame.rejected) return { outcome: 'failed', error: createInvalidOutputError(problems) };
    journal.emit({ type: 'answer-rejected', ...toLoopFields(loop), problems });
  }
}

const createInvalidOutputError = (problems: readonly string[]): TurnError => ({
  type: 'invalid-output',
  message: `The model's answer does not have the form of the agent's output, even after a retry: ${problems.join(' ')}`,
});
