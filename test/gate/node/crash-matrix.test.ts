/** A few cells of the crash matrix, of every kind. The full tier runs all of them. */
import { expect, it } from 'vitest';
import { playAll, trialsOf } from '../../full/crash-matrix/matrix.ts';
import { samplesOf } from '../../full/crash-matrix/samples.ts';
import { SCENARIOS } from '../../full/crash-matrix/scenarios.ts';
import { failuresOf } from '../../full/crash-matrix/table.ts';

/** Cells of each kind. */
const EACH = 4;

it.each([1, 2])('every kind of tool survives the crashes of seed %i in memory', async (seed) => {
  const trials = await trialsOf(SCENARIOS);
  const played = await playAll(samplesOf(trials, { count: EACH * trials.length, seed }));
  expect(failuresOf(played, 10)).toEqual([]);
  expect(played).toHaveLength(EACH * SCENARIOS.length);
});
