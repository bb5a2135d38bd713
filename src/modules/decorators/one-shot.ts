import type { CallContext, HistoryCall } from '../../tool/call.ts';
import { decorate, mustBeTool, opensTools, originOf } from '../../tool/decorate.ts';
import type { Json, JsonLike } from '../../tool/json.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { loopId } from '../../tool/tool-call-context.ts';
import { modelText, succeeded, withheld } from '../../tool/tool-result.ts';

/**
 * Lets a tool deliver its content once a loop. A further call is answered that the content is above, with `advice` on what to
 * do instead, and is neither an error nor a success. Only a success counts, and only while the model is still shown its
 * result: when a window or a compaction has dropped it, it was shortened to make room, or the call comes from a nested loop with a conversation of its
 * own, the tool runs again. Parallel calls run one after another, so that one of them delivers. The opening of an unfolding tool counts
 * only while it is open: once a turn has closed it, a call opens it again.
 *
 * @param advice what the model is told to do instead, such as "Write your script now using the skill body above."
 */
export function oneShotPerLoop<T extends AnyTool>(tool: T, advice: string): T {
  mustBeTool(tool);
  return decorate(tool, {
    serial: tool.serial ?? tool.name,
    async call(input, call) {
      // Under the name that the model calls it by: two renamed tools may have the same name beneath.
      const memo = loopMemo(`one-shot:${call.tool}`);
      const noted = memo.recall(call);
      if (isShown(call, noted) && (!opensTools(tool) || isOpen(call, noted)))
        return withheld(alreadyLoaded(call.tool, advice));
      const result = await tool.call(input, call);
      if (succeeded(result)) memo.remember(call, call.id);
      return result;
    },
  });
}

/** Whether the model is shown the result of the call that was noted. */
const isShown = (call: CallContext, noted: unknown): boolean =>
  noted !== undefined &&
  call
    .history()
    .some(
      (message) =>
        message.role === 'assistant' && message.calls.some((one) => one.id === noted && isWhole(one)),
    );

/** Whether tools of the unfolding tool are offered; or will be, by the noted call of the same reply. */
function isOpen(call: CallRun, noted: unknown): boolean {
  if (call.offered().some((one) => originOf(one)?.by.some(({ name }) => name === call.tool))) return true;
  const reply = call.history().at(-1);
  return reply?.role === 'assistant' && reply.calls.some(({ id }) => id === noted);
}

/** Of a result that was shortened to make room, the model does not have what it would be sent back to. */
const isWhole = ({ result, shown = Infinity }: HistoryCall): boolean =>
  result !== undefined && modelText(result).length <= shown;

/** Models key on the first two words, which therefore never vary. */
const alreadyLoaded = (tool: string, advice: string): string =>
  `ALREADY LOADED. The body of '${tool}' was returned earlier in this turn — read it from your conversation history ` +
  `above. Do not call this tool again.\n${advice}`;

/** Loops that one memo remembers; the one that was noted first is forgotten first. */
const REMEMBERED_LOOPS = 16;

/**
 * What tools remember of a loop: of one turn, or of several that were sent the same `loopId`. It is kept in
 * `call.state`, so it outlives the invocation, holds under the path of the loop in which the call runs, and takes effect
 * when the call succeeds. Calls of one batch see each other's notes only when their tools share a `serial`.
 * A call without a loop id finds nothing and notes nothing.
 */
export interface LoopMemo {
  /** True until a call of this loop that asked has succeeded; without a loop id always. Notes that it was asked. */
  firstTimeIn(call: CallContext): boolean;
  /** What was noted of this loop. */
  recall(call: CallContext): Json | undefined;
  /** In place of what was noted of this loop before. */
  remember(call: CallContext, value: JsonLike): void;
}

/** Makes the memo of a name. Memos of one name are one memo, wherever they were made; those of different names share nothing. */
export function loopMemo(name: string): LoopMemo {
  const key = `holdfast.memo:${name}`;

  function noted(call: CallContext): Json | undefined {
    const loop = loopId(call.context);
    return notesOf(call.state.get(key)).find(([of]) => of === loop)?.[1];
  }

  function note(call: CallContext, value: JsonLike): void {
    const loop = loopId(call.context);
    if (loop === undefined) return;
    const others = notesOf(call.state.get(key)).filter(([of]) => of !== loop);
    call.state.set(key, [...others, [loop, value] as const].slice(-REMEMBERED_LOOPS));
  }

  return {
    recall: noted,
    remember: note,
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
