import type { SilenceTimer } from '../ask-patiently.ts';
import { ModelError } from '../chat-model.ts';
import { createBrokenConnectionError, createInvalidReplyError } from '../untrusted-reply.ts';

/** The maximum size of a reply in bytes, more than any model writes at once. A Worker has 128 MB in total. */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;

/**
 * The maximum size of a stream in bytes. Little of it stays in memory, and each token can take hundreds of
 * bytes.
 */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** Reads the events of one stream. */
interface EventReader {
  /** Reads the data of one event. An error that it throws ends the stream. */
  take(data: string): void;
  /** `true` if the reply is complete. After that, a broken stream loses no data. */
  readonly finished: boolean;
}

/**
 * Forwards each event's data to the reader until `[DONE]` or the end of the stream. Returns whether `[DONE]`
 * arrived.
 *
 * @throws ModelError if the stream breaks before the reply is complete. Errors from `take` pass through.
 */
export const readEvents = async (
  pieces: AsyncIterable<string>,
  patience: SilenceTimer,
  reader: EventReader,
): Promise<boolean> => {
  let done = false;
  const feed = createDataParser((data) => {
    patience.check();
    if (done || data === '') return;
    done = data.trim() === '[DONE]';
    if (!done) reader.take(data);
  });
  try {
    for await (const piece of pieces) {
      feed(piece);
      if (done) return true;
    }
    // Some servers end without an empty line, which leaves their last event open.
    feed('\n\n');
  } catch (error) {
    // Only usage can follow a complete reply, so losing the rest of the stream does no harm.
    const lost =
      error instanceof ModelError && (error.failure === 'truncated' || error.failure === 'timeout');
    if (!lost || !reader.finished) throw error;
  }
  return done;
};

/**
 * Creates a function that parses pieces of a stream of server-sent events (HTML) and passes on the data of
 * each event. Other fields carry no content of a reply. Each character is read once, wherever the pieces are
 * cut.
 */
export const createDataParser = (hand: (data: string) => void): ((piece: string) => void) => {
  let line = '';
  let data: string[] = [];
  let endedInCr = false;
  return (piece) => {
    if (piece === '') return;
    const lines = (endedInCr && piece.startsWith('\n') ? piece.slice(1) : piece).split(/\r\n?|\n/);
    endedInCr = piece.endsWith('\r');
    lines[0] = line + lines[0];
    line = lines.pop() ?? '';
    for (const whole of lines) {
      if (whole.startsWith('data:')) data.push(whole.slice(whole[5] === ' ' ? 6 : 5));
      else if (whole === '' && data.length > 0) {
        const event = data.join('\n');
        data = [];
        hand(event);
      }
    }
  };
};

/**
 * Yields the decoded text of a body as it arrives, or no text if there is no body. Always cancels the reader,
 * because an unread body keeps its connection open.
 *
 * @throws ModelError `invalid-reply` above `maxBytes`, `truncated` if the connection breaks. Errors of
 * `patience` pass through.
 */
export async function* readText(
  body: ReadableStream<Uint8Array> | null,
  limits: { readonly patience: SilenceTimer; readonly maxBytes: number },
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await limits.patience.wait(() => reader.read(), createBrokenConnectionError);
      if (done) break;
      // A binding can return a stream of values other than bytes.
      if (!(value instanceof Uint8Array)) throw createInvalidReplyError('is not a stream of bytes.');
      bytes += value.byteLength;
      if (bytes > limits.maxBytes) throw createInvalidReplyError(`is larger than ${limits.maxBytes} bytes.`);
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Not awaited: a hanging server can leave the cancellation pending forever.
    reader.cancel().catch(() => {});
  }
}
