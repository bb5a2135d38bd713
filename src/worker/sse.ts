import { createErrorEntry } from '../tool/log.ts';
/** Server-sent events: streaming a response, and the frames of our own protocol. */

import type { StoredEvent } from '../journal/events.ts';
import { ChangeNotifier, ENCODER, StopController } from '../tool/async.ts';
import type { Host } from './host.ts';
import { formatEventId } from './request-headers.ts';
import type { RouteRequest } from './route.ts';
import type { TurnItem } from './turn-feed.ts';

/** Milliseconds between comments, which keep proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000;
/** A comment, which clients ignore. */
export const COMMENT = ':\n\n';
/** Milliseconds until a client reconnects after its stream has ended. */
const RETRY_MS = 1_000;
/** The maximum unread bytes at which the next frame is still requested. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** A request whose response is a stream. */
type StreamRequest = Pick<RouteRequest, 'request' | 'execution'> & { readonly host: Pick<Host, 'log'> };

interface StreamSettings {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The first text. Defaults to the reconnection time. */
  readonly first?: string | undefined;
}

/**
 * Returns a response with a stream of frames. The frames are requested as fast as the client reads, even
 * after this function returns. `leave` aborts when the client disconnects. If `frames` throws, the stream
 * ends. The client resumes from the journal after the last id that it received.
 */
export function createEventStream(
  { host, request, execution }: StreamRequest,
  frames: (leave: AbortSignal) => AsyncIterable<string>,
  { headers, first = `retry: ${RETRY_MS}\n\n` }: StreamSettings = {},
): Response {
  const init = { headers: { 'content-type': 'text/event-stream', ...headers } };
  // The response to HEAD has no reader, so the stream would never be closed.
  if (request.method === 'HEAD') return new Response(null, init);
  const gone = new StopController(request.signal);
  const { signal: leave } = gone;
  const stream = openStream(first, () => gone.abort());
  leave.addEventListener('abort', stream.close);
  const pumpFrames = async (): Promise<void> => {
    for await (const frame of frames(leave)) {
      stream.write(frame);
      await stream.room();
    }
  };
  const working = pumpFrames()
    .catch((failure) => {
      if (!leave.aborted) host.log(createErrorEntry('an event stream broke off', failure, 'request-failed'));
    })
    .finally(stream.close);
  execution.waitUntil(working);
  return new Response(stream.body, init);
}

/** A response body that is still being written. */
interface OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Writes text, or drops it if the client has disconnected. */
  write(text: string): void;
  /** Resolves when the client has read most of the written text, or has disconnected. */
  room(): Promise<void>;
  close(): void;
}

/** Opens a stream with its first text. Calls `onGone` if the client closes it early. */
function openStream(first: string, onGone: () => void): OpenStream {
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const changes = new ChangeNotifier();
  const write = (text: string): void => out?.enqueue(ENCODER.encode(text));
  const getRoomLeft = (): number => out?.desiredSize ?? 0;
  // A client with unread data needs no comment.
  const heartbeat = setInterval(() => getRoomLeft() > 0 && write(COMMENT), HEARTBEAT_MS);
  const endStream = (): void => {
    clearInterval(heartbeat);
    out = undefined;
    changes.notify();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller;
        // Sent at once: some clients and proxies wait for the first byte before they show the response.
        write(first);
      },
      pull: () => changes.notify(),
      cancel() {
        endStream();
        onGone();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
  return {
    body,
    write,
    async room() {
      while (out && getRoomLeft() <= 0) await changes.next;
    },
    close() {
      out?.close();
      endStream();
    },
  };
}

/** The items of our own streams, of a turn or a whole session. */
type FrameItem = TurnItem | { readonly type: 'erased' };

/**
 * Returns the frames of our own protocol: an event for each item, with the item's type as its name. Only
 * journaled events have an id, since clients resume after ids. `open` receives a callback for the session's
 * incarnation, to call before the first event.
 */
export async function* streamEventFrames(
  open: (onIncarnation: (incarnation: string) => void) => AsyncIterable<FrameItem>,
): AsyncGenerator<string, void, undefined> {
  let incarnation: string | undefined;
  const items = open((told) => {
    incarnation = told;
  });
  for await (const item of items) {
    yield 'seq' in item ? formatFrame(item.type, item, formatEventId(item.seq, incarnation)) : toFrame(item);
  }
}

function toFrame(item: Exclude<FrameItem, StoredEvent>): string {
  switch (item.type) {
    case 'answer':
      return formatFrame(item.type, item.answer);
    case 'suspended':
      return formatFrame(item.type, item.view);
    case 'later':
      return formatFrame('accepted', item.view);
    default: {
      const { type, ...data } = item;
      // Later events belong to another session, so a resuming client must start at its first event.
      return formatFrame(type, data, type === 'erased' ? '' : undefined);
    }
  }
}

/** Formats one frame of a stream (HTML, server-sent events). An empty id clears the previous one. */
export const formatFrame = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
