import { describe, expect, it } from 'vitest';
import { defineCourier } from '../../../../src/examples/rate-limited/courier.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { getShownResults } from '../tool-loop/scenes.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22);

const createLetter = (to = 'ada', text = 'Hello.') => ({ name: 'send_letter', input: { to, text } });
const callOnce = (...args: Parameters<typeof createLetter>): ScriptedReply => ({
  calls: [createLetter(...args)],
});

interface CourierOptions {
  readonly replies: readonly ScriptedReply[];
  readonly carry?: () => Promise<string>;
}

/** Returns a courier whose deliveries are recorded, in a session with a manual clock. */
function createCourier({ replies, carry = async () => 'L' }: CourierOptions) {
  const clock = createManualClock(START);
  const carried: string[] = [];
  const session: TestSession = createTestSession(
    defineCourier(async ({ to }) => {
      carried.push(to);
      return carry();
    }),
    { clock, replies },
  );
  return { clock, carried, session };
}

const getLastResults = (session: TestSession) => getShownResults(session.requests.at(-1));
const describeRemaining = (count: number, to = 'ada'): string =>
  `Letter L is on its way to ${to}.\n\n${count} of 3 calls an hour are left for '${to}'.`;
const describeRefusal = (minutes: number): string =>
  `Error: Not run: all 3 calls an hour for 'ada' are used up. The next one is possible in ${minutes} min.`;

describe('a tool with an hourly limit', () => {
  it('reports the remaining calls for each key, and refuses further calls', async () => {
    const { session, carried } = createCourier({
      replies: [callOnce(), callOnce(), callOnce('bob'), callOnce(), callOnce(), 'Done.'],
    });
    await session.send('Write to Ada.');
    expect(getLastResults(session)).toEqual([
      describeRemaining(2),
      describeRemaining(1),
      describeRemaining(2, 'bob'),
      describeRemaining(0),
      describeRefusal(60),
    ]);
    expect(carried).toEqual(['ada', 'ada', 'bob', 'ada']);
  });

  it('counts a sliding hour across turns: each call is available again an hour after it ended', async () => {
    const { session, clock } = createCourier({
      replies: [callOnce(), 'A.', callOnce(), callOnce(), callOnce(), 'B.', callOnce(), callOnce(), 'C.'],
    });
    await session.send('First.');
    await clock.advance(40 * MINUTE);
    await session.send('Second.');
    expect(getLastResults(session)).toEqual([
      describeRemaining(2),
      describeRemaining(1),
      describeRemaining(0),
      describeRefusal(20),
    ]);
    await clock.advance(20 * MINUTE);
    session.restart();
    await session.send('Third.');
    expect(getLastResults(session).slice(-2)).toEqual([describeRemaining(0), describeRefusal(40)]);
  });

  it('runs only one of two calls in a reply if one call is left', async () => {
    const { session, carried } = createCourier({
      replies: [callOnce(), callOnce(), { calls: [createLetter(), createLetter()] }, 'Done.'],
    });
    await session.send('Write to Ada.');
    expect(getLastResults(session)).toEqual([
      describeRemaining(2),
      describeRemaining(1),
      describeRemaining(0),
      describeRefusal(60),
    ]);
    expect(carried).toHaveLength(3);
  });

  it('counts calls that fail, throw or have invalid input, and reports the remaining calls for them too', async () => {
    const { session } = createCourier({
      carry: async () => {
        throw new Error('The post office is closed.');
      },
      replies: [
        callOnce(),
        { calls: [{ name: 'send_letter', input: { to: 'ada' } }] },
        callOnce(),
        callOnce(),
        callOnce(' '),
        'Done.',
      ],
    });
    await session.send('Write to Ada.');
    const results = getLastResults(session);
    expect([results[0], ...results.slice(2)]).toEqual([
      "Error: The post office is closed.\n\n2 of 3 calls an hour are left for 'ada'.",
      "Error: The post office is closed.\n\n0 of 3 calls an hour are left for 'ada'.",
      describeRefusal(60),
      "Error: A letter needs an address.\n\n2 of 3 calls an hour are left for ' '.",
    ]);
    expect(results[1]).toMatch(/text[\s\S]*1 of 3 calls an hour are left for 'ada'\.$/);
  });

  it('counts the calls of subagents, even if one runs in parallel', async () => {
    const { session, carried } = createCourier({
      replies: [
        callOnce(),
        { calls: [{ name: 'assistant', input: { message: 'Write to Ada twice.' } }, createLetter()] },
        { calls: [createLetter(), createLetter()] },
        'I did what I could.',
        callOnce(),
        'Done.',
      ],
    });
    await session.send('Write to Ada.');
    expect(carried).toEqual(['ada', 'ada', 'ada']);
    expect(getShownResults(session.requests[3])).toEqual([describeRemaining(0), describeRefusal(60)]);
    expect(getLastResults(session)).toEqual([
      describeRemaining(2),
      'I did what I could.',
      describeRemaining(1),
      describeRefusal(60),
    ]);
  });

  it('counts a call whose Worker was killed, and whose outcome is unknown', async () => {
    const { session, carried } = createCourier({
      carry: async () => {
        if (carried.length === 1) session.kill();
        return 'L';
      },
      replies: [callOnce(), callOnce(), callOnce(), callOnce(), 'Done.'],
    });
    await session.send('Write to Ada.');
    const results = getLastResults(session);
    expect(results[0]).toMatch(/^Error: [\s\S]*\n\n2 of 3 calls an hour are left for 'ada'\.$/);
    expect(results.slice(1)).toEqual([describeRemaining(1), describeRemaining(0), describeRefusal(60)]);
    expect(carried).toHaveLength(3);
  });

  it('counts a call that was running when its turn was cancelled', async () => {
    const { session, clock } = createCourier({
      carry: async () => {
        await session.cancel();
        session.kill();
        return 'L';
      },
      replies: [callOnce(), callOnce('ada'), 'Done.'],
    });
    expect(await session.send('Write to Ada.')).toMatchObject({ outcome: 'cancelled' });
    await clock.advance(MINUTE);
    expect((await session.state()).memories.get('app:rate-limits')).toEqual({ ada: [expect.any(Number)] });
  });
});
