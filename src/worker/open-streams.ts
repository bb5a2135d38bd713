import { ENCODER, pause, TIMERS } from '../tool/async.ts';
/** Limits the event streams that one caller has open in this isolate. */
import type { Caller } from './host.ts';
import { Problem } from './problem.ts';
import { isEventStream } from './request-headers.ts';

/**
 * Milliseconds after which an unread stream no longer counts: its client has disconnected or its invocation
 * has ended, which the platform does not always report. A stream with a reader receives comments more often
 * than that.
 */
const SILENT_MS = 60_000;
/**
 * A caller at the limit is refused after this many probes. Each sends comments and waits this many
 * milliseconds to detect disconnected clients.
 */
const MAX_PROBES = 3;
const PROBE_MS = 40;
/** A comment, which clients ignore. */
const EMPTY_COMMENT = ENCODER.encode(':\n\n');

/** The open streams of an app's callers. */
export interface OpenStreams {
  /**
   * Returns the response of `work`. A stream counts until its body ends, fails, or is cancelled.
   *
   * @throws Problem 429 if the caller has too many streams.
   */
  count(caller: StreamingCaller, asked: StreamCandidate, work: () => Promise<Response>): Promise<Response>;
}

/** Each person of a tenant counts separately. */
type StreamingCaller = Pick<Caller, 'id' | 'tenant'>;

/** A request whose response may be a stream. */
interface StreamCandidate {
  /**
   * `true` if the client's `Accept` requests a stream. Otherwise only the response shows whether it is one.
   */
  readonly isStream: boolean;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Creates the counter for one app. `most`: the limit for each caller. */
export function createOpenStreams(most: number): OpenStreams {
  const open = new Map<string, Set<StreamEntry>>();
  const getPlaces = (key: string): Set<StreamEntry> => {
    const places = open.get(key) ?? new Set();
    for (const place of places) if (Date.now() - place.seen >= SILENT_MS) places.delete(place);
    return places;
  };
  const enter = async ({ id, tenant }: StreamingCaller): Promise<StreamEntry> => {
    const key = JSON.stringify([id, tenant]);
    for (let tries = 0; getPlaces(key).size >= most; tries += 1) {
      if (tries === MAX_PROBES) throw createTooManyStreamsProblem(most);
      for (const { probe } of getPlaces(key)) probe();
      await pause(TIMERS, PROBE_MS);
    }
    const places = getPlaces(key);
    const place: StreamEntry = {
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
      // For other protocols, only the response shows whether it streams, so check the limit before any work
      // starts.
      const early = await enter(caller);
      if (!isStream) early.leave();
      try {
        const response = await work();
        if (isEventStream(response) && response.body) {
          const place = isStream ? early : await enter(caller);
          // If a client disconnects while the stream is idle, the platform does not cancel the body.
          signal.addEventListener('abort', place.leave);
          return new Response(trackReads(response.body, place), response);
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

const createTooManyStreamsProblem = (most: number): Problem =>
  new Problem('rate-limited', `You have ${most} event streams open. Close one, or ask for JSON.`, {
    retryAfter: 10,
  });

interface StreamEntry {
  /** The time of the last read. */
  seen: number;
  /** Writes a comment, which fails if the client has disconnected. */
  probe: () => void;
  leave(): void;
}

/** Returns a copy of the body that reports each read and its end. */
function trackReads(body: ReadableStream<Uint8Array>, place: StreamEntry): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // Also detects the end if the reader has stopped reading.
  reader.closed.then(place.leave, place.leave);
  return new ReadableStream<Uint8Array>(
    {
      start(out) {
        place.probe = () => out.enqueue(EMPTY_COMMENT);
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
