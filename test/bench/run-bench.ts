/**
 * `npm run bench`: what a loop costs, measured from outside over the built Worker, whole HTTP handling included. Medians
 * of several runs. The floor is the same loop written by hand in the same Worker, without a journal, so that ratios can
 * be read. Budgets are goals (DESIGN 8); the counts behind them are asserted by the tests.
 */
import { startWorker } from '../full/process/start-worker.ts';
import { type MeasureOptions, measure, type Timing } from './measure.ts';
import { workerdCpu } from './workerd-cpu.ts';

/** Loops a measured run makes, each in a session of its own. */
const LOOPS = 100;
const AT_ONCE = 32;

const worker = await startWorker('test/fixtures/bench-worker.ts');
const rows: (readonly string[])[] = [['what', 'median', 'least to most', 'in floors', 'budget']];

async function ask(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<string> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const response = await fetch(new URL(`${path}?${parameters}`, worker.url));
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return text;
}

const ms = (value: number): string => `${value.toFixed(2)} ms`;

function report(what: string, timing: Timing, budget = '', floor = Number.NaN): void {
  const floors = Number.isNaN(floor) ? '' : (timing.median / floor).toFixed(0);
  rows.push([what, ms(timing.median), `${ms(timing.least)} to ${ms(timing.most)}`, floors, budget]);
  process.stderr.write(`  ${what}: ${ms(timing.median)}\n`);
}

/** Loops in sessions that have had one short turn before, as the ones that people return to have. */
async function loops(agent: string, atOnce: number): Promise<Timing> {
  const session = (round: number): string => `${agent}-${atOnce}-${round}-`;
  const prepare: MeasureOptions['prepare'] = (round) =>
    ask('/hello', { agent, count: LOOPS, atOnce: 8, session: session(round) });
  const query = { agent, count: LOOPS, atOnce };
  return measure((round) => ask('/loops', { ...query, session: session(round) }), { units: LOOPS, prepare });
}

async function bytesOf(agent: string): Promise<{ bytes: number; events: number }> {
  const session = `bytes-${agent}`;
  await ask('/one', { agent, session, message: 'go' });
  const response = await fetch(new URL(`/agents/${agent}/sessions/${session}/events`, worker.url));
  const { events } = (await response.json()) as { events: unknown[] };
  return {
    bytes: events.reduce<number>((sum, event) => sum + JSON.stringify(event).length, 0),
    events: events.length,
  };
}

const floor = await measure(() => ask('/floor', { count: 2_000 }), {
  units: 2_000,
});
report('floor: ten iterations by hand, in memory', floor);

const single = new Map<string, Timing>();
for (const [agent, budget] of [
  ['read', '4 ms'],
  ['once', '12 ms'],
] as const) {
  const timing = await loops(agent, 1);
  single.set(agent, timing);
  report(`ten iterations of a \`${agent}\` tool`, timing, budget, floor.median);
}
for (const agent of ['read', 'once']) {
  const before = workerdCpu();
  const timing = await loops(agent, AT_ONCE);
  const cpu = ((workerdCpu() - before) / (LOOPS * 8)) * 1_000;
  const name = `\`${agent}\`, ${AT_ONCE} at once`;
  rows.push([`${name}: loops a second`, (1_000 / timing.median).toFixed(0), '', '', '']);
  rows.push([
    `${name}: CPU of 1,000 loops (and their sessions' first turns)`,
    `${cpu.toFixed(2)} s`,
    '',
    '',
    '3 s',
  ]);
}
for (const messages of [10, 1_000, 5_000]) {
  const session = `long-${messages}`;
  await ask('/grow', { agent: 'read', session, count: messages / 2 });
  const timing = await measure(() => ask('/one', { agent: 'read', session }), {
    rounds: 15,
  });
  report(`one more turn in a session of ${messages} messages`, timing, messages === 5_000 ? '20 ms' : '');
}
report(
  'ten iterations of a `read` tool, 1,000 tools offered',
  await loops('read-1000', 1),
  'as with 10',
  floor.median,
);
for (const agent of ['read', 'once']) {
  const { bytes, events } = await bytesOf(agent);
  rows.push([
    `\`${agent}\`: written by a loop`,
    `${(bytes / 1024).toFixed(1)} KiB`,
    `${events} events`,
    '',
    '80 KiB',
  ]);
}
await worker.stop();

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
const line = (row: readonly string[]): string =>
  `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
const [head = [], ...body] = rows;
process.stdout.write(
  `${[line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')}\n`,
);
