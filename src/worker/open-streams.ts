/** Bounds the event streams that one caller has open in this isolate. */
import { ConfigurationError } from '../model/configuration-error.ts';
import type { Caller } from './host.ts';
import { Problem } from './problem.ts';
import { wantsEvents } from './request-headers.ts';

/**
 * After this a stream is not counted of which nothing was read, in ms: its client or its invocation is gone, which the platform does not
 * always report. A stream that is read has a comment more often.
 */
const SILENT = 60_000;

/** The open streams of the callers of an app. */
export interface OpenStreams {
  /** Answers as `work` does. A stream counts until its body ends, fails, or is cancelled. @throws Problem 429 if the caller has too many. */
  count(caller: StreamingCaller, asked: AskedRoute, work: () => Promise<Response>): Promise<Response>;
}

/** Each person of a tenant counts alone. */
type StreamingCaller = Pick<Caller, 'id' | 'tenant'>;

interface AskedRoute {
  readonly route: StreamingRoute;
  readonly request: Request;
}

/** What a route says of its answers, by their status. */
interface StreamingRoute {
  readonly answers: Readonly<Record<number, { readonly streams?: unknown }>>;
  /** Absent of our own protocol, which streams to those alone whose `Accept` asks for it. */
  readonly refuse?: unknown;
}

/** Returns whether a route may answer with a stream. */
export const mayStream = ({ answers }: StreamingRoute): boolean =>
  Object.values(answers).some(({ streams }) => streams !== undefined);

/** Creates the count for one app. `most`: how many one caller may have. @throws ConfigurationError if that is no whole number above 0. */
export function createOpenStreams(most: number): OpenStreams {
  if (!Number.isSafeInteger(most) || most < 1)
    throw new ConfigurationError(`maxStreams is ${most}: use a whole number above 0.`);
  /** When each stream of a caller was there last. */
  const open = new Map<string, Set<{ seen: number }>>();
  /** Takes a place. */
  const enter = ({ id, tenant }: StreamingCaller): Place => {
    const key = JSON.stringify([id, tenant]);
    const [now, before] = [Date.now(), open.get(key) ?? []];
    const streams = new Set([...before].filter(({ seen }) => now - seen < SILENT));
    if (streams.size >= most) throw tooMany(most);
    const stream = { seen: now };
    open.set(key, streams.add(stream));
    return {
      read() {
        stream.seen = Date.now();
      },
      leave() {
        const left = open.get(key);
        left?.delete(stream);
        if (left?.size === 0) open.delete(key);
      },
    };
  };
  return {
    async count(caller, { route, request }, work) {
      const isStream = wantsEvents(request);
      if (!mayStream(route) || request.method === 'HEAD' || !(isStream || route.refuse)) return work();
      // Whether another protocol streams shows when it has answered: it is refused before it has begun anything.
      const early = enter(caller);
      if (!isStream) early.leave();
      try {
        const response = await work();
        if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
          const place = isStream ? early : enter(caller);
          // A client that goes while nothing is sent cancels no body.
          request.signal.addEventListener('abort', place.leave);
          return new Response(counted(response.body, place), response);
        }
        early.leave();
        return response;
      } catch (failure) {
        early.leave();
        throw failure;
      }
    },
  };
}

const tooMany = (most: number): Problem =>
  new Problem('rate-limited', `You have ${most} event streams open. Close one, or ask for JSON.`, {
    headers: { 'retry-after': '10' },
  });

/** The place of an open stream. */
interface Place {
  /** Something of the stream was read. */
  read(): void;
  leave(): void;
}

/** Returns the same body, which reports that it is read and when it is over. */
function counted(body: ReadableStream<Uint8Array>, { read, leave }: Place): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const { done, value } = await reader.read().catch((failure: unknown) => {
          leave();
          throw failure;
        });
        if (done) {
          leave();
          out.close();
        } else {
          read();
          out.enqueue(value);
        }
      },
      cancel(reason) {
        leave();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
