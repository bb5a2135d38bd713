import { inFrame, type Outcome, type TurnError } from '../journal/events.ts';
import type { FrameState } from '../journal/state.ts';
import type { Json } from '../tools/json.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import type { Loop } from './loop.ts';
import type { LoopEnd } from './next-step.ts';
import { answerShown } from './transform.ts';

/** How a loop stopped whose answer may have a form. */
export type FormedEnd = LoopEnd & {
  /** Its answer as data, when it has the form. */
  readonly object?: Json;
};

/** Outcomes whose text may have the form; only a completed loop has to. */
const ANSWERED: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

/**
 * Runs a loop until its answer has the declared form, if there is one. The first that has not is journaled as rejected,
 * with the reasons, and the model is asked once more; the second ends the loop. Decided from the folded state alone, so
 * that it does not matter where a former invocation was killed.
 *
 * An answer that nobody could ask for again (returned by a tool, or the last one at a limit) need not have the form.
 */
export async function runForOutput(loop: Loop, frame: FrameState): Promise<FormedEnd> {
  const { output, journal, turn, invocation } = loop;
  for (;;) {
    const end = await loop.run(loop, frame);
    if (!output || end.signal || !ANSWERED.includes(end.outcome)) return end;
    const answer = await untilAborted(invocation.signal, output.parse(answerShown(loop, frame)));
    if (answer.ok) return { ...end, object: answer.object };
    if (end.outcome !== 'completed' || journal.state.turn?.limited) return end;
    const { problems } = answer;
    if (frame.rejected) return { outcome: 'failed', error: invalidOutput(problems) };
    journal.emit({ type: 'answer-rejected', turn, ...inFrame(frame.id), problems });
  }
}

const invalidOutput = (problems: readonly string[]): TurnError => ({
  type: 'invalid-output',
  message: `The model's answer does not have the form of the agent's output, also after it was told why: ${problems.join(' ')}`,
});
