import { type JournaledCall, ROOT } from './events.ts';
import { framesAround } from './spending.ts';
import type { CallCounts, CallRecord, FrameState, TurnState } from './state.ts';

/** The calls of a reply, each with its places. */
export const placed = (
  calls: readonly JournaledCall[],
  turn: TurnState | undefined,
  frame: string,
): CallRecord[] => {
  const counters = turn ? countersOf(turn, frame) : [];
  return calls.map((call, index) => {
    const name = toolOf(call);
    const before = calls.slice(0, index).filter((one) => toolOf(one) === name).length;
    const places = counters.map(({ id, counts }) => ({
      frame: id,
      calls: counts.toolCalls + index + 1,
      ofTool: (counts.callsByTool.get(name) ?? 0) + before + 1,
    }));
    return { ...call, places };
  });
};

/** Counts the calls of a reply, wherever they count. */
export function countCalls(calls: readonly JournaledCall[], turn: TurnState, frame: FrameState): void {
  for (const { counts } of countersOf(turn, frame.id)) {
    counts.toolCalls += calls.length;
    for (const name of calls.map(toolOf))
      counts.callsByTool.set(name, (counts.callsByTool.get(name) ?? 0) + 1);
  }
}

/** The tool for which a call counts: the one behind a facade that it is meant for, or the one that it names. */
export const toolOf = ({ name, meant = name }: Pick<JournaledCall, 'name' | 'meant'>): string => meant;

interface Counter {
  readonly id: string;
  readonly counts: CallCounts;
}

/** Where calls of a frame count: in itself and the frames around it, and in the turn, which stands for its own loop. */
function countersOf(turn: TurnState, frame: string): readonly Counter[] {
  const from = turn.frames.get(frame);
  const nested = from ? framesAround(turn, from).filter(({ id }) => id !== ROOT) : [];
  return [{ id: ROOT, counts: turn }, ...nested.map((counts) => ({ id: counts.id, counts }))];
}
