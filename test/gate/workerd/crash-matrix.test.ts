/** A few cells of the crash matrix in real Durable Objects. The full tier runs more. */
import { expect, it } from 'vitest';
import { createTrials } from '../../full/crash-matrix/matrix.ts';
import { playSamples } from '../../full/crash-matrix/play-samples.ts';
import { drawSamples } from '../../full/crash-matrix/samples.ts';
import { SCENARIOS } from '../../full/crash-matrix/scenarios.ts';
import { listFailures } from '../../full/crash-matrix/table.ts';

const CRASH_KINDS = ['once-reconciled', 'everything'];

it('tools survive random crashes in a real Durable Object', async () => {
  const trials = await createTrials(SCENARIOS.filter(({ kind }) => CRASH_KINDS.includes(kind)));
  expect(trials).toHaveLength(CRASH_KINDS.length);
  const played = await playSamples(drawSamples(trials, { count: 6, seed: 1 }));
  expect(listFailures(played, 10)).toEqual([]);
  expect(played).toHaveLength(6);
});
