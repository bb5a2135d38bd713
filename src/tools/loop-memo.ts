import type { Json, JsonLike } from './json.ts';
import type { CallScope } from './tool.ts';
import { loopId } from './tool-call-context.ts';

/** Loops that one memo remembers; the one that was noted first is forgotten first (ONE-03). */
const REMEMBERED_LOOPS = 16;

/**
 * What tools remember of a loop: of one turn, or of several that were sent the same `loopId` (ONE-10). It is kept in
 * `call.state`, so it outlives the invocation, holds under the path of the loop in which the call runs, and takes effect
 * when the call succeeds. Calls of one batch see each other's notes only when their tools share a `serial` (ONE-04).
 * A call without a loop id finds nothing and notes nothing (ONE-02).
 */
export interface LoopMemo {
  /** True until a call of this loop that asked has succeeded; without a loop id always. Notes that it was asked. */
  firstTimeIn(call: CallScope): boolean;
  /** What was noted of this loop. */
  noted(call: CallScope): Json | undefined;
  /** In place of what was noted of this loop before. */
  note(call: CallScope, value: JsonLike): void;
}

/** Memos of one name are one memo, wherever they were made; those of different names share nothing (ONE-01). */
export function loopMemo(name: string): LoopMemo {
  const key = `holdfast.memo:${name}`;

  function noted(call: CallScope): Json | undefined {
    const loop = loopId(call.context);
    return notesOf(call.state.get(key)).find(([of]) => of === loop)?.[1];
  }

  function note(call: CallScope, value: JsonLike): void {
    const loop = loopId(call.context);
    if (loop === undefined) return;
    const others = notesOf(call.state.get(key)).filter(([of]) => of !== loop);
    call.state.set(key, [...others, [loop, value] as const].slice(-REMEMBERED_LOOPS));
  }

  return {
    noted,
    note,
    firstTimeIn(call) {
      if (noted(call) !== undefined) return false;
      note(call, true);
      return true;
    },
  };
}

type Note = readonly [loop: Json, value: Json];

/** Notes by loop id, oldest first; none when the state holds something else under this key. */
const notesOf = (kept: Json | undefined): readonly Note[] =>
  Array.isArray(kept) ? kept.flatMap((note) => (isNote(note) ? [note] : [])) : [];

const isNote = (note: Json): note is Note => Array.isArray(note) && note.length === 2;
