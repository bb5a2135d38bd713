import { type JournaledCall, ROOT } from './events.ts';
import type { CallCounts, CallRecord, FrameState, TurnState } from './state.ts';

/** The calls of a reply, each with its places. */
export const placed = (
  calls: readonly JournaledCall[],
  turn: TurnState | undefined,
  frame: string,
): CallRecord[] => {
  const counters = turn ? countersOf(turn, frame) : [];
  return calls.map((call, index) => {
    const before = calls.slice(0, index).filter(({ name }) => name === call.name).length;
    const places = counters.map(({ id, counts }) => ({
      frame: id,
      calls: counts.toolCalls + index + 1,
      ofTool: (counts.callsByTool.get(call.name) ?? 0) + before + 1,
    }));
    return { ...call, places };
  });
};

/** Counts the calls of a reply, wherever they count. */
export function countCalls(calls: readonly JournaledCall[], turn: TurnState, frame: FrameState): void {
  for (const { counts } of countersOf(turn, frame.id)) {
    counts.toolCalls += calls.length;
    for (const { name } of calls) counts.callsByTool.set(name, (counts.callsByTool.get(name) ?? 0) + 1);
  }
}

interface Counter {
  readonly id: string;
  readonly counts: CallCounts;
}

/** Where calls of a frame count: in itself and the frames around it, and in the turn, which stands for its own loop. */
function countersOf(turn: TurnState, frame: string): Counter[] {
  const counters: Counter[] = [{ id: ROOT, counts: turn }];
  let inside = turn.frames.get(frame);
  while (inside && inside.id !== ROOT) {
    counters.push({ id: inside.id, counts: inside });
    inside = turn.frames.get(inside.parent ?? ROOT);
  }
  return counters;
}
