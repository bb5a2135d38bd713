/**
 * `npm run cost`: counts the platform usage of turns, stores the counts, and generates docs/cost.md from
 * them. If a turn without a slow model exceeds its stored counts, the command fails and writes no files,
 * because budgets can only decrease.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleMeasured, currentCheckout } from '../checkout.ts';
import { countSlowTurns, countTurn, SHAPE_NAMES, type Shape } from '../count-turns.ts';
import { startMeasured } from '../measured-worker.ts';
import { formatCostPage } from './cost-page.ts';
import { findExceedingCounts, type KeptCounts, pickBilled, readKept, writeKept } from './kept-counts.ts';

const PAGE = resolve(import.meta.dirname, '../../../docs/cost.md');

/** Counts each shape with a model that replies immediately. */
async function countAlone(into: string) {
  const worker = await startMeasured(
    await bundleMeasured('holdfast', { ...currentCheckout, into, isCounted: true }),
  );
  const counted: (readonly [Shape, Awaited<ReturnType<typeof countTurn>>])[] = [];
  for (const shape of SHAPE_NAMES) counted.push([shape, await countTurn(worker, shape)]);
  await worker.stop();
  return counted;
}

/** Counts each shape with slow models. */
async function countSlow(into: string): Promise<KeptCounts['turns']> {
  const turns = await countSlowTurns(async (speed) =>
    startMeasured(await bundleMeasured('holdfast', { ...currentCheckout, into, isCounted: true, speed })),
  );
  return turns.map(({ counts, ...turn }) => ({ ...turn, counts: pickBilled(counts) }));
}

async function main(): Promise<void> {
  const into = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  try {
    const alone = await countAlone(into);
    const kept = readKept();
    const problems = alone.flatMap(([shape, counted]) =>
      findExceedingCounts(kept, shape, counted).map((problem) => `${shape}: ${problem}`),
    );
    if (problems.length > 0) throw new Error(`Turns exceed their stored counts: ${problems.join('; ')}`);
    const most = Object.fromEntries(
      alone.map(([shape, { object, apis }]) => [shape, { object: pickBilled(object), apis }]),
    );
    const counts: KeptCounts = { most: { ...kept.most, ...most }, turns: await countSlow(into) };
    writeKept(counts);
    writeFileSync(PAGE, formatCostPage(counts));
    process.stdout.write(formatCostPage(counts));
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

await main();
