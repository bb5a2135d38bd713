import { expect, it } from 'vitest';
import { createTrials } from './matrix.ts';
import { drawSamples } from './samples.ts';
import { leaves } from './scenarios/leaves.ts';
import { formatTable, listFailures } from './table.ts';

it('the sampler draws the same samples for the same seed, and draws all kinds equally often', async () => {
  const trials = await createTrials(leaves);
  const listDrawn = (seed: number) =>
    drawSamples(trials, { count: 70, seed }).map(({ trial, disturbance }) => [
      trial.scenario.kind,
      disturbance,
    ]);
  expect(listDrawn(7)).toEqual(listDrawn(7));
  expect(listDrawn(7)).not.toEqual(listDrawn(8));
  expect(listDrawn(7).filter(([kind]) => kind === 'read')).toHaveLength(10);
});

it('a failed sample prints its play and its reason', () => {
  const damage = { turnsCompleted: 1, messagesLost: 0, effectsDoubled: 0, effectsUnknown: 0, problems: [] };
  const disturbance = { at: 3, mode: 'rejects' } as const;
  const played = [
    { kind: 'read', disturbance, damage, verdict: { is: 'equal' } },
    { kind: 'once', disturbance, damage: { ...damage, effectsUnknown: 1 }, verdict: { is: 'unknown' } },
    {
      kind: 'once',
      disturbance: { at: 4, mode: 'zombie-amid' },
      damage: { ...damage, turnsCompleted: 0, messagesLost: 1, effectsDoubled: 2 },
      verdict: { is: 'failed', why: ['this', 'that'] },
    },
  ] as const;
  const rows = [
    { kind: 'read', positions: 18 },
    { kind: 'once', positions: 20 },
  ];
  expect(formatTable(rows, played)).toBe(
    [
      'kind  positions  cold fold  lost acknowledgement  restart  abandoned  zombie  turns  lost  doubled  unknown  failed',
      'read         18          0                     0        0          1       0      1     0        0        0       0',
      'once         20          0                     0        0          1       1      1     1        2        1       1',
      'all          38          0                     0        0          2       1      2     1        2        1       1',
    ].join('\n'),
  );
  expect(listFailures(played, 10)).toEqual(['once at 4, zombie-amid: this (and 1 more)']);
});
