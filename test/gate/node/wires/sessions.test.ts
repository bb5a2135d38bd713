/** What `npm run wires` does in workerd, in memory: each wire's two turns, whole, and killed between all events. */
import { describe, expect, it } from 'vitest';
import { WIRES } from '../../../wires/session/servers.ts';
import { everyStop, noStops } from '../../../wires/session/stops.ts';
import { playInMemory } from './play.ts';

const nothing = { refused: [], lost: [], miscounted: [] };

/** As JSON, kills come when an event was stored; as a stream, when the work for it is done, and it is not stored. */
const plays = WIRES.flatMap((wire) => [
  { wire, isWatched: false, side: 'after' as const, manner: 'as JSON' },
  { wire, isWatched: true, side: 'before' as const, manner: 'as a stream' },
]);

describe('a session of every kind of tool', () => {
  it.each(plays)('is kept whole over $wire $manner', async ({ wire, isWatched }) => {
    const verdict = await playInMemory({ wire, isWatched, stops: noStops });
    expect(verdict).toMatchObject({ ...nothing, kills: 0, unknown: 0 });
  });

  it.each(plays)(
    'is kept over $wire $manner when it is killed $side each append',
    async ({ wire, isWatched, side }) => {
      const verdict = await playInMemory({ wire, isWatched, stops: everyStop(side) });
      expect(verdict).toMatchObject(nothing);
      expect(verdict.kills).toBeGreaterThan(40);
    },
  );
});
