/**
 * `npm run readers`: many who read one session while a turn streams in it, half of them cut at random. Asserts that all end with the
 * same events, and tells what the session's object does for them; the exit code says it too.
 */
import { runCommand } from '../process/run-command.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';
import { type ReadersOptions, readOptions, USAGE } from './options.ts';
import { problemsOf, type ReadTurn, readTurn } from './read-session.ts';
import { awakeMs } from './work.ts';

const KIB = 1024;

async function run(options: ReadersOptions): Promise<boolean> {
  const { readers, replies, words, pace } = options;
  console.log(`readers: ${replies} replies of ${words} words, one each ${pace} ms`);
  const worker = await startWorker('test/full/readers/worker/readers-worker.ts');
  try {
    const problems = await cutReaders(worker, options);
    for (const count of [0, 1, readers]) {
      const turn = await readTurn(worker, `with-${count}`, { ...options, readers: count, cut: 0 });
      problems.push(...problemsOf(turn));
      tell(`${count} readers`, turn);
    }
    for (const problem of problems) console.log(`readers: ${problem}`);
    console.log(`readers: ${problems.length === 0 ? 'PASS' : 'FAIL'}`);
    return problems.length === 0;
  } finally {
    await worker.stop();
  }
}

async function cutReaders(worker: RunningWorker, options: ReadersOptions): Promise<string[]> {
  const cut = Math.floor(options.readers / 2);
  const turn = await readTurn(worker, 'cut', { ...options, cut });
  const cuts = turn.reads.reduce((sum, one) => sum + one.cuts, 0);
  const events = turn.reads[0]?.events.length ?? 0;
  tell(`${options.readers} readers, ${cut} of them cut ${cuts} times`, turn);
  console.log(`readers: each ended with ${events} events`);
  return [...problemsOf(turn)];
}

function tell(who: string, { work, ms, cpuMs }: ReadTurn): void {
  const { sent, heard, rows, calls } = work;
  const ways = Object.entries(calls).map(([way, count]) => `${count} ${way}`);
  console.log(
    [
      `readers: ${who}: a turn of ${Math.round(ms)} ms; the object`,
      `sent ${sent.messages} messages (${Math.round(sent.characters / KIB)} KiB),`,
      `was sent ${heard.messages} (${(heard.characters / KIB).toFixed(1)} KiB),`,
      `read ${rows.read} rows and wrote ${rows.written},`,
      `was woken by ${ways.join(', ')}, and was awake for ${Math.round(awakeMs(work))} ms at most;`,
      `the process used ${Math.round(cpuMs)} ms of CPU`,
    ].join(' '),
  );
}

await runCommand({ usage: USAGE, readOptions, run });
