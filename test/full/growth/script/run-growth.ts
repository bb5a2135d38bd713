/**
 * `npm run growth` measures from outside how the cost of a session grows with its length, on the built Worker
 * and the real object. The cost of an append must not depend on the length, and the cost to open a session must
 * depend only on its content. `whole` folds the journal, `snapshot` also reads the stored messages, and
 * `compacted` reads the messages that are kept. Prints medians in ms. Then measures a session with many files,
 * and fails above the limits. `-- --files` measures only the files.
 */
import { measure } from '../../../bench/measure.ts';
import { type RunningWorker, startWorker } from '../../process/start-worker.ts';
import { FILE_HEAD, measureFileGrowth } from './files.ts';

const SIZES = [10, 100, 1_000, 10_000];
const APPENDS = 50;
const OPENS = 5;
const ROUNDS = 9;

type Query = Readonly<Record<string, string | number>>;

let worker: RunningWorker;

async function ask(path: string, query: Query, init?: RequestInit): Promise<unknown> {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  );
  const response = await fetch(new URL(`${path}?${parameters}`, worker.url), init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  return text === 'ok' ? undefined : JSON.parse(text);
}

const say = (agent: string, session: string): Promise<unknown> =>
  ask(
    `/agents/${agent}/sessions/${session}/messages`,
    {},
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'And now?' }),
    },
  );

interface Size {
  readonly database: number;
  readonly journal: number;
  readonly snapshot: number;
}

const measureSize = async (query: Query): Promise<Size> => (await ask('/size', query)) as Size;

/** Measures the time to open a session for a turn that stays open. */
const measureOpening = async (query: Query, from: 'journal' | 'snapshot'): Promise<number> => {
  const { median } = await measure(() => ask('/open', { ...query, from, count: OPENS }), {
    units: OPENS,
    rounds: ROUNDS,
  });
  return median;
};

async function measureGrowth(messages: number): Promise<readonly string[]> {
  const plain = { agent: 'plain', session: `s${messages}`, turn: 'measured' };
  await ask('/fill', { ...plain, count: messages });
  const { journal } = await measureSize(plain);
  const whole = await measureOpening(plain, 'journal');
  await ask('/end', plain);
  // The session needs a second turn, because a session with few events has no snapshot and is folded from the
  // start.
  await say('plain', plain.session);
  const next = { ...plain, turn: 'next' };
  const snapshot = await measureOpening(next, 'snapshot');
  const { median: append } = await measure(() => ask('/append', { ...next, count: APPENDS }), {
    units: APPENDS,
    rounds: ROUNDS,
  });
  const { database } = await measureSize(plain);
  const compacting = { agent: 'compacting', session: `c${messages}`, turn: 'measured' };
  await ask('/fill', { ...compacting, count: messages });
  await say('compacting', compacting.session);
  const compacted = await measureOpening(compacting, 'snapshot');
  return [
    messages.toLocaleString('en'),
    formatKib(journal),
    formatKib(database),
    ...[append, whole, snapshot, compacted].map(formatMs),
  ];
}

/** Measures the time to open a session with many blackboard entries. */
async function measureBlackboard(entries: number): Promise<readonly string[]> {
  const query = { agent: 'plain', session: `b${entries}`, turn: 'measured' };
  await ask('/fill-blackboard', { ...query, count: entries });
  const { journal } = await measureSize(query);
  const whole = await measureOpening(query, 'journal');
  await ask('/end', query);
  await say('plain', query.session);
  const { snapshot } = await measureSize(query);
  const shown = await measure(() => ask(`/agents/plain/sessions/${query.session}`, {}), { rounds: ROUNDS });
  const turn = await measure(() => say('plain', query.session), { rounds: ROUNDS });
  return [
    entries.toLocaleString('en'),
    formatKib(journal),
    formatKib(snapshot),
    ...[whole, shown.median, turn.median].map(formatMs),
  ];
}

interface Rows {
  readonly read: number;
  readonly written: number;
}

/** The number of consecutive turns. It is larger than the distance between two snapshots. */
const TURNS = 80;

/**
 * Returns the rows that another turn reads and writes in a session of this many turns: the median, and the
 * maximum, which includes a snapshot.
 */
async function measureTurnRows(agent: string, turns: number): Promise<readonly string[]> {
  const query = { agent, session: `r${turns}`, turn: 'rows' };
  await ask('/fill', { ...query, count: turns * 2 });
  for (let i = 0; i < 2; i += 1) await say(agent, query.session);
  const rows: Rows[] = [];
  for (let i = 0; i < TURNS; i += 1) {
    await ask('/rows', query);
    await say(agent, query.session);
    rows.push((await ask('/rows', query)) as Rows);
  }
  const sortBy = (key: keyof Rows): number[] => rows.map((row) => row[key]).toSorted((a, b) => a - b);
  const formatNumbers = (numbers: readonly number[]): string => `${numbers[TURNS / 2]} (${numbers.at(-1)})`;
  return [turns.toLocaleString('en'), agent, formatNumbers(sortBy('read')), formatNumbers(sortBy('written'))];
}

const formatMs = (value: number): string => value.toFixed(2);
const formatKib = (bytes: number): string => `${Math.round(bytes / 1024).toLocaleString('en')} KiB`;

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const formatLine = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  process.stdout.write(`${[formatLine(head), rule, ...rows.map(formatLine)].join('\n')}\n\n`);
}

async function measureMessages(): Promise<void> {
  worker = await startWorker('test/full/growth/growth-worker.ts', { vars: { LEASE_MS: '600000' } });
  const counted: (readonly string[])[] = [];
  for (const agent of ['plain', 'compacting'])
    for (const turns of [10, 1_500, 5_000]) counted.push(await measureTurnRows(agent, turns));
  print(['turns', 'agent', 'rows read by one more (most)', 'rows written (most)'], counted);
  const rows: (readonly string[])[] = [];
  for (const messages of SIZES) rows.push(await measureGrowth(messages));
  print(['messages', 'journal', 'database', 'append', 'open whole', 'with snapshot', 'compacted'], rows);
  const boards: (readonly string[])[] = [];
  for (const entries of [100, 1_000, 10_000, 100_000]) boards.push(await measureBlackboard(entries));
  print(['entries', 'journal', 'snapshot', 'open whole', 'GET session', 'one more turn'], boards);
  await worker.stop();
}

if (!process.argv.includes('--files')) await measureMessages();
const { rows, problems } = await measureFileGrowth();
print(FILE_HEAD, rows);
for (const problem of problems) process.stdout.write(`PROBLEM: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
