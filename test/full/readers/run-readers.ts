/**
 * `npm run readers` lets many clients read one session while a turn streams, and cuts half of the connections
 * at random. Asserts that all readers end with the same events, and prints the work of the session's object.
 * Exits with 1 on a failure.
 */

import { runCommand } from '../process/run-command.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';
import { type ReadersOptions, readOptions, USAGE } from './options.ts';
import { connectProfiler, type Profiler } from './profile.ts';
import { findProblems, readTurn, type TurnResults } from './read-session.ts';
import { computeAwakeMs } from './work.ts';

const KIB = 1024;

async function run(options: ReadersOptions): Promise<boolean> {
  const { readers, replies, words, pace } = options;
  console.log(`readers: ${replies} replies of ${words} words, one each ${pace} ms`);
  const worker = await startWorker('test/full/readers/worker/readers-worker.ts', { isInspected: true });
  const profiler = await connectProfiler('holdfast', await worker.inspector());
  try {
    const problems = await cutReaders({ worker, profiler }, options);
    for (const count of [0, 1, readers]) {
      const { turn, objectMs } = await measureReaders({ worker, profiler }, count, { ...options, cut: 0 });
      problems.push(...findProblems(turn));
      printTurn(`${count} readers`, turn, objectMs);
    }
    for (const problem of problems) console.log(`readers: ${problem}`);
    console.log(`readers: ${problems.length === 0 ? 'PASS' : 'FAIL'}`);
    return problems.length === 0;
  } finally {
    profiler.close();
    await worker.stop();
  }
}

interface MeasuredSetup {
  readonly worker: RunningWorker;
  readonly profiler: Profiler;
}

/** Runs a turn in a new session. Returns it with the run time of its object's code, in ms. */
async function measureReaders(
  { worker, profiler }: MeasuredSetup,
  readers: number,
  options: ReadersOptions & { readonly cut: number },
): Promise<{ readonly turn: TurnResults; readonly objectMs: number }> {
  await profiler.start();
  const turn = await readTurn(worker, `of-${readers}-${options.cut}`, { ...options, readers });
  return { turn, objectMs: await profiler.stop('#woken') };
}

async function cutReaders(at: MeasuredSetup, options: ReadersOptions): Promise<string[]> {
  const cut = Math.floor(options.readers / 2);
  const { turn, objectMs } = await measureReaders(at, options.readers, { ...options, cut });
  const cuts = turn.reads.reduce((sum, one) => sum + one.cuts, 0);
  const events = turn.reads[0]?.events.length ?? 0;
  printTurn(`${options.readers} readers, ${cut} of them cut ${cuts} times`, turn, objectMs);
  console.log(`readers: each ended with ${events} events`);
  return [...findProblems(turn)];
}

function printTurn(who: string, { work, ms, cpuMs }: TurnResults, objectMs: number): void {
  const { sent, heard, rows, calls } = work;
  const ways = Object.entries(calls).map(([way, count]) => `${count} ${way}`);
  console.log(
    [
      `readers: ${who}: a turn of ${Math.round(ms)} ms; the object`,
      `sent ${sent.messages} messages (${Math.round(sent.characters / KIB)} KiB),`,
      `was sent ${heard.messages} (${(heard.characters / KIB).toFixed(1)} KiB),`,
      `read ${rows.read} rows and wrote ${rows.written},`,
      `was woken by ${ways.join(', ')}, and was awake for ${Math.round(computeAwakeMs(work))} ms at most; its code ran for ${Math.round(objectMs)} ms of that,`,
      `and the process for ${Math.round(cpuMs)} ms of CPU`,
    ].join(' '),
  );
}

await runCommand({ usage: USAGE, readOptions, run });
