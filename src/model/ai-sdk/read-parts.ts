import type { OpenAttempt } from '../ask-patiently.ts';
import type { ModelError, ModelReply } from '../chat-model.ts';
import { isRecord } from '../untrusted-json.ts';
import { brokenConnection, cutShort, invalidReply, stringOf } from '../untrusted-reply.ts';
import { createSdkReply } from './sdk-reply.ts';

/** Makes our error of what a model threw; `otherwise` is for one that says nothing to us. */
export type Explain = (thrown: unknown, otherwise?: ModelError) => ModelError;

/**
 * Reads what `doStream` came to, and hands its text on as it arrives. The stream is cancelled on every path.
 *
 * @throws ModelError whenever there is no complete reply; what `explain` makes of an error in the stream.
 */
export const readParts = async (
  result: unknown,
  { patience, onText }: OpenAttempt,
  explain: Explain,
): Promise<ModelReply> => {
  const stream = isRecord(result) ? result.stream : undefined;
  if (!(stream instanceof ReadableStream)) throw invalidReply('The model gave no stream.');
  const reply = createSdkReply(onText);
  const broken = (thrown: unknown): ModelError => explain(thrown, brokenConnection());
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await patience.wait(() => reader.read(), broken);
      if (done) throw cutShort();
      if (!isRecord(value)) continue;
      // A part of any other type is not for us, or was not thought of when this was written.
      if (value.type === 'text-delta') reply.addText(stringOf(value, 'delta'));
      if (value.type === 'tool-call') reply.addCall(value);
      if (value.type === 'error') throw explain(value.error);
      if (value.type === 'finish') return reply.end(value);
    }
  } finally {
    // Not awaited: a model that hangs may never let the cancellation settle.
    reader.cancel().catch(() => {});
  }
};
