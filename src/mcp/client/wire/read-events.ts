import { createParser } from 'eventsource-parser';

/** One event of a stream; a server that wants clients to come back for the rest begins with one without data. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
}

/** Events as they come, and the milliseconds that the server wants clients to wait before they ask for the rest. */
export type EventOrRetry = StreamEvent | { readonly retry: number };

/**
 * The events of a stream, in order. An event that is not complete at the end was not sent (HTML, server-sent events). A
 * reader that stops early cancels the body.
 *
 * @throws what reading the body throws.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventOrRetry, void> {
  let read: EventOrRetry[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => read.push({ id, type: event ?? 'message', data }),
    onRetry: (retry) => read.push({ retry }),
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* read;
    read = [];
  }
}
