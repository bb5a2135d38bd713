/** Requests and streams of a chat that survive lost connections. */
import type { UIMessageChunk } from 'ai';
import { computeBackoff, pause } from '../transport.ts';
import { ShownSteps } from './joined-replay.ts';

export type ChunkStream = ReadableStream<UIMessageChunk>;

/** Opens the stream of a chat: for a new message, or for a known turn. */
export type StreamOpener = (signal: AbortSignal, turn?: string) => Promise<ChunkStream>;

type StartChunk = Extract<UIMessageChunk, { type: 'start' }>;

interface ReconnectingOptions {
  readonly open: StreamOpener;
  /** Aborts when the chat is stopped. */
  readonly stop: AbortSignal | undefined;
  /** Whether the page supports the chunk that resets a step. */
  readonly canStepBack: boolean;
  /** How long to retry a lost connection, in ms. */
  readonly patience: number;
  readonly onStart: (start: StartChunk) => void;
  /**
   * Called at a stop, with a function that finds the turn. The connection is closed when its promise settles.
   */
  readonly onStop: (turn: () => Promise<string | undefined>) => Promise<void>;
}

/** Opens a stream, and reopens it if it breaks off before its turn has stopped. */
export async function openReconnectingStream(options: ReconnectingOptions): Promise<ChunkStream> {
  const { open, stop, onStart } = options;
  const steps = new ShownSteps(options.canStepBack);
  const leave = new AbortController();
  const stopAndLeave = (turn: () => Promise<string | undefined>): void => {
    options.onStop(turn).finally(() => leave.abort());
  };
  const opening = open(leave.signal);
  const first = await rejectOnAbort(opening, stop, () =>
    // The message may still be in transit. The first chunk names its turn.
    stopAndLeave(async () => {
      const start = await readStart(await opening);
      if (start) onStart(start);
      return start?.messageId;
    }),
  );
  const chunks = readChunks(options, { first, steps, signal: leave.signal });
  stop?.addEventListener('abort', () => stopAndLeave(async () => steps.turn));
  return toStream(chunks, () => leave.abort());
}

interface OpenedStream {
  readonly first: ChunkStream;
  readonly steps: ShownSteps;
  readonly signal: AbortSignal;
}

async function* readChunks(
  { open, stop, patience, onStart }: ReconnectingOptions,
  { first, steps, signal }: OpenedStream,
): AsyncGenerator<UIMessageChunk, void, undefined> {
  let stream = first;
  let filterChunk = (chunk: UIMessageChunk): readonly UIMessageChunk[] => [chunk];
  let lost = 0;
  for (let tries = 0; ; tries += 1) {
    let broken: unknown = new Error('The connection to the chat was lost.');
    let hasOutcome = false;
    try {
      for await (const chunk of readChunkStream(stream)) {
        if (chunk.type === 'error' && !hasOutcome) {
          // The turn has no outcome yet: it resumes elsewhere, or has become unreadable.
          broken = new Error(chunk.errorText);
          break;
        }
        if (chunk.type === 'start') onStart(chunk);
        else hasOutcome ||= 'messageMetadata' in chunk && chunk.messageMetadata !== undefined;
        for (const one of filterChunk(chunk)) {
          steps.shown(one);
          yield one;
          tries = 0;
        }
        if (chunk.type === 'finish' || chunk.type === 'abort') return;
      }
    } catch (thrown) {
      broken = thrown;
    }
    if (tries === 0) lost = Date.now();
    if (stop?.aborted || signal.aborted || pageUnload.isOn || Date.now() - lost > patience) throw broken;
    await pause(computeBackoff(tries + 1));
    filterChunk = steps.replay();
    try {
      stream = await open(signal, steps.turn);
    } catch {
      throw broken; // the chat was erased, or its caller may no longer read it
    }
  }
}

/**
 * Tracks whether the page is unloading. Streams that break meanwhile are not retried: when the user returns,
 * the page loads the chat from the Worker.
 */
export const pageUnload = {
  isOn: false,
  isWatched: false,
  watch(): void {
    const page: { addEventListener?(type: string, listener: () => void): void } = globalThis;
    if (this.isWatched) return;
    this.isWatched = true;
    page.addEventListener?.('pagehide', () => {
      this.isOn = true;
    });
    page.addEventListener?.('pageshow', () => {
      this.isOn = false;
    });
  },
};

interface RetryOptions {
  readonly patience: number;
  /** Returns whether the same request will soon get another response. */
  readonly isPassing: (response: Response) => boolean;
  readonly signal: AbortSignal | null | undefined;
}

/** Sends a request until it gets a response. All requests of a chat are safe to retry. */
export async function sendWithRetry(
  send: () => Promise<Response>,
  { patience, isPassing, signal }: RetryOptions,
): Promise<Response> {
  const since = Date.now();
  for (let tries = 0; ; tries += 1) {
    const isLast = (): boolean =>
      Boolean(signal?.aborted) || pageUnload.isOn || Date.now() - since > patience;
    try {
      const response = await send();
      if (!isPassing(response) || isLast()) return response;
      await response.body?.cancel();
    } catch (thrown) {
      if (isLast()) throw thrown;
    }
    await pause(computeBackoff(tries + 1));
  }
}

function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined, onStop: () => void): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      onStop();
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Returns the first chunk of a stream, which has the id of its turn. */
async function readStart(
  stream: ChunkStream,
): Promise<Extract<UIMessageChunk, { type: 'start' }> | undefined> {
  for await (const chunk of readChunkStream(stream)) return chunk.type === 'start' ? chunk : undefined;
  return undefined;
}

/** Reads a stream, since not all browsers can iterate over one. */
async function* readChunkStream<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function toStream<T>(items: AsyncGenerator<T, void, undefined>, onCancel: () => void): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(out) {
      const { done, value } = await items.next();
      if (done) out.close();
      else out.enqueue(value);
    },
    async cancel() {
      onCancel();
      await items.return();
    },
  });
}
