import type { AgentOutput } from '../agent/agent-output.ts';
import type { Outcome, TurnError } from '../journal/events.ts';
import type { FrameState, TurnState } from '../journal/state.ts';
import type { Loop } from '../tool-loop/loop.ts';
import type { LoopEnd } from '../tool-loop/next-step.ts';
import { answerShown } from '../tool-loop/transform.ts';
import { untilAborted } from '../tool-loop/until-aborted.ts';
import type { Json } from '../tools/json.ts';

/** How a turn's own loop stopped. */
export type AnswerEnd = LoopEnd & {
  /** Its answer, where transformers changed it. */
  readonly text?: string;
  /** Its answer as data, when the agent declares a form. */
  readonly object?: Json;
};

interface Run {
  readonly loop: Loop;
  readonly root: FrameState;
  readonly turn: TurnState;
  readonly output: AgentOutput;
}

/** Outcomes whose text may have the form; only a completed turn has to. */
const ANSWERED: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

/**
 * Runs the loop until its answer has the declared form. The first that has not is journaled as rejected, with the
 * reasons, and the model is asked once more; the second ends the turn. Decided from the folded state alone, so that it
 * does not matter where a former invocation was killed.
 *
 * An answer that nobody could ask for again (returned by a tool, or the last one at a limit) need not have the form.
 */
export async function runForOutput({ loop, root, turn, output }: Run): Promise<AnswerEnd> {
  for (;;) {
    const end = await loop.run(loop, root);
    if (end.signal || !ANSWERED.includes(end.outcome)) return end;
    const answer = await untilAborted(loop.invocation.signal, output.parse(answerShown(loop, root)));
    if (answer.ok) return { ...end, object: answer.object };
    if (end.outcome !== 'completed' || turn.limited) return end;
    if (turn.rejected) return { outcome: 'failed', error: invalidOutput(answer.problems) };
    loop.journal.emit({ type: 'answer-rejected', turn: turn.id, problems: answer.problems });
  }
}

const invalidOutput = (problems: readonly string[]): TurnError => ({
  type: 'invalid-output',
  message: `The model's answer does not have the form of the agent's output, also after it was told why: ${problems.join(' ')}`,
});
