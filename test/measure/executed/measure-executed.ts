import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startFront } from '../../full/mcp/servers/front.ts';
import { createSdkServer } from '../../full/mcp/servers/sdk-server.ts';
import { bundleWorker, startWorker } from '../../full/process/start-worker.ts';
import { type CountedFunction, createInstrumentPlugin, isLibrary } from './instrument.ts';
import type { Scenario } from './scenarios.ts';

/** The constants that `wrangler deploy` also defines. */
const PRODUCTION_DEFINES = { 'process.env.NODE_ENV': 'production' };

/** The functions that were executed between a request and the last byte of its response, each counted once. */
export interface ExecutionFigures {
  readonly scenario: string;
  /** The Worker of the scenario, which identifies its budget. */
  readonly worker: string;
  /** The executed functions of the library. */
  readonly functions: readonly CountedFunction[];
  /** The files of these functions, sorted. */
  readonly files: readonly string[];
  /** The number of executed functions in packages. */
  readonly packaged: number;
}

const root = resolve(import.meta.dirname, '../../..');

/**
 * Runs a scenario twice in one session of an instrumented Worker in workerd. Returns the functions that the
 * second run executed in the Worker and in the session's object, which share an isolate.
 */
export async function measureExecuted(scenario: Scenario): Promise<ExecutionFigures> {
  const { worker: file, talk } = scenario;
  const all: CountedFunction[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-executed-'));
  const backend = createSdkServer('stateless');
  const front = await startFront(backend);
  try {
    const bundle = join(folder, 'worker.js');
    const entry = `test/measure/executed/workers/${file}.ts`;
    writeFileSync(
      bundle,
      await bundleWorker(entry, {
        constants: PRODUCTION_DEFINES,
        plugins: [createInstrumentPlugin(root, all)],
      }),
    );
    const worker = await startWorker(entry, {
      bundle,
      vars: { MCP_URL: `${front.url}/measured/mcp` },
    });
    try {
      const readExecuted = async (): Promise<readonly number[]> =>
        (await (await fetch(new URL('/executed', worker.url))).json()) as readonly number[]; // the response of the route in `measured.ts`
      await talk(worker, 1);
      await readExecuted();
      await talk(worker, 2);
      return toExecuted(
        scenario,
        (await readExecuted()).flatMap((number) => all[number] ?? []),
      );
    } finally {
      await worker.stop();
    }
  } finally {
    await front.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function toExecuted({ name, worker }: Scenario, ran: readonly CountedFunction[]): ExecutionFigures {
  const functions = ran
    .filter(({ file }) => isLibrary(file))
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return {
    scenario: name,
    worker,
    functions,
    files: [...new Set(functions.map(({ file }) => file))],
    packaged: ran.length - functions.length,
  };
}
