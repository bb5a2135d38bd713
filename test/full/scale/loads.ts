/** Loads a measured Worker with many concurrent sessions, many waiting readers, or one long session. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { MeasuredWorker } from '../../bench/measured-worker.ts';

/**
 * An owner's session in the measured Worker. An owner may have only a few streams, so the readers have many
 * owners.
 */
interface SessionPlace {
  readonly owner: string;
  readonly session: string;
}

const toUrl = (worker: MeasuredWorker, { session }: SessionPlace): string =>
  new URL(`/agents/read/sessions/${session}`, worker.url).href;

/** Sends a message. @throws Error if its turn does not complete. */
export async function send(worker: MeasuredWorker, place: SessionPlace, message: string): Promise<void> {
  const response = await fetch(`${toUrl(worker, place)}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-owner': place.owner },
    body: JSON.stringify({ message }),
  });
  const body = await response.text();
  const { outcome } = JSON.parse(body) as { outcome?: string }; // the answer of a turn
  if (outcome !== 'completed') throw new Error(`The turn did not complete: ${body}`);
}

/** The memory of the Worker's process, in bytes. */
export interface MemoryUse {
  readonly before: number;
  /** The maximum that was observed. */
  readonly most: number;
  readonly after: number;
}

/** The interval between measurements of memory, in ms. */
const SAMPLE_INTERVAL_MS = 20;

async function measureMemoryWhile(worker: MeasuredWorker, work: () => Promise<void>): Promise<MemoryUse> {
  const before = worker.memory();
  let most = before;
  let isOver = false;
  const looking = (async () => {
    for (; !isOver; await wait(SAMPLE_INTERVAL_MS)) most = Math.max(most, worker.memory());
  })();
  await work().finally(() => {
    isOver = true;
  });
  await looking;
  return { before, most, after: worker.memory() };
}

/** The time that the model takes in ms. It is long enough for all sessions to be open at once. */
const THINK_MS = 3_000;

/** Sends the first message of this many sessions at once. Each session has its own owner. */
export const openNewSessions = (worker: MeasuredWorker, count: number, name = 'new'): Promise<MemoryUse> =>
  measureMemoryWhile(worker, async () => {
    const places = Array.from({ length: count }, (_, index) => ({
      owner: `${name}-${index}`,
      session: `${name}-${index}`,
    }));
    await Promise.all(places.map((place) => send(worker, place, `ms=${THINK_MS}`)));
  });

/** Sends requests to this many objects at once. Each object only stores one row. */
export const openBareObjects = (worker: MeasuredWorker, count: number, name = 'new'): Promise<MemoryUse> =>
  measureMemoryWhile(worker, async () => {
    const asked = Array.from({ length: count }, (_, index) =>
      worker.ask(`/${name}-${index}`, { ms: THINK_MS }),
    );
    await Promise.all(asked);
  });

/** The number of streams that one caller may open. */
const STREAMS_PER_READER = 16;

/** The open streams of waiting readers. Each stream belongs to a session that has had one turn. */
export interface ReaderLoad {
  readonly places: readonly SessionPlace[];
  readonly memory: MemoryUse;
  /** Returns the number of events that each reader received, in order. */
  seen(): readonly number[];
  leave(): void;
}

/** The number of streams that are opened at once. */
const OPEN_BATCH_SIZE = 50;

/** Opens this many streams, with 16 for each session. */
export async function openReaders(worker: MeasuredWorker, count: number): Promise<ReaderLoad> {
  const places = Array.from({ length: Math.ceil(count / STREAMS_PER_READER) }, (_, index) => ({
    owner: `read-${index}`,
    session: `read-${index}`,
  }));
  for (let at = 0; at < places.length; at += OPEN_BATCH_SIZE)
    await Promise.all(places.slice(at, at + OPEN_BATCH_SIZE).map((place) => send(worker, place, 'hello')));
  const seen: number[] = Array.from({ length: count }, () => 0);
  const streams: IncomingMessage[] = [];
  const open = async (index: number): Promise<void> => {
    const place = places[Math.floor(index / STREAMS_PER_READER)];
    if (!place) throw new Error(`Reader ${index} has no session.`);
    const stream = await openStream(`${toUrl(worker, place)}/events`, place.owner);
    stream.on('data', (chunk: string) => {
      seen[index] = (seen[index] ?? 0) + (chunk.match(/^id:/gm)?.length ?? 0);
    });
    streams.push(stream);
  };
  const memory = await measureMemoryWhile(worker, async () => {
    for (let at = 0; at < count; at += OPEN_BATCH_SIZE) {
      const indexes = Array.from({ length: Math.min(OPEN_BATCH_SIZE, count - at) }, (_, index) => at + index);
      await Promise.all(indexes.map(open));
    }
  });
  return {
    places,
    memory,
    seen: () => [...seen],
    leave() {
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Opens an event stream. Uses `node:http`, because its client can disconnect at any time without an error. */
async function openStream(url: string, owner: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false, headers: { accept: 'text/event-stream', 'x-owner': owner } });
  const [stream] = (await once(request, 'response')) as [IncomingMessage]; // this event has one argument
  if (stream.statusCode !== 200) throw new Error(`The event stream returned ${stream.statusCode}.`);
  stream.on('error', () => {}); // the stream is destroyed on purpose
  return stream.setEncoding('utf8');
}
