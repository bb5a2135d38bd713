/** Plays a few cells of the crash matrix for each kind of tool. The full tier plays all cells. */
import { expect, it } from 'vitest';
import { playAll, trialsOf } from '../../full/crash-matrix/matrix.ts';
import { samplesOf } from '../../full/crash-matrix/samples.ts';
import { SCENARIOS } from '../../full/crash-matrix/scenarios.ts';
import { failuresOf } from '../../full/crash-matrix/table.ts';

/** The number of cells for each kind. */
const EACH = 4;

// A busy machine needs more than the usual limit.
const LIMIT = { timeout: 120_000 };

it.each([1, 2])('every kind of tool survives the crashes that seed %i selects', LIMIT, async (seed) => {
  const trials = await trialsOf(SCENARIOS);
  const played = await playAll(samplesOf(trials, { count: EACH * trials.length, seed }));
  expect(failuresOf(played, 10)).toEqual([]);
  expect(played).toHaveLength(EACH * SCENARIOS.length);
});
