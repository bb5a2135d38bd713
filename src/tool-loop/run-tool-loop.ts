import type { FrameState } from '../journal/state.ts';
import { askModel } from './ask-model.ts';
import { inspectIteration } from './inspect.ts';
import type { Loop } from './loop.ts';
import { type LoopEnd, nextStep } from './next-step.ts';
import { runBatch } from './run-batch.ts';

/**
 * Asks the model and runs its tool calls until the frame has an answer or waits for one. Goes on from wherever the
 * journal stands.
 *
 * @throws Interrupted when this invocation may not go on; ModelError when the model gave no reply.
 */
export async function runToolLoop(loop: Loop, frame: FrameState): Promise<LoopEnd> {
  for (;;) {
    loop.invocation.checkpoint();
    const step = nextStep(frame, loop);
    switch (step.do) {
      case 'ask':
        await askModel(loop, frame, step.last);
        break;
      case 'act':
        await runBatch(loop, frame);
        break;
      case 'end': {
        const { do: _, ...end } = step;
        return end;
      }
    }
    inspectIteration(loop, frame);
  }
}
