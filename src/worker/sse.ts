import { mistake } from '../tool/log.ts';
/** Server-sent events: how a response is streamed, and the frames of our own protocol. */

import type { StoredEvent } from '../journal/events.ts';
import { Changes, ENCODER, Stop } from '../tool/async.ts';
import type { Host } from './host.ts';
import { eventId } from './request-headers.ts';
import type { RouteRequest } from './route.ts';
import type { TurnItem } from './turn-feed.ts';

/** A comment this often keeps proxies from closing a silent stream, in ms. */
const HEARTBEAT = 15_000;
/** Says nothing, to anybody who reads events. */
export const COMMENT = ':\n\n';
/** When a client comes again whose stream has ended, in ms. */
const RETRY = 1_000;
/** Nothing more is asked for while a client has this much to read, in bytes. */
const AHEAD = 64 * 1024;

/** A request whose answer is a stream. */
type StreamRequest = Pick<RouteRequest, 'request' | 'execution'> & { readonly host: Pick<Host, 'log'> };

/** How a stream is sent. */
interface StreamSettings {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is sent at once: when to come again, unless given. */
  readonly first?: string | undefined;
}

/**
 * Answers with a stream of frames, which are asked for as fast as the client reads, and kept coming after this returns. `leave` aborts
 * when the client goes. When the frames throw, the stream just ends: its client resumes from the journal after the last id it saw.
 */
export function eventStream(
  { host, request, execution }: StreamRequest,
  frames: (leave: AbortSignal) => AsyncIterable<string>,
  { headers, first = `retry: ${RETRY}\n\n` }: StreamSettings = {},
): Response {
  const init = { headers: { 'content-type': 'text/event-stream', ...headers } };
  // Nobody reads a stream that answers HEAD, nor closes it.
  if (request.method === 'HEAD') return new Response(null, init);
  const gone = new Stop(request.signal);
  const { signal: leave } = gone;
  const stream = openStream(first, () => gone.abort());
  leave.addEventListener('abort', stream.close);
  const work = async (): Promise<void> => {
    for await (const frame of frames(leave)) {
      stream.write(frame);
      await stream.room();
    }
  };
  const working = work()
    .catch((failure) => {
      if (!leave.aborted) host.log(mistake('an event stream broke off', failure, 'request-failed'));
    })
    .finally(stream.close);
  execution.waitUntil(working);
  return new Response(stream.body, init);
}

/** The body of a response while it is written. */
interface OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  /** What is written after the client has gone is dropped. */
  write(text: string): void;
  /** Resolves when the client has read most of what was written, or has gone. */
  room(): Promise<void>;
  close(): void;
}

/** Opens a stream, with what is written first; `onGone` is called when the client closes it first. */
function openStream(first: string, onGone: () => void): OpenStream {
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const changes = new Changes();
  const write = (text: string): void => out?.enqueue(ENCODER.encode(text));
  const roomLeft = (): number => out?.desiredSize ?? 0;
  // A client that has something to read is not waiting.
  const heartbeat = setInterval(() => roomLeft() > 0 && write(COMMENT), HEARTBEAT);
  const end = (): void => {
    clearInterval(heartbeat);
    out = undefined;
    changes.tell();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller;
        // A first byte at once: some clients and proxies wait for it before they show the response.
        write(first);
      },
      pull: () => changes.tell(),
      cancel() {
        end();
        onGone();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD }),
  );
  return {
    body,
    write,
    async room() {
      while (out && roomLeft() <= 0) await changes.next;
    },
    close() {
      out?.close();
      end();
    },
  };
}

/** What our own streams send: the items of a turn, or of a whole session, which ends as a turn does. */
type Shown = TurnItem | { readonly type: 'erased' };

/**
 * The frames of our own protocol: an event for each item, named by its type. Only what is in the journal has an id: that is what a client
 * resumes after. `open` is given what it is to tell before the first event: which session it is of.
 */
export async function* eventFrames(
  open: (onIncarnation: (incarnation: string) => void) => AsyncIterable<Shown>,
): AsyncGenerator<string, void, undefined> {
  let incarnation: string | undefined;
  const items = open((told) => {
    incarnation = told;
  });
  for await (const item of items) {
    yield 'seq' in item ? framed(item.type, item, eventId(item.seq, incarnation)) : toFrame(item);
  }
}

function toFrame(item: Exclude<Shown, StoredEvent>): string {
  switch (item.type) {
    case 'answer':
      return framed(item.type, item.answer);
    case 'suspended':
      return framed(item.type, item.view);
    case 'later':
      return framed('accepted', item.view);
    default: {
      const { type, ...data } = item;
      // What comes after the end of a session is of another one: who resumes has seen nothing of that.
      return framed(type, data, type === 'erased' ? '' : undefined);
    }
  }
}

/** One frame of a stream, as HTML has server-sent events. An empty id takes back the one before. */
export const framed = (event: string, data: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
