/** What a session with 50 MiB of files costs: one more turn, cold and warm, the memory of the isolate meanwhile, and its files. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type MeasuredTurn,
  type MeasuredWorker,
  measureTurn,
  sessionAt,
  startMeasured,
  stopMeasured,
} from './measured-turn.ts';
import { type ModelServer, startModelServer } from './model-server.ts';

const MIB = 1024 * 1024;

/** Just under 50 MiB; the last two are the 16 MiB that a request carries. */
const SIZES = [1.9, 8, 8, 8, 8, 8, 8].map((mib) => Math.floor(mib * MIB));

/**
 * An isolate has 128 MB. What a turn holds while its model has a request is the base64 of 16 MiB, as much again that is sent, and what
 * a tool has just made: half of the isolate is left for what is garbage soon, and for the app.
 */
const MOST_HELD = 64 * MIB;
/** What is left when a turn is over must not grow with its files. */
const MOST_AFTER = 8 * MIB;
/** On a busy machine; it takes about one. */
const MOST_MS = 10_000;

const ASK = JSON.stringify({ message: 'What’s there?' });

function upload(bytes: number): FormData {
  const form = new FormData();
  form.append('message', 'What’s on it?');
  form.append('image', new File([new Uint8Array(randomBytes(bytes))], 'image.png', { type: 'image/png' }));
  return form;
}

export interface FileGrowth {
  /** What was measured; times in ms, memory in MiB. */
  readonly rows: readonly (readonly string[])[];
  /** Where it is more than it may be. */
  readonly problems: readonly string[];
}

export const FILE_HEAD = ['turn', 'ms', 'held', 'most seen', 'after', 'process', 'request'];

/** Measures it all, in processes of its own. */
export async function fileGrowth(): Promise<FileGrowth> {
  const model = await startModelServer();
  const storage = mkdtempSync(join(tmpdir(), 'growth-'));
  try {
    const turns = await turnsOver(model, storage);
    const loads = await loadsOver(model, storage);
    return {
      rows: [
        ...turns.map(([name, turn]) => [name, turn.ms.toFixed(0), ...memoryOf(turn)]),
        ...loads.map(([name, ms]) => [name, ms.toFixed(0), '', '', '', '', '']),
      ],
      problems: [...turns.flatMap(problemsOf), ...loads.flatMap(lateness)],
    };
  } finally {
    model.close();
    rmSync(storage, { recursive: true });
  }
}

type Named<Value> = readonly [string, Value];

/** Each kind of turn, the cold ones in a process that has just been started over the same storage. */
async function turnsOver(model: ModelServer, storage: string): Promise<Named<MeasuredTurn>[]> {
  const turns: Named<MeasuredTurn>[] = [];
  const within = async (work: (at: MeasuredWorker) => Promise<void>): Promise<void> => {
    const at = await startMeasured(model, storage);
    await work(at).finally(() => stopMeasured(at));
  };
  await within(async (at) => {
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
    await within(async (at) => {
      for (const when of ['cold', 'warm', 'warm again'])
        turns.push([`${name}, ${when}`, await measureTurn(at, session, ASK)]);
    });
  }
  await within(async (at) => {
    turns.push([
      'five images of 8 MiB, made by a tool',
      await measureTurn(at, 'drawn', JSON.stringify({ message: 'Draw 5' })),
    ]);
  });
  return turns;
}

/** What is done with the files themselves. */
async function loadsOver(model: ModelServer, storage: string): Promise<Named<number>[]> {
  const at = await startMeasured(model, storage);
  try {
    const session = sessionAt(at, 'full');
    const { events } = (await (await fetch(`${session}/events`)).json()) as {
      events: { parts?: { id?: string }[] }[];
    };
    const id = events.flatMap(({ parts = [] }) => parts).findLast((part) => part.id)?.id;
    const timed = async (init: RequestInit, path: string): Promise<number> => {
      const began = performance.now();
      const response = await fetch(`${session}${path}`, init);
      const { byteLength } = await response.arrayBuffer();
      if (!response.ok || (path !== '' && byteLength !== SIZES.at(-1)))
        throw new Error(`${init.method} was answered ${response.status}, with ${byteLength} bytes.`);
      return performance.now() - began;
    };
    return [
      ['GET of a file of 8 MiB', await timed({ method: 'GET' }, `/files/${id}`)],
      ['GET of it again', await timed({ method: 'GET' }, `/files/${id}`)],
      ['DELETE of the session', await timed({ method: 'DELETE' }, '')],
    ];
  } finally {
    await stopMeasured(at);
  }
}

const memoryOf = ({ held, seen, after, process, request }: MeasuredTurn): string[] =>
  [held, seen, after, process, request].map(mib);

const mib = (bytes: number): string => (bytes / MIB).toFixed(1);

function problemsOf([name, turn]: Named<MeasuredTurn>): string[] {
  const { ms, held, after } = turn;
  return [
    ...lateness([name, ms]),
    ...(held < MOST_HELD ? [] : [`${name}: holds ${mib(held)} MiB, and may hold ${mib(MOST_HELD)}`]),
    ...(after < MOST_AFTER ? [] : [`${name}: leaves ${mib(after)} MiB, and may leave ${mib(MOST_AFTER)}`]),
  ];
}

const lateness = ([name, ms]: Named<number>): string[] =>
  ms < MOST_MS ? [] : [`${name}: takes ${ms.toFixed(0)} ms, and may take ${MOST_MS}`];
