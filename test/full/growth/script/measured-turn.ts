/** Measures the time and memory of a Worker's turns from outside. */
import { setTimeout as wait } from 'node:timers/promises';
import { readWorkerdPeakMemory } from '../../../bench/workerd-cpu.ts';
import { type RunningWorker, startWorker } from '../../process/start-worker.ts';
import { type HeapReader, openHeapReader } from './heap.ts';
import type { ModelServer } from './model-server.ts';

export interface MeasuredWorker {
  readonly worker: RunningWorker;
  readonly heap: HeapReader;
  readonly model: ModelServer;
}

/** Starts a process on this storage, with an engine that exposes the garbage collector. */
export async function startMeasured(model: ModelServer, storage: string): Promise<MeasuredWorker> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = '--expose-gc';
  const vars = { MODEL_URL: model.url };
  const worker = await startWorker('test/full/growth/file-worker.ts', { vars, storage, isInspected: true });
  return { worker, model, heap: await openHeapReader('holdfast', await worker.inspector()) };
}

export async function stopMeasured({ worker, heap }: MeasuredWorker): Promise<void> {
  heap.close();
  await worker.stop();
}

export const getSessionUrl = ({ worker }: MeasuredWorker, session: string): string =>
  new URL(`/agents/seer/sessions/${session}`, worker.url).href;

/** The measurements of a turn. Memory is in bytes. */
export interface MeasuredTurn {
  readonly ms: number;
  /** The maximum of the live memory during a model request. */
  readonly held: number;
  /** The maximum memory that was observed, including garbage. */
  readonly seen: number;
  /** The live memory after the turn. */
  readonly after: number;
  /** The peak memory of the process since its start. */
  readonly process: number;
  /** The largest request to the model server. */
  readonly request: number;
}

/**
 * The number of collections that are needed to free all garbage. A buffer is freed one collection after its
 * object.
 */
const COLLECTIONS = 3;

async function measureLiveMemory({ worker, heap }: MeasuredWorker): Promise<number> {
  // The inspector also has a command for this, but it blocks until the Worker receives a request.
  for (let i = 0; i < COLLECTIONS; i += 1) {
    const response = await fetch(new URL('/collect', worker.url));
    if (!response.ok) throw new Error(`/collect returned ${response.status}.`);
    await response.text();
  }
  return heap.read();
}

/** Runs a turn to its end. The time of the measurement itself is subtracted. */
export async function measureTurn(
  at: MeasuredWorker,
  session: string,
  body: FormData | string,
): Promise<MeasuredTurn> {
  const most = { held: 0, seen: 0, request: 0 };
  const measureHeap = async (): Promise<void> => {
    most.seen = Math.max(most.seen, await at.heap.read());
  };
  let paused = 0;
  at.model.onRequest = async (bytes) => {
    const began = performance.now();
    most.request = Math.max(most.request, bytes);
    await measureHeap();
    most.held = Math.max(most.held, await measureLiveMemory(at));
    paused += performance.now() - began;
  };
  let isOver = false;
  const looking = (async () => {
    for (; !isOver; await wait(5)) await measureHeap();
  })();
  const began = performance.now();
  try {
    await post(getSessionUrl(at, session), body);
  } finally {
    isOver = true;
  }
  const ms = performance.now() - began - paused;
  await looking;
  return { ms, ...most, after: await measureLiveMemory(at), process: readWorkerdPeakMemory() };
}

async function post(session: string, body: FormData | string): Promise<void> {
  const headers: Record<string, string> =
    typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(`${session}/messages`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || (JSON.parse(text) as { outcome?: string }).outcome !== 'completed')
    throw new Error(`The turn did not complete (${response.status}): ${text}`);
}
