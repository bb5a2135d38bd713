import { type CallRecord, type FrameState, openBatch } from '../journal/state.ts';
import { executeCall } from './execute-call.ts';
import { Interrupted } from './interrupted.ts';
import { laneOf } from './lane.ts';
import type { Loop } from './loop.ts';
import { isMoot } from './next-step.ts';
import { offerTools } from './offer-tools.ts';

/**
 * Runs what is left of the last reply's calls: together, but one after another within a `serial`.
 *
 * @throws Interrupted when this invocation may not go on; every call that was begun has ended or is left open then.
 */
export async function runBatch(loop: Loop, frame: FrameState): Promise<void> {
  const offered = offerTools(loop, frame, 'last-reply');
  const lanes = new Map<string, CallRecord[]>();
  for (const call of openBatch(frame)) {
    if (call.ended) continue;
    const serial = laneOf(call, offered.byName);
    const lane = serial === undefined ? `call ${call.id}` : `serial ${serial}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), call]);
  }
  const running = [...lanes.values()].map(async (lane) => {
    // What comes after the first of a lane has not begun, unless the lanes were others then: nobody waits for it.
    for (const { id } of lane.slice(1)) loop.locks.release(id);
    try {
      for (const call of lane) {
        loop.invocation.checkpoint();
        await executeCall(loop, frame, call, offered).finally(() => {
          loop.locks.release(call.id);
          loop.memories.release(call.id);
        });
      }
    } finally {
      for (const { id } of lane) loop.locks.release(id);
    }
  });
  const settled = await Promise.allSettled(running);
  loop.invocation.checkpoint();
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed && !goesOn(frame, failed.reason)) throw failed.reason;
}

/** A call asks for leave to run after another one has ended the loop: it is answered instead of waited for. */
function goesOn(frame: FrameState, reason: unknown): boolean {
  const batch = openBatch(frame);
  return reason instanceof Interrupted && reason.why === 'suspended' && batch.some(isMoot(batch));
}
