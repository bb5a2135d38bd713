/** What `npm run wires` does in workerd, in memory: each wire's two turns, whole, and killed between all events. */
import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
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
    const { verdict, kills } = await playInMemory({ wire, isWatched, stops: noStops });
    expect(verdict).toMatchObject({ ...nothing, unknown: 0 });
    expect(kills).toBe(0);
  });

  it.each(plays)('is kept over $wire $manner when it is killed $side each append', async (play) => {
    const { verdict, kills } = await playInMemory({ ...play, stops: everyStop(play.side) });
    expect(verdict).toMatchObject(nothing);
    expect(kills).toBeGreaterThan(30);
  });
});

describe('what a provider keeps beside words and calls', () => {
  it.each(WIRES)('is missed by the strict server of %s', async (wire) => {
    const { verdict } = await playInMemory({ wire, isWatched: false, stops: noStops, around: forgetful });
    expect(verdict.refused).not.toEqual([]);
    expect(verdict.lost[0]).toMatch(/^outcomes, at 1: failed: The model's server answered 400/);
  });
});

/** A model that is given back words and calls alone. */
const forgetful = (model: ChatModel): ChatModel => ({
  ...model,
  ask: ({ messages, ...request }, options) =>
    model.ask(
      {
        ...request,
        messages: messages.map((message) =>
          message.role === 'assistant'
            ? { role: message.role, text: message.text, toolCalls: message.toolCalls }
            : message,
        ),
      },
      options,
    ),
});
