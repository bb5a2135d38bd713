/** Plays a few cells of the crash matrix for each kind of tool. The full tier plays all cells. */
import { expect, it } from 'vitest';
import { createTrials, playAll } from '../../full/crash-matrix/matrix.ts';
import { drawSamples } from '../../full/crash-matrix/samples.ts';
import { SCENARIOS } from '../../full/crash-matrix/scenarios.ts';
import { listFailures } from '../../full/crash-matrix/table.ts';

/** The number of cells for each kind. */
const SEEDS_PER_CASE = 4;

// A busy machine needs more than the usual limit.
const TIMEOUT_OPTIONS = { timeout: 120_000 };

it.each([1, 2])('every kind of tool passes the crash matrix with seed %i', TIMEOUT_OPTIONS, async (seed) => {
  const trials = await createTrials(SCENARIOS);
  const played = await playAll(drawSamples(trials, { count: SEEDS_PER_CASE * trials.length, seed }));
  expect(listFailures(played, 10)).toEqual([]);
  expect(played).toHaveLength(SEEDS_PER_CASE * SCENARIOS.length);
});
