import { decorate } from '../decorate.ts';
import { loopMemo } from '../loop-memo.ts';
import type { AnyTool, CallScope, HistoryCall } from '../tool.ts';
import { modelText, succeeded, withheld } from '../tool-result.ts';

/**
 * Lets a tool deliver its content once a loop. A further call is answered that the content is above, with `advice` on what to
 * do instead, and is neither an error (ONE-05) nor a success. Only a success counts (ONE-09), and only while the model is still shown its
 * result: when a window or a compaction has dropped it, it was shortened to make room, or the call comes from a nested loop with a conversation of its
 * own, the tool runs again. Parallel calls run one after another, so that one of them delivers.
 *
 * @param advice what the model is told to do instead, such as "Write your script now using the skill body above."
 */
export const oneShotPerLoop = <T extends AnyTool>(tool: T, advice: string): T =>
  decorate(tool, {
    serial: tool.serial ?? tool.name,
    async call(input, invocation) {
      // Under the name that the model calls it by: two renamed tools may have the same name beneath.
      const memo = loopMemo(`one-shot:${invocation.tool}`);
      if (isShown(invocation, memo.noted(invocation)))
        return withheld(alreadyLoaded(invocation.tool, advice));
      const result = await tool.call(input, invocation);
      if (succeeded(result)) memo.note(invocation, invocation.id);
      return result;
    },
  });

/** Whether the model is shown the result of the call that was noted. */
const isShown = (call: CallScope, noted: unknown): boolean =>
  noted !== undefined &&
  call
    .history()
    .some(
      (message) =>
        message.role === 'assistant' && message.calls.some((one) => one.id === noted && isWhole(one)),
    );

/** Of a result that was shortened to make room, the model does not have what it would be sent back to. */
const isWhole = ({ result, shown = Infinity }: HistoryCall): boolean =>
  result !== undefined && modelText(result).length <= shown;

/** Models key on the first two words, which therefore never vary (ONE-06). */
const alreadyLoaded = (tool: string, advice: string): string =>
  `ALREADY LOADED. The body of '${tool}' was returned earlier in this turn — read it from your conversation history ` +
  `above. Do not call this tool again.\n${advice}`;
