import type { CallContext, HistoryCall } from '../../tool/call.ts';
import { assertTool, decorate, getOrigin, opensTools } from '../../tool/decorate.ts';
import type { Json, JsonLike } from '../../tool/json.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { loopId } from '../../tool/tool-call-context.ts';
import { createWithheldResult, getModelText, isSuccess } from '../../tool/tool-result.ts';

/**
 * Lets a tool deliver its content once per loop. A further call returns a note that the content is above,
 * with `advice` on how to continue. The note does not count as an error or as a success. Only a successful
 * call counts, and only while the model still sees its full result. The tool runs again if a window or a
 * compaction has dropped or shortened the result, or if the call comes from a nested loop with a conversation
 * of its own. Parallel calls run one after another, so only one of them delivers. Opening an unfolding tool
 * counts only while it is open. After a turn has closed it, a call opens it again.
 *
 * @param advice what the model should do instead, such as "Write your script now using the skill body above."
 *
 * @example
 * ```ts
 * const once = oneShotPerLoop(lookUp, 'Answer now from the text above.');
 * ```
 */
export function oneShotPerLoop<T extends AnyTool>(tool: T, advice: string): T {
  assertTool(tool);
  return decorate(tool, {
    serial: tool.serial ?? tool.name,
    async call(input, call) {
      // Uses the name that the model sees, because two renamed tools can share their original name.
      const memo = loopMemo(`one-shot:${call.tool}`);
      const noted = memo.recall(call);
      if (isShown(call, noted) && (!opensTools(tool) || isOpen(call, noted)))
        return createWithheldResult(formatAlreadyLoaded(call.tool, advice));
      const result = await tool.call(input, call);
      if (isSuccess(result)) memo.remember(call, call.id);
      return result;
    },
  });
}

/** Returns `true` if the model still sees the result of the noted call. */
const isShown = (call: CallContext, noted: unknown): boolean =>
  noted !== undefined &&
  call
    .history()
    .some(
      (message) =>
        message.role === 'assistant' && message.calls.some((one) => one.id === noted && isWhole(one)),
    );

/**
 * Returns `true` if inner tools of the unfolding tool are offered, or will be by the noted call in the same
 * reply.
 */
function isOpen(call: CallRun, noted: unknown): boolean {
  if (call.offered().some((one) => getOrigin(one)?.by.some(({ name }) => name === call.tool))) return true;
  const reply = call.history().at(-1);
  return reply?.role === 'assistant' && reply.calls.some(({ id }) => id === noted);
}

/** Returns `true` if the result is not shortened. The model cannot read the rest of a shortened result. */
const isWhole = ({ result, shown = Infinity }: HistoryCall): boolean =>
  result !== undefined && getModelText(result).length <= shown;

/** Models react to the first two words, so they are constant. */
const formatAlreadyLoaded = (tool: string, advice: string): string =>
  `ALREADY LOADED. The body of '${tool}' was returned earlier in this turn — read it from your conversation history ` +
  `above. Do not call this tool again.\n${advice}`;

/** The maximum number of loops that a memo keeps. The oldest is dropped first. */
const MAX_REMEMBERED_LOOPS = 16;

/**
 * Notes that tools store for a loop: for one turn, or for several turns with the same `loopId`. They are in
 * `call.state`, so they survive the invocation, are scoped to the path of the call's loop, and take effect
 * when the call succeeds. Calls of one batch see each other's notes only if their tools share a `serial`. A
 * call without a loop id reads and writes no notes.
 */
export interface LoopMemo {
  /**
   * Returns `true` until a call of this loop that used this method has succeeded. Always returns `true`
   * without a loop id.
   */
  firstTimeIn(call: CallContext): boolean;
  /** Returns the note of this loop. */
  recall(call: CallContext): Json | undefined;
  /** Replaces the note of this loop. */
  remember(call: CallContext, value: JsonLike): void;
}

/**
 * Creates a memo with a name. Memos with the same name share their notes, wherever they are created.
 *
 * @example
 * ```ts
 * const memo = loopMemo('rates');
 * ```
 */
export function loopMemo(name: string): LoopMemo {
  const key = `holdfast.memo:${name}`;

  function readNote(call: CallContext): Json | undefined {
    const loop = loopId(call.context);
    return parseNotes(call.state.get(key)).find(([of]) => of === loop)?.[1];
  }

  function writeNote(call: CallContext, value: JsonLike): void {
    const loop = loopId(call.context);
    if (loop === undefined) return;
    const others = parseNotes(call.state.get(key)).filter(([of]) => of !== loop);
    call.state.set(key, [...others, [loop, value] as const].slice(-MAX_REMEMBERED_LOOPS));
  }

  return {
    recall: readNote,
    remember: writeNote,
    firstTimeIn(call) {
      if (readNote(call) !== undefined) return false;
      writeNote(call, true);
      return true;
    },
  };
}

type LoopNote = readonly [loop: Json, value: Json];

/**
 * Returns the notes by loop id, oldest first. Returns an empty list if the state has another kind of value
 * under this key.
 */
const parseNotes = (kept: Json | undefined): readonly LoopNote[] =>
  Array.isArray(kept) ? kept.flatMap((note) => (isNote(note) ? [note] : [])) : [];

const isNote = (note: Json): note is LoopNote => Array.isArray(note) && note.length === 2;
