import type { Patience } from '../patience.ts';
import { brokenConnection, invalidReply } from '../untrusted-reply.ts';

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
      if (!(value instanceof Uint8Array)) throw invalidReply("The model's reply is not a stream of bytes.");
      bytes += value.byteLength;
      if (bytes > limits.maxBytes)
        throw invalidReply(`The model's reply is larger than ${limits.maxBytes} bytes.`);
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Not awaited: a server that hangs may never let the cancellation settle.
    reader.cancel().catch(() => {});
  }
}
