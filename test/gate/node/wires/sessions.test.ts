/** What `npm run wires` does in workerd, in memory: each wire's two turns, whole, and killed between all events. */
import { describe, expect, it } from 'vitest';
import { WIRES } from '../../../wires/session/servers.ts';
import { everyStop, noStops } from '../../../wires/session/stops.ts';
import { playInMemory } from './play.ts';

const plays = WIRES.flatMap((wire) =>
  [false, true].map((isWatched) => ({ wire, isWatched, manner: isWatched ? 'as a stream' : 'as JSON' })),
);

const nothing = { refused: [], lost: [], miscounted: [] };

describe('a session of every kind of tool', () => {
  it.each(plays)('is kept whole over $wire $manner', async ({ wire, isWatched }) => {
    const verdict = await playInMemory({ wire, isWatched, stops: noStops });
    expect(verdict).toMatchObject({ ...nothing, kills: 0, unknown: 0 });
  });

  it.each(plays)(
    'is kept over $wire $manner when it is killed between all events',
    async ({ wire, isWatched }) => {
      for (const side of ['before', 'after'] as const) {
        const verdict = await playInMemory({ wire, isWatched, stops: everyStop(side) });
        expect(verdict).toMatchObject(nothing);
        expect(verdict.kills).toBeGreaterThan(60);
      }
    },
  );
});
