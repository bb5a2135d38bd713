import { ENCODER, pause, TIMERS } from '../tool/async.ts';
/** Bounds the event streams that one caller has open in this isolate. */
import type { Caller } from './host.ts';
import { Problem } from './problem.ts';
import { isEventStream } from './request-headers.ts';

/**
 * After this a stream is not counted of which nothing was read, in ms: its client or its invocation is gone, which the platform does not
 * always report. A stream that is read has a comment more often.
 */
const SILENT = 60_000;
/** A caller with all its streams open is refused when so many comments have found no client that is gone, each after so many ms. */
const PROBES = 3;
const PROBE_TIME = 40;
/** Says nothing to a client that reads events. */
const NOTHING = ENCODER.encode(':\n\n');

/** The open streams of the callers of an app. */
export interface OpenStreams {
  /**
   * Returns what `work` does, which may be a stream: one counts until its body ends, fails, or is cancelled.
   *
   * @throws Problem 429 if the caller has too many.
   */
  count(caller: StreamingCaller, asked: AskedStream, work: () => Promise<Response>): Promise<Response>;
}

/** Each person of a tenant counts alone. */
type StreamingCaller = Pick<Caller, 'id' | 'tenant'>;

/** A request whose answer may be a stream. */
interface AskedStream {
  /** The client's `Accept` asks for one. Otherwise the answer shows whether it is one. */
  readonly isStream: boolean;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Creates the count for one app. `most`: how many one caller may have. */
export function createOpenStreams(most: number): OpenStreams {
  const open = new Map<string, Set<Place>>();
  const placesOf = (key: string): Set<Place> => {
    const places = open.get(key) ?? new Set();
    for (const place of places) if (Date.now() - place.seen >= SILENT) places.delete(place);
    return places;
  };
  /** Takes a place. */
  const enter = async ({ id, tenant }: StreamingCaller): Promise<Place> => {
    const key = JSON.stringify([id, tenant]);
    for (let tries = 0; placesOf(key).size >= most; tries += 1) {
      if (tries === PROBES) throw tooMany(most);
      for (const { probe } of placesOf(key)) probe();
      await pause(TIMERS, PROBE_TIME);
    }
    const places = placesOf(key);
    const place: Place = {
      seen: Date.now(),
      probe: () => {},
      leave() {
        places.delete(place);
        if (places.size === 0 && open.get(key) === places) open.delete(key);
      },
    };
    open.set(key, places.add(place));
    return place;
  };
  return {
    async count(caller, { isStream, signal }, work) {
      // Whether another protocol streams shows when it has answered: it is refused before it has begun anything.
      const early = await enter(caller);
      if (!isStream) early.leave();
      try {
        const response = await work();
        if (isEventStream(response) && response.body) {
          const place = isStream ? early : await enter(caller);
          // A client that goes while nothing is sent cancels no body.
          signal.addEventListener('abort', place.leave);
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
    retryAfter: 10,
  });

/** The place of an open stream. */
interface Place {
  /** When something of the stream was read last. */
  seen: number;
  /** Writes a comment, which fails if the client is gone. */
  probe: () => void;
  leave(): void;
}

/** Returns the same body, which reports that it is read and when it is over. */
function counted(body: ReadableStream<Uint8Array>, place: Place): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // Also if no one reads its end any more.
  reader.closed.then(place.leave, place.leave);
  return new ReadableStream<Uint8Array>(
    {
      start(out) {
        place.probe = () => out.enqueue(NOTHING);
      },
      async pull(out) {
        const { done, value } = await reader.read();
        if (done) return out.close();
        place.seen = Date.now();
        out.enqueue(value);
      },
      cancel(reason) {
        place.leave();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
