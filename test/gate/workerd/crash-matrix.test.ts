/** A few cells of the crash matrix in real Durable Objects. The full tier runs more. */
import { expect, it } from 'vitest';
import { trialsOf } from '../../full/crash-matrix/matrix.ts';
import { playSamples } from '../../full/crash-matrix/play-samples.ts';
import { samplesOf } from '../../full/crash-matrix/samples.ts';
import { SCENARIOS } from '../../full/crash-matrix/scenarios.ts';
import { failuresOf } from '../../full/crash-matrix/table.ts';

const KINDS = ['once-reconciled', 'everything'];

it('tools survive random crashes in a real Durable Object', async () => {
  const trials = await trialsOf(SCENARIOS.filter(({ kind }) => KINDS.includes(kind)));
  expect(trials).toHaveLength(KINDS.length);
  const played = await playSamples(samplesOf(trials, { count: 6, seed: 1 }));
  expect(failuresOf(played, 10)).toEqual([]);
  expect(played).toHaveLength(6);
});
