/** The matrix detects each removed guard and reports its effect. */
import { describe, expect, it } from 'vitest';
import type { Mode } from '../../doors/testing.ts';
import type { Guard } from './lab/sabotage.ts';
import { Trial } from './lab/trial.ts';
import { listCells, type PlayedCell, playAll } from './matrix.ts';
import { leaves } from './scenarios/leaves.ts';
import { parts } from './scenarios/parts.ts';

async function playWithout(
  kind: string,
  modes: readonly Mode[],
  without?: Guard,
): Promise<readonly PlayedCell[]> {
  const scenario = [...leaves, ...parts].find((one) => one.kind === kind);
  if (!scenario) throw new Error(`No scenario has the kind '${kind}'.`);
  return playAll(listCells([await Trial.of(scenario)], modes), { without });
}

const listFailures = (played: readonly PlayedCell[]): string[] =>
  played.flatMap(({ verdict }) => (verdict.is === 'failed' ? verdict.why : []));

describe('the crash matrix', () => {
  it('reports a call that has two effects if its start is not stored before it runs', async () => {
    expect(listFailures(await playWithout('once', ['hangs']))).toEqual([]);
    const played = await playWithout('once', ['hangs'], 'write-ahead');
    expect(listFailures(played)).toContain("calls of 'act' that are not in the journal had 1 effects, not 0");
    expect(played.filter(({ damage }) => damage.effectsDoubled > 0)).not.toEqual([]);
  });

  it('reports the writes of a former holder if its epoch is not checked', async () => {
    expect(listFailures(await playWithout('read', ['zombie-at-once']))).toEqual([]);
    const found = listFailures(await playWithout('read', ['zombie-at-once'], 'fencing'));
    expect(found.filter((why) => why.startsWith('there is {"type":"model-replied"'))).not.toEqual([]);
  });

  it.each<[string, Guard]>([
    ['without one of their parts', 'every-part'],
    ['with two parts swapped', 'part-order'],
    ['with a shorter signature', 'signatures'],
  ])('reports a cold fold that returns replies to the model %s', async (_, guard) => {
    for (const kind of ['reasoning', 'provider-tools']) {
      expect(listFailures(await playWithout(kind, ['cold-fold']))).toEqual([]);
      const found = listFailures(await playWithout(kind, ['cold-fold'], guard));
      const filterFound = (what: string) => found.filter((why) => why.startsWith(what));
      expect(filterFound('the model was shown a reply that it had not given: ')).not.toEqual([]);
      expect(filterFound('the model was shown ')).not.toEqual([]);
    }
  });

  it('reports no failure if the disturbance does not need the removed guard', async () => {
    expect(listFailures(await playWithout('once', ['cold-fold'], 'fencing'))).toEqual([]);
    expect(listFailures(await playWithout('once', ['lost-acknowledgement'], 'fencing'))).toEqual([]);
  });
});
