/**
 * Measures a session with 50 MiB of files: another turn, cold and warm, the memory of the isolate, and
 * operations on the files.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  getSessionUrl,
  type MeasuredTurn,
  type MeasuredWorker,
  measureTurn,
  startMeasured,
  stopMeasured,
} from './measured-turn.ts';
import { type ModelServer, startModelServer } from './model-server.ts';

const MIB = 1024 * 1024;

/**
 * The sizes of the files. Together they are slightly smaller than 50 MiB, and the last two fill the 16 MiB that
 * a request can contain.
 */
const SIZES = [1.9, 8, 8, 8, 8, 8, 8].map((mib) => Math.floor(mib * MIB));

/**
 * An isolate has 128 MB. During a model request, a turn holds the base64 of 16 MiB, the request body of the
 * same size, and the newest tool result. Half of the isolate remains for garbage and for the app.
 */
const MAX_HELD_BYTES = 64 * MIB;
/** The memory after a turn must not grow with its files. */
const MAX_AFTER_BYTES = 8 * MIB;
/** The maximum time of a turn, for a busy machine. A turn usually takes about one second. */
const MAX_MS = 10_000;

const ASK = JSON.stringify({ message: 'What’s there?' });

function upload(bytes: number): FormData {
  const form = new FormData();
  form.append('message', 'What’s on it?');
  form.append('image', new File([new Uint8Array(randomBytes(bytes))], 'image.png', { type: 'image/png' }));
  return form;
}

export interface FileGrowth {
  /** The measured values: times in ms, memory in MiB. */
  readonly rows: readonly (readonly string[])[];
  /** The values above their limits, one line each. */
  readonly problems: readonly string[];
}

export const FILE_HEAD = ['turn', 'ms', 'held', 'most seen', 'after', 'process', 'request'];

/** Runs all measurements, in separate processes. */
export async function measureFileGrowth(): Promise<FileGrowth> {
  const model = await startModelServer();
  const storage = mkdtempSync(join(tmpdir(), 'growth-'));
  try {
    const turns = await measureTurns(model, storage);
    const loads = await measureLoads(model, storage);
    return {
      rows: [
        ...turns.map(([name, turn]) => [name, turn.ms.toFixed(0), ...formatMemory(turn)]),
        ...loads.map(([name, ms]) => [name, ms.toFixed(0), '', '', '', '', '']),
      ],
      problems: [...turns.flatMap(listProblems), ...loads.flatMap(findLateness)],
    };
  } finally {
    model.close();
    rmSync(storage, { recursive: true });
  }
}

type NamedValue<Value> = readonly [string, Value];

/** Measures each kind of turn. Cold turns run in a process that was just started on the same storage. */
async function measureTurns(model: ModelServer, storage: string): Promise<NamedValue<MeasuredTurn>[]> {
  const turns: NamedValue<MeasuredTurn>[] = [];
  const withWorker = async (work: (at: MeasuredWorker) => Promise<void>): Promise<void> => {
    const at = await startMeasured(model, storage);
    await work(at).finally(() => stopMeasured(at));
  };
  await withWorker(async (at) => {
    const uploads: MeasuredTurn[] = [];
    for (const size of SIZES) {
      uploads.push(await measureTurn(at, 'full', upload(size)));
      await measureTurn(at, 'none', ASK);
    }
    const last = uploads.at(-1);
    if (last) turns.push(['an upload of 8 MiB, the last of 50', last]);
  });
  for (const [session, name] of [
    ['none', 'without files'],
    ['full', 'with 50 MiB'],
  ] as const) {
    await withWorker(async (at) => {
      for (const when of ['cold', 'warm', 'warm again'])
        turns.push([`${name}, ${when}`, await measureTurn(at, session, ASK)]);
    });
  }
  await withWorker(async (at) => {
    turns.push([
      'five images of 8 MiB, made by a tool',
      await measureTurn(at, 'drawn', JSON.stringify({ message: 'Draw 5' })),
    ]);
  });
  return turns;
}

/** Measures operations on the files. */
async function measureLoads(model: ModelServer, storage: string): Promise<NamedValue<number>[]> {
  const at = await startMeasured(model, storage);
  try {
    const session = getSessionUrl(at, 'full');
    const { events } = (await (await fetch(`${session}/events`)).json()) as {
      events: { parts?: { id?: string }[] }[];
    };
    const id = events.flatMap(({ parts = [] }) => parts).findLast((part) => part.id)?.id;
    const measureTime = async (init: RequestInit, path: string): Promise<number> => {
      const began = performance.now();
      const response = await fetch(`${session}${path}`, init);
      const { byteLength } = await response.arrayBuffer();
      if (!response.ok || (path !== '' && byteLength !== SIZES.at(-1)))
        throw new Error(`${init.method} ${path} returned ${response.status} with ${byteLength} bytes.`);
      return performance.now() - began;
    };
    return [
      ['GET of a file of 8 MiB', await measureTime({ method: 'GET' }, `/files/${id}`)],
      ['GET of it again', await measureTime({ method: 'GET' }, `/files/${id}`)],
      ['DELETE of the session', await measureTime({ method: 'DELETE' }, '')],
    ];
  } finally {
    await stopMeasured(at);
  }
}

const formatMemory = ({ held, seen, after, process, request }: MeasuredTurn): string[] =>
  [held, seen, after, process, request].map(formatMib);

const formatMib = (bytes: number): string => (bytes / MIB).toFixed(1);

function listProblems([name, turn]: NamedValue<MeasuredTurn>): string[] {
  const { ms, held, after } = turn;
  return [
    ...findLateness([name, ms]),
    ...(held < MAX_HELD_BYTES
      ? []
      : [`${name}: holds ${formatMib(held)} MiB, and may hold ${formatMib(MAX_HELD_BYTES)}`]),
    ...(after < MAX_AFTER_BYTES
      ? []
      : [`${name}: leaves ${formatMib(after)} MiB, and may leave ${formatMib(MAX_AFTER_BYTES)}`]),
  ];
}

const findLateness = ([name, ms]: NamedValue<number>): string[] =>
  ms < MAX_MS ? [] : [`${name}: takes ${ms.toFixed(0)} ms, and may take ${MAX_MS}`];
