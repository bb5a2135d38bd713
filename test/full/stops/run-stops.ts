/**
 * `npm run stops` runs many turns under `wrangler dev` and cancels all of them at once. Prints the median and
 * the maximum time from a cancel to the end of its turn, and asserts the outcome of each turn and effect. Exits
 * with 1 on a failure.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { findFreePort, pollUntil } from '../../../src/examples/demo/ports.ts';
import { Stage } from '../../../src/examples/demo/stage.ts';
import { createTemporaryDirectory } from '../../../src/examples/demo/temporary-directory.ts';
import { runCommand } from '../process/run-command.ts';
import { readOptions, type StopsOptions, USAGE } from './options.ts';

const ENTRY = 'test/full/stops/worker/stops-worker.ts';

/**
 * The time that a turn runs before it is cancelled, in ms. Its last call has then run for more than a second.
 */
const WORK_MS = 3_000;

/** The maximum time for the turns to start and to end, in ms. */
const TIMEOUT_MS = 120_000;

interface RunningTurn {
  /** The kind of work: `think` is a model request, `dig` is a tool call. */
  readonly at: 'think' | 'dig';
  readonly session: string;
  /** The outcome of its message, and the time at which the response arrived. */
  readonly answer: Promise<{ readonly outcome: unknown; readonly at: number }>;
}

function begin(url: string, index: number): RunningTurn {
  const session = `${url}/agents/endless/sessions/s${index}`;
  const at = index % 2 === 0 ? 'think' : 'dig';
  const sendMessage = async (): Promise<{ readonly outcome: unknown; readonly at: number }> => {
    const response = await fetch(`${session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: `${at} s${index}` }),
    });
    const { outcome = response.status } = (await response.json()) as { readonly outcome?: unknown };
    return { outcome, at: performance.now() };
  };
  return { at, session, answer: sendMessage() };
}

/**
 * Cancels a turn. Returns its outcome, and the duration in ms since the cancel was sent and since it was
 * answered. A cancel waits for other cancels before it is answered.
 */
async function cancelTurn({ session, answer }: RunningTurn) {
  const cancelledAt = performance.now();
  const { status } = await fetch(`${session}/cancel`, { method: 'POST' });
  const taken = performance.now();
  const { outcome, at } = await answer;
  return { status, outcome, sinceSent: at - cancelledAt, sinceTaken: Math.max(0, at - taken) };
}

/** @throws Error if the run fails for a reason other than a violated guarantee. */
async function run({ turns, leaseMs }: StopsOptions): Promise<boolean> {
  console.log(`stops: ${turns} turns, leases of ${leaseMs} ms`);
  const directory = createTemporaryDirectory('holdfast-stops-');
  const effects = await countEffects(join(directory, 'effects.jsonl'));
  const stage = new Stage({ effects, port: await findFreePort(), directory, entry: ENTRY });
  await stage.start({ LEASE_MS: String(leaseMs), PLAN: 'paid' });
  const running = Array.from({ length: turns }, (_, index) => begin(stage.url, index));
  await pollUntil(
    'every turn has had its effect',
    TIMEOUT_MS,
    async () => effects.executions().length >= turns,
  );
  await delay(WORK_MS);
  const stops = await Promise.all(running.map(async (turn) => ({ ...turn, ...(await cancelTurn(turn)) })));
  const labels = new Set(effects.executions().map(({ what }) => what));
  const doubled = effects.executions().length - labels.size;
  const cancelled = stops.filter(({ status, outcome }) => status === 202 && outcome === 'cancelled').length;
  await stage.end('stop');
  effects.stop();
  for (const at of ['think', 'dig'] as const) {
    const told = formatTimes(stops.filter((one) => one.at === at));
    console.log(`stops: in a ${at === 'think' ? 'model' : 'tool'} call: ${told}`);
  }
  const passed = cancelled === turns && labels.size === turns && doubled === 0;
  console.log(
    `stops: ${cancelled} of ${turns} turns ended as cancelled, ${formatTimes(stops)}; ${labels.size} effects, ${doubled} of them ` +
      `doubled; ${passed ? 'PASS' : 'FAIL'}`,
  );
  return passed;
}

function formatTimes(
  stops: readonly Pick<Awaited<ReturnType<typeof cancelTurn>>, 'sinceSent' | 'sinceTaken'>[],
): string {
  const formatDurations = (times: readonly number[]): string => {
    const sorted = times.toSorted((a, b) => a - b).map(Math.round);
    return `median ${sorted[Math.floor(sorted.length / 2)]} ms, slowest ${sorted.at(-1)} ms`;
  };
  const [taken, sent] = [stops.map(({ sinceTaken }) => sinceTaken), stops.map(({ sinceSent }) => sinceSent)];
  return `after the cancel was answered ${formatDurations(taken)} (after it was sent ${formatDurations(sent)})`;
}

await runCommand({ usage: USAGE, readOptions, run });
