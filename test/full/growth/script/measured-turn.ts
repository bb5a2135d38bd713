/** A Worker whose turns are measured from outside: their time, and the memory that they take. */
import { setTimeout as wait } from 'node:timers/promises';
import { workerdMost } from '../../../bench/workerd-cpu.ts';
import { type RunningWorker, startWorker } from '../../process/start-worker.ts';
import { type HeapReader, readHeapOf } from './heap.ts';
import type { ModelServer } from './model-server.ts';

export interface MeasuredWorker {
  readonly worker: RunningWorker;
  readonly heap: HeapReader;
  readonly model: ModelServer;
}

/** Starts a process over this storage. Its engine is told to expose its garbage collector. */
export async function startMeasured(model: ModelServer, storage: string): Promise<MeasuredWorker> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = '--expose-gc';
  const vars = { MODEL_URL: model.url };
  const worker = await startWorker('test/full/growth/file-worker.ts', { vars, storage, isInspected: true });
  return { worker, model, heap: await readHeapOf('holdfast', await worker.inspector()) };
}

export async function stopMeasured({ worker, heap }: MeasuredWorker): Promise<void> {
  heap.close();
  await worker.stop();
}

export const sessionAt = ({ worker }: MeasuredWorker, session: string): string =>
  new URL(`/agents/seer/sessions/${session}`, worker.url).href;

/** Memory in bytes. */
export interface MeasuredTurn {
  readonly ms: number;
  /** What cannot be collected while the model's server has a request: the most of all requests. */
  readonly held: number;
  /** The most that was seen, garbage with it. */
  readonly seen: number;
  /** What is left when the turn is over. */
  readonly after: number;
  /** The most that the process has had since it started. */
  readonly process: number;
  /** The largest that the model's server was sent. */
  readonly request: number;
}

/** Collections until nothing is found any more: a buffer goes with the one after that of its object. */
const COLLECTIONS = 3;

async function held({ worker, heap }: MeasuredWorker): Promise<number> {
  // The inspector has a command for that, which waits until the Worker is asked something.
  for (let i = 0; i < COLLECTIONS; i += 1) {
    const response = await fetch(new URL('/collect', worker.url));
    if (!response.ok) throw new Error(`/collect answered ${response.status}.`);
    await response.text();
  }
  return heap.read();
}

/** Runs a turn to its end. Time that the measurement takes is not counted. */
export async function measureTurn(
  at: MeasuredWorker,
  session: string,
  body: FormData | string,
): Promise<MeasuredTurn> {
  const most = { held: 0, seen: 0, request: 0 };
  const see = async (): Promise<void> => {
    most.seen = Math.max(most.seen, await at.heap.read());
  };
  let paused = 0;
  at.model.onRequest = async (bytes) => {
    const began = performance.now();
    most.request = Math.max(most.request, bytes);
    await see();
    most.held = Math.max(most.held, await held(at));
    paused += performance.now() - began;
  };
  let isOver = false;
  const looking = (async () => {
    for (; !isOver; await wait(5)) await see();
  })();
  const began = performance.now();
  try {
    await post(sessionAt(at, session), body);
  } finally {
    isOver = true;
  }
  const ms = performance.now() - began - paused;
  await looking;
  return { ms, ...most, after: await held(at), process: workerdMost() };
}

async function post(session: string, body: FormData | string): Promise<void> {
  const headers: Record<string, string> =
    typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(`${session}/messages`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || (JSON.parse(text) as { outcome?: string }).outcome !== 'completed')
    throw new Error(`A turn was answered ${response.status}: ${text}`);
}
