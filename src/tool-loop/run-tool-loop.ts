import { type CallRecord, type FrameState, openBatch } from '../journal/state.ts';
import { askModel } from './ask-model.ts';
import { executeCall } from './execute-call.ts';
import type { Loop } from './loop.ts';
import { type LoopEnd, nextStep } from './next-step.ts';
import { offerTools } from './offer-tools.ts';

/**
 * Asks the model and runs its tool calls until the frame has an answer or waits for one. Goes on from wherever the
 * journal stands.
 *
 * @throws Interrupted when this invocation may not go on; ModelError when the model gave no reply.
 */
export async function runToolLoop(loop: Loop, frame: FrameState): Promise<LoopEnd> {
  for (;;) {
    loop.invocation.checkpoint();
    const step = nextStep(frame, loop.limits);
    switch (step.do) {
      case 'ask':
        await askModel(loop, frame, step.last);
        break;
      case 'act':
        await runBatch(loop, frame);
        break;
      case 'end':
        return step;
    }
  }
}

/** Runs what is left of the last reply's calls: together, but one after another within a `serial`. */
async function runBatch(loop: Loop, frame: FrameState): Promise<void> {
  const offered = offerTools(loop, frame);
  const lanes = new Map<string, CallRecord[]>();
  for (const call of openBatch(frame)) {
    if (call.ended) continue;
    const serial = offered.byName.get(call.name)?.serial;
    const lane = serial === undefined ? `call ${call.id}` : `serial ${serial}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), call]);
  }
  const running = [...lanes.values()].map(async (lane) => {
    for (const call of lane) {
      loop.invocation.checkpoint();
      await executeCall(loop, frame, call, offered);
    }
  });
  const settled = await Promise.allSettled(running);
  loop.invocation.checkpoint();
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}
