import type { FeedItem } from '../session/live-feed.ts';
import type { Host } from './host.ts';
import type { RouteRequest } from './route.ts';

/** A comment this often keeps proxies from closing a silent stream, in ms. */
const HEARTBEAT = 15_000;
/** When a client comes again whose stream has ended, in ms. */
const RETRY = 1_000;
/** A writer that can wait does so when its client has this much to read, in bytes. */
const AHEAD = 64 * 1024;
/** A client has fallen behind that has so much to read, in bytes. */
const BEHIND = 1024 * 1024;

/** A stream of server-sent events, written from the inside. */
export interface EventStream {
  /** What is sent after the client has gone is dropped. */
  send(item: FeedItem): void;
  /** A named event that is not in the journal. */
  sendNamed(event: string, data: unknown): void;
  /** The client has so much to read that nothing more is to be sent before there is room. */
  readonly isBehind: boolean;
  /** Resolves when the client has read most of what was sent, or has gone. */
  room(): Promise<void>;
}

/**
 * Answers with a stream that `work` writes, kept going after this returns. `leave` aborts when the client goes. When
 * `work` throws the stream just ends: its client resumes from the journal after the last id it saw.
 */
export function eventStream(
  {
    host,
    request,
    execution,
  }: Pick<RouteRequest, 'request' | 'execution'> & { readonly host: Pick<Host, 'log'> },
  work: (stream: EventStream, leave: AbortSignal) => Promise<void>,
): Response {
  const gone = new AbortController();
  const leave = AbortSignal.any([gone.signal, request.signal]);
  const stream = openEventStream(() => gone.abort());
  leave.addEventListener('abort', stream.close);
  const working = work(stream, leave)
    .catch((failure) => {
      const message = 'an event stream broke off';
      if (!leave.aborted) host.log({ level: 'error', event: 'request-failed', message, thrown: failure });
    })
    .finally(stream.close);
  execution.waitUntil(working);
  return stream.response;
}

/** Opens a stream; `onGone` is called when the client closes it first. */
function openEventStream(onGone: () => void): EventStream & { readonly response: Response; close(): void } {
  const encoder = new TextEncoder();
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wake = (): void => {};
  const write = (text: string): void => out?.enqueue(encoder.encode(text));
  const roomLeft = (): number => out?.desiredSize ?? 0;
  // A client that has something to read is not waiting.
  const heartbeat = setInterval(() => roomLeft() > 0 && write(':\n\n'), HEARTBEAT);
  const end = (): void => {
    clearInterval(heartbeat);
    out = undefined;
    wake();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller;
        // A first byte at once: some clients and proxies wait for it before they show the response.
        write(`retry: ${RETRY}\n\n`);
      },
      pull: () => wake(),
      cancel() {
        end();
        onGone();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD }),
  );
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    send: (item) => write(toText(item)),
    sendNamed: (event, data) => write(toFrame(event, data)),
    get isBehind() {
      return roomLeft() < AHEAD - BEHIND;
    },
    async room() {
      while (out && roomLeft() <= 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      out?.close();
      end();
    },
  };
}

/** Only what is in the journal has an id: that is what a client resumes after. */
function toText(item: FeedItem): string {
  if (item.type !== 'event') {
    const { type, ...data } = item;
    return toFrame(type, data);
  }
  const { stored } = item;
  return toFrame(stored.type, stored, stored.seq);
}

const toFrame = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
