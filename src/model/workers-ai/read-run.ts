import type { OpenAttempt } from '../ask-patiently.ts';
import { MAX_STREAM_BYTES, readEvents, readText } from '../chat-completions/read-stream.ts';
import { createReplyAssembly, type ReplyAssembly } from '../chat-completions/reply-assembly.ts';
import type { ModelReply } from '../chat-model.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import {
  createInvalidReplyError,
  createTruncatedReplyError,
  parseReply,
  readList,
  toJsonText,
} from '../untrusted-reply.ts';

/**
 * Reads the result of a run, a stream of events or a whole reply, and forwards its text as it arrives. A
 * model that cannot stream returns a whole reply for any request.
 *
 * @throws ModelError if there is no complete reply.
 */
export const readRun = async (result: unknown, attempt: OpenAttempt): Promise<ModelReply> => {
  const assembly = createReplyAssembly(attempt);
  if (result instanceof ReadableStream) await readStream(result, attempt, assembly);
  else assembly.addCompletion(toCompletion(result, 'stop'));
  attempt.patience.check();
  return assembly.reply();
};

const readStream = async (
  stream: ReadableStream<Uint8Array>,
  { patience }: OpenAttempt,
  assembly: ReplyAssembly,
): Promise<void> => {
  let chunks = 0;
  const done = await readEvents(readText(stream, { patience, maxBytes: MAX_STREAM_BYTES }), patience, {
    take(data) {
      chunks += 1;
      assembly.addChunk(toCompletion(parseReply(data), null));
    },
    get finished() {
      return assembly.finished;
    },
  });
  if (assembly.finished) return;
  if (!done || chunks === 0) throw createTruncatedReplyError();
  // In Workers AI's own chunk format, `[DONE]` is the only finish reason.
  assembly.addChunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
};

/**
 * Converts a reply of Workers AI, or one chunk of it, to chat completions. Its format, one of two, depends on
 * the model. `ending` is the finish reason for the format without one.
 *
 * @throws ModelError `invalid-reply` if it has another format.
 */
const toCompletion = (value: unknown, ending: string | null): unknown => {
  if (typeof value === 'string') {
    return { choices: [{ message: { content: value }, finish_reason: ending }] };
  }
  // An error has the same form in both formats.
  if (!isRecord(value) || value.error || value.object === 'error') return value;
  if (value.choices !== undefined && value.choices !== null)
    return { ...value, choices: readList(value, 'choices').map(toChoice) };
  const { response, usage, finish_reason: reason, reasoning, reasoning_content } = value;
  if (response === undefined && value.tool_calls === undefined && !isRecord(usage)) {
    throw createInvalidReplyError('has neither a response nor choices.');
  }
  // In JSON mode the response is a parsed object. Some models also return a bare number.
  const message = withCalls({
    reasoning,
    reasoning_content,
    content: toJsonText(response),
    tool_calls: value.tool_calls,
  });
  return { choices: [{ message, finish_reason: reason ?? ending }], usage };
};

/**
 * Converts a call. Workers AI returns flat calls or calls in OpenAI's format. In both, the input may already
 * be parsed.
 */
const toCall = (call: unknown): unknown => {
  if (!isRecord(call)) return call;
  const called = call.function ?? { name: call.name, arguments: call.arguments };
  if (!isRecord(called)) return call;
  return { ...call, function: { ...called, arguments: toJsonText(called.arguments) } };
};

/** Returns whether a fragment has content. A stream closes a call with a fragment of `null` values. */
const hasContent = (call: unknown): boolean =>
  !isRecord(call) ||
  !isRecord(call.function) ||
  Boolean(call.id || call.function.name || call.function.arguments);

const withCalls = (message: UntrustedRecord): UntrustedRecord => ({
  ...message,
  tool_calls: readList(message, 'tool_calls').map(toCall).filter(hasContent),
});

const toChoice = (choice: unknown): unknown => {
  if (!isRecord(choice)) return choice;
  const { message, delta } = choice;
  return {
    ...choice,
    ...(isRecord(message) ? { message: withCalls(message) } : {}),
    ...(isRecord(delta) ? { delta: withCalls(delta) } : {}),
  };
};
