/**
 * `npm run profile` prints the 20 functions with the highest self time in loops of ten calls. It includes
 * functions of the Worker, the library and its packages.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../full/process/start-worker.ts';
import { bundleMeasured, currentCheckout } from './checkout.ts';
import { openInspector } from './inspector.ts';
import { asTable, formatNumber } from './statistics.ts';

const LOOPS = 300;
const CONCURRENCY = 32;
const MAX_SHOWN = 20;
const MAX_SHOWN_CHARACTERS = 70;

/** The sampling interval, in microseconds. */
const SAMPLING_INTERVAL = 200;

interface Profile {
  readonly nodes: readonly ProfiledFunction[];
  readonly samples: readonly number[];
  /** The times between samples, in microseconds. */
  readonly timeDeltas: readonly number[];
}

interface ProfiledFunction {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly lineNumber: number };
}

/**
 * Returns the self time of each function in ms, in descending order. Skips entries that are not code, such as
 * idle time.
 */
function computeSelfTimes({ nodes, samples, timeDeltas }: Profile): readonly (readonly [string, number])[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, formatFunctionName(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    // The profiler takes no samples while the code is idle, so a long pause does not count.
    const micros = Math.min(timeDeltas[index] ?? 0, 2 * SAMPLING_INTERVAL);
    times.set(name, (times.get(name) ?? 0) + micros / 1_000);
  }
  for (const name of ['(idle)', '(program)', '(root)']) times.delete(name);
  return [...times].toSorted(([, a], [, b]) => b - a);
}

/**
 * Returns the name of a function, with its first line in the bundle, which identifies functions without a name.
 * The platform's functions have no line.
 */
const formatFunctionName = ({ functionName, lineNumber }: ProfiledFunction['callFrame']): string => {
  const line = lineNumber > 0 ? (lines[lineNumber]?.trim().slice(0, MAX_SHOWN_CHARACTERS) ?? '') : '';
  return [functionName || '(anonymous)', line].filter((words) => words !== '').join(': ');
};

const outputFolder = mkdtempSync(join(tmpdir(), 'holdfast-profile-'));
const bundle = await bundleMeasured('holdfast', { ...currentCheckout, into: outputFolder });
const lines = readFileSync(bundle, 'utf8').split('\n');
const worker = await startWorker(bundle, { bundle, isInspected: true });
try {
  const runLoops = async (session: string): Promise<void> => {
    const query = `agent=read&count=${LOOPS}&atOnce=${CONCURRENCY}&session=${session}&message=calls%3D10`;
    await (await fetch(new URL(`/loops?${query}`, worker.url))).text();
  };
  await runLoops('warm');
  const inspector = await openInspector('holdfast', await worker.inspector());
  await inspector.ask('Profiler.enable');
  await inspector.ask('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
  await inspector.ask('Profiler.start');
  await runLoops('profiled');
  const { profile } = (await inspector.ask('Profiler.stop')) as { profile: Profile }; // the format of the inspector protocol
  inspector.close();
  const times = computeSelfTimes(profile);
  const all = times.reduce((sum, [, ms]) => sum + ms, 0);
  const rows = times
    .slice(0, MAX_SHOWN)
    .map(([name, ms]) => [name, formatNumber(ms / LOOPS), `${formatNumber((ms / all) * 100)} %`]);
  process.stdout.write(`${asTable([['function: where it begins', 'ms a loop', 'of all'], ...rows])}\n`);
} finally {
  await worker.stop();
  rmSync(outputFolder, { recursive: true, force: true });
}
