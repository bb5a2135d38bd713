import type { ModelReply } from '../chat-model.ts';
import { isRecord } from '../untrusted-json.ts';
import { invalidReply, listOf, stringOf } from '../untrusted-reply.ts';
import { createSdkReply } from './sdk-reply.ts';

/**
 * Reads what `doGenerate` came to. `structured`: the answer was to have a form, for which some providers give its text
 * apart from drafts.
 *
 * @throws ModelError whenever there is no complete reply.
 */
export const readGenerated = (result: unknown, structured: boolean): ModelReply => {
  if (!isRecord(result)) throw invalidReply("The model's reply is not an object.");
  const reply = createSdkReply(() => {});
  for (const part of listOf(result, 'content')) {
    if (!isRecord(part)) throw invalidReply("The model's reply holds a content part that is not an object.");
    // Reasoning, files and sources have no place in our replies.
    if (part.type === 'text') reply.addText(stringOf(part, 'text'));
    if (part.type === 'tool-call') reply.addCall(part);
  }
  const ended = reply.end(result);
  const { structuredOutputText: chosen } = result;
  return structured && typeof chosen === 'string' ? { ...ended, text: chosen } : ended;
};
