import type { Patience } from '../ask-patiently.ts';
import { ModelError } from '../chat-model.ts';
import { brokenConnection, invalidReply } from '../untrusted-reply.ts';

/** It is more than any model writes at once; a Worker has 128 MB for everything. */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;

/** The same for a stream, of which little is kept: each token may come in hundreds of bytes of its own. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** The reader of the events of one stream. */
interface EventReader {
  /** Takes the data of one event. What it throws ends the reading. */
  take(data: string): void;
  /** Whether the reply is complete, so that a stream that breaks now breaks nothing. */
  readonly finished: boolean;
}

/**
 * Hands each event's data to the reader until `[DONE]` or the stream's end, and tells whether `[DONE]` came.
 *
 * @throws ModelError when the stream breaks before the reply is complete, and what `take` throws.
 */
export const readEvents = async (
  pieces: AsyncIterable<string>,
  patience: Patience,
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
    // Some servers end without an empty line, so that their last event is still open.
    feed('\n\n');
  } catch (error) {
    // Nothing of worth can follow the end of the reply, so losing the rest of the stream loses nothing.
    const lost =
      error instanceof ModelError && (error.failure === 'truncated' || error.failure === 'timeout');
    if (!lost || !reader.finished) throw error;
  }
  return done;
};

/**
 * Creates a function that takes a stream of server-sent events (HTML) in pieces, and hands on the data of each event. No other field
 * says anything of a reply. Each piece is looked at once, however it is cut.
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
 * Yields the decoded text of a body as it arrives; no body is no text. The reader is cancelled on every path, since an
 * unread body keeps its connection.
 *
 * @throws ModelError `invalid-reply` above `maxBytes`, `truncated` when the connection breaks, and what `patience` throws.
 */
export async function* readText(
  body: ReadableStream<Uint8Array> | null,
  limits: { readonly patience: Patience; readonly maxBytes: number },
): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await limits.patience.wait(() => reader.read(), brokenConnection);
      if (done) break;
      // A binding may hand over a stream of anything.
      if (!(value instanceof Uint8Array)) throw invalidReply('is not a stream of bytes.');
      bytes += value.byteLength;
      if (bytes > limits.maxBytes) throw invalidReply(`is larger than ${limits.maxBytes} bytes.`);
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // It is not awaited: a server that hangs may never let the cancellation settle.
    reader.cancel().catch(() => {});
  }
}
