/**
 * `npm run bench` measures the cost of a loop from outside, on built Workers in separate processes, including
 * the whole HTTP handling. Rounds alternate with the in-memory loop of the AI SDK, and with the library of a
 * commit for `--compare COMMIT`. Prints medians with quartiles, and ratios of medians. Then prints counts,
 * which are the same on every machine. Only the counts are enforced by tests, not the goals.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleMeasured, type Checkout, checkOut, currentCheckout } from './checkout.ts';
import { computeBill } from './cost/prices.ts';
import { countSlowTurns, countTurn, SHAPE_NAMES, SHAPES, sumObjects } from './count-turns.ts';
import { type Contestant, FIGURES, type Figure, startUp } from './figures.ts';
import { startMeasured } from './measured-worker.ts';
import { type BenchOptions, HELP, readOptions } from './options.ts';
import { asTable, computeQuartiles, formatNumber, withQuartiles } from './statistics.ts';

const AI_SDK = 'AI SDK';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A library whose Workers can be built. */
interface Library {
  readonly name: string;
  readonly folder: string;
}

/** The samples of a figure, by the name of the contestant. */
type Samples = ReadonlyMap<Figure, ReadonlyMap<string, readonly number[]>>;

async function measureAll(
  contestants: readonly Contestant[],
  options: BenchOptions,
  empty: string,
): Promise<Samples> {
  const samples = new Map<Figure, Map<string, number[]>>();
  for (const figure of FIGURES) {
    if (figure.isLeftOut?.(options)) continue;
    const taken = new Map<string, number[]>();
    samples.set(figure, taken);
    const isStart = figure.name.startsWith('start ');
    // The first round is a warm-up.
    for (let round = 0; round <= options.rounds; round += 1) {
      const floor = isStart ? await startUp(empty, options.starts) : 0;
      for (const contestant of contestants) {
        if (figure.isOfSessions && !contestant.isStored) continue;
        const sample = (await figure.sample(contestant, { ...options, round })) - floor;
        const own = taken.get(contestant.name) ?? [];
        if (round > 0) own.push(sample);
        taken.set(contestant.name, own);
      }
    }
    say(`  ${figure.name}: ${[...taken].map(([name, own]) => `${name} ${withQuartiles(own)}`).join(', ')}`);
  }
  return samples;
}

/** Returns the median of one list as a multiple of the other's median. */
function formatRatio(own: readonly number[] = [], other: readonly number[] = []): string {
  if (own.length === 0 || other.length === 0) return '';
  return formatNumber(computeQuartiles(own).median / computeQuartiles(other).median);
}

function formatTimesTable(samples: Samples, contestants: readonly Contestant[]): string {
  const [own, ...others] = contestants.map(({ name }) => name);
  const head = ['what', ...contestants.map(({ name }) => name), ...others.map((name) => `/ ${name}`), 'goal'];
  const rows = [...samples].map(([{ name, goal = '' }, taken]) => {
    const ofOwn = taken.get(own ?? '');
    const medians = contestants.map((one) => withQuartiles(taken.get(one.name) ?? []));
    return [name, ...medians, ...others.map((other) => formatRatio(ofOwn, taken.get(other))), goal];
  });
  return asTable([head, ...rows]);
}

/** Returns the costs of turns with a model that replies immediately, each counted alone. */
async function formatCountsTable(libraries: readonly Library[], into: string): Promise<string> {
  const rows = [
    [
      'a turn, model of 0 s',
      'of',
      'rows',
      'alarms set',
      'appends',
      'requests',
      'awake ms',
      'API objects',
      'of these',
    ],
  ];
  for (const library of libraries) {
    const name = library.name === AI_SDK ? 'ai-sdk' : 'holdfast';
    const worker = await startMeasured(await bundleMeasured(name, { ...library, into, isCounted: true }));
    for (const shape of SHAPE_NAMES) {
      const { object, apis } = await countTurn(worker, shape);
      const { rowsWritten, alarmsSet, appends, requests, awakeMs } = object;
      const figures = [rowsWritten, alarmsSet, appends, requests, awakeMs, sumObjects(apis)].map(
        formatNumber,
      );
      const each = Object.entries(apis).map(([api, count]) => `${api} ${count}`);
      rows.push([shape, library.name, ...figures, each.join(', ')]);
    }
    await worker.stop();
  }
  return asTable(rows);
}

/** Returns the costs of turns with slow models. */
async function formatSecondsTable(libraries: readonly Library[], into: string): Promise<string> {
  const rows = [
    ['a turn', 'model', 'of', 'rows', 'alarms set', 'appends', 'requests', 'messages', '$ a million'],
  ];
  for (const { name, folder } of libraries) {
    say(`  ${name}: models that take their time`);
    const turns = await countSlowTurns(async (speed) =>
      startMeasured(await bundleMeasured('holdfast', { folder, into, isCounted: true, speed })),
    );
    for (const { shape, seconds, counts } of turns) {
      const { rowsWritten, alarmsSet, appends, requests, messages } = counts;
      const figures = [rowsWritten, alarmsSet, appends, requests, messages];
      const { total } = computeBill(counts, SHAPES[shape].calls + 1);
      rows.push([shape, `${seconds} s`, name, ...figures.map(formatNumber), total.toFixed(2)]);
    }
  }
  return asTable(rows);
}

async function createContestant({ name, folder }: Library, into: string): Promise<Contestant> {
  const isStored = name !== AI_SDK;
  say(`  building ${name}`);
  const bundle = await bundleMeasured(isStored ? 'holdfast' : 'ai-sdk', { folder, into });
  const oneTool = await bundleMeasured(isStored ? 'one-tool' : 'ai-sdk-one-tool', { folder, into });
  return { name, isStored, worker: await startMeasured(bundle), oneTool };
}

async function runBench(options: BenchOptions, compared: Checkout | undefined, into: string): Promise<void> {
  const stored: Library[] = [{ name: 'Holdfast', folder: currentCheckout.folder }];
  const commit = options.compare;
  if (compared && commit !== undefined) stored.push({ name: commit, folder: compared.folder });
  const libraries = [
    ...stored.slice(0, 1),
    { name: AI_SDK, folder: currentCheckout.folder },
    ...stored.slice(1),
  ];
  const contestants: Contestant[] = [];
  try {
    for (const library of libraries) contestants.push(await createContestant(library, into));
    const empty = await bundleMeasured('empty', { folder: currentCheckout.folder, into });
    const samples = await measureAll(contestants, options, empty);
    process.stdout.write(`${formatTimesTable(samples, contestants)}\n\n`);
  } finally {
    for (const { worker } of contestants) await worker.stop();
  }
  process.stdout.write(`${await formatCountsTable(libraries, into)}\n\n`);
  process.stdout.write(`${await formatSecondsTable(stored, into)}\n`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(HELP);
    return;
  }
  const compared = options.compare === undefined ? undefined : checkOut(options.compare);
  const into = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  try {
    await runBench(options, compared, into);
  } finally {
    compared?.remove();
    rmSync(into, { recursive: true, force: true });
  }
}

await main();
