import type { HistoryMessage } from '../../tool/call.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { defineTransformer } from './define-transformer.ts';

/**
 * Has a model shown the newest messages only: at most `maxMessages`, counted as they are sent (a reply and each of its results are
 * one each), without the system message, which always stands first. It cuts whole replies with their results,
 * keeps the newest message of the user wherever it stands, and begins with a message of a user. The newest
 * reply is shown even when it alone is longer.
 *
 * @throws RangeError when `maxMessages` is not a positive whole number.
 */
export function slidingWindow({ maxMessages }: { readonly maxMessages: number }): ModuleUse {
  if (!Number.isInteger(maxMessages) || maxMessages < 1) {
    throw new RangeError(`slidingWindow: maxMessages is ${maxMessages}; use a positive whole number.`);
  }
  return defineTransformer({
    name: `slidingWindow(${maxMessages})`,
    messages: (messages) => newest(messages, maxMessages),
  });
}

function newest(messages: readonly HistoryMessage[], most: number): readonly HistoryMessage[] {
  const question = messages.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let start = messages.length;
  let size = 0;
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    size += sizeOf(messages[i]);
    const pinned = i > question && question >= 0 ? 1 : 0;
    if (size + pinned > most && start < messages.length) break;
    start = i;
  }
  const pinned = messages[question];
  if (pinned && start > question) return [pinned, ...messages.slice(start)];
  const first = messages.findIndex(({ role }, index) => index >= start && role === 'user');
  return messages.slice(first < 0 ? start : first);
}

const sizeOf = (message: HistoryMessage | undefined): number =>
  message?.role === 'assistant' ? 1 + message.calls.length : 1;
