import type { OpenAttempt } from '../ask-patiently.ts';
import { MAX_REPLY_BYTES, readEvents } from '../chat-completions/read-events.ts';
import { readText } from '../chat-completions/read-text.ts';
import { createReplyAssembly, type ReplyAssembly } from '../chat-completions/reply-assembly.ts';
import type { ModelReply } from '../chat-model.ts';
import { parseJson } from '../untrusted-json.ts';
import { cutShort, invalidReply } from '../untrusted-reply.ts';
import { toCompletion } from './to-completion.ts';

const json = (text: string): unknown => {
  const value = parseJson(text);
  if (value === undefined) throw invalidReply("The model's reply is not JSON.");
  return value;
};

const readStream = async (
  stream: ReadableStream<Uint8Array>,
  { patience }: OpenAttempt,
  assembly: ReplyAssembly,
): Promise<void> => {
  let chunks = 0;
  const done = await readEvents(readText(stream, { patience, maxBytes: MAX_REPLY_BYTES }), patience, {
    take(data) {
      chunks += 1;
      assembly.addChunk(toCompletion(json(data), null));
    },
    get finished() {
      return assembly.finished;
    },
  });
  if (assembly.finished) return;
  if (!done || chunks === 0) throw cutShort();
  // Workers AI's own shape of chunks gives no reason for the end but `[DONE]`.
  assembly.addChunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
};

/**
 * Reads what a run came to, a stream of events or a whole reply, and hands its text to `onText` as it arrives. Models
 * that cannot stream answer whole whatever they were asked for.
 *
 * @throws ModelError whenever there is no complete reply.
 */
export const readRun = async (result: unknown, attempt: OpenAttempt): Promise<ModelReply> => {
  const assembly = createReplyAssembly(attempt.onText);
  if (result instanceof ReadableStream) await readStream(result, attempt, assembly);
  else assembly.addCompletion(toCompletion(result, 'stop'));
  attempt.patience.check();
  return assembly.reply();
};
