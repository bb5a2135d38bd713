/**
 * A seeded sample of the crash matrix in real Durable Objects. `npm run crash-matrix` plays a larger sample.
 */
import { expect, inject, it } from 'vitest';
import { createTrials } from './matrix.ts';
import { playSamples } from './play-samples.ts';
import { drawSamples } from './samples.ts';
import { SCENARIOS } from './scenarios.ts';
import { listFailures } from './table.ts';
import { PROGRESS, type WorkerdOrder } from './workerd-order.ts';

/** The number of samples in the full test run. */
const SMALL_ORDER: WorkerdOrder = { count: 20, seed: 1 };

it('every kind of tool survives in a real Durable Object', { timeout: 300_000 }, async ({ task }) => {
  const { only, without, ...draw } = inject('crashMatrix') ?? SMALL_ORDER;
  const trials = await createTrials(SCENARIOS.filter(({ kind }) => only === undefined || kind === only));
  const played = await playSamples(drawSamples(trials, draw), {
    without,
    onPlayed: (count) => {
      if (count % 50 === 0) console.log(`${PROGRESS}${count} of ${draw.count} in workerd`);
    },
  });
  task.meta.crashMatrix = played;
  expect(listFailures(played, 10)).toEqual([]);
  expect(played).toHaveLength(draw.count);
});
