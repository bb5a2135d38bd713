import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AnyTool } from '../../../../src/index.ts';
import {
  type CallRun,
  defineInjectionStrategy,
  defineUnfolding,
  discoveryIn,
  type LoopView,
} from '../../../../src/kinds/entry.ts';
import { LISTINGS, type Listings, listings } from '../../../../src/modules/listings/entry.ts';
import { createManualClock, type TestSession } from '../../../../src/testing/entry.ts';
import { getMemoryValue } from '../../../doors/journal.ts';
import { Meter, UNLIMITED_PLATFORM } from '../../../doors/session.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { neverResolve } from '../tool-loop/outside.ts';
import {
  callTools,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

afterEach(() => vi.restoreAllMocks());

const toolsByName = new Map(['buy', 'sell', 'rent'].map((name) => [name, createTool(name)]));
const listShopTools = (view: LoopView): readonly AnyTool[] => {
  const told = view.recall(LISTINGS).find(({ key }) => key === 'shop')?.told ?? [];
  return (told as readonly string[]).flatMap((name) => toolsByName.get(name) ?? []); // `recordListing` records this below.
};
const recordListing =
  (...names: string[]) =>
  async (call: CallRun): Promise<undefined> => {
    call.record(LISTINGS, { key: 'shop', told: names });
  };

type PrepareFunction = (call: CallRun) => Promise<string | undefined>;

/** Returns an unfolding tool whose tools are known only after its preparation. */
const createShop = (
  prepare: PrepareFunction,
  more: { tools?: readonly AnyTool[]; scope?: 'session' } = {},
): AnyTool =>
  defineUnfolding({
    name: 'shop',
    description: 'Shops.',
    tools: listShopTools,
    prepare,
    uses: [listings],
    ...more,
  });

const readListings = async (session: TestSession): Promise<Listings> =>
  getMemoryValue((await session.state()).memories, LISTINGS, '');

describe('an unfolding tool with `prepare`', () => {
  it('returns the tools that it found, and offers them in the next model call', async () => {
    const prepare = vi.fn(recordListing('buy', 'sell'));
    const session = createSession([createShop(prepare)], [callTools('shop'), callTools('buy'), 'Bought.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Bought.' });
    expect(getOfferedTools(session)).toEqual([['shop'], ['shop', 'buy', 'sell'], ['shop', 'buy', 'sell']]);
    expect(getLastResults(session)).toEqual([formatOpenedText('buy', 'sell'), 'buy done']);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? (event.changes?.facts ?? []) : [],
    );
    expect(ended.map(({ slice }) => slice)).toEqual(['listings', 'unfolding']);
    expect(await readListings(session)).toEqual([{ key: 'shop', told: ['buy', 'sell'] }]);
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('prepares again for a parallel call', async () => {
    const session = createSession([createShop(recordListing('buy'))], [callTools('shop', 'shop'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('buy'),
      "'shop' is open already. Call one of its tools:\n- buy: Does buy.",
    ]);
    expect(getOfferedTools(session)[1]).toEqual(['shop', 'buy']);
  });

  it('needs no preparation in the next turn if its scope is the session', async () => {
    const prepare = vi.fn(recordListing('buy'));
    const session = createSession(
      [createShop(prepare, { scope: 'session' })],
      [callTools('shop'), 'Open.', 'Still.'],
    );
    await session.send('Go.');
    await session.send('And now?');
    expect(getOfferedTools(session)[2]).toEqual(['shop', 'buy']);
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('can have a fixed list of tools, which it offers once it is prepared', async () => {
    const session = createSession(
      [createShop(async () => undefined, { tools: [createTool('rent')] })],
      [callTools('shop'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('rent')]);
  });

  it('prepares in a nested loop', async () => {
    const outer = defineUnfolding({
      name: 'town',
      description: 'A town.',
      tools: [createShop(recordListing('buy'))],
    });
    const session = createSession(
      [outer],
      [callTools('town'), callTools('shop'), callTools('buy'), 'Bought.'],
    );
    expect(await session.send('Go.')).toMatchObject({ text: 'Bought.' });
    expect(getLastResults(session)).toEqual([formatOpenedText('shop'), formatOpenedText('buy'), 'buy done']);
  });
});

describe('an unfolding tool whose preparation fails', () => {
  it('stays closed, returns the problem, and stores nothing', async () => {
    const problem = "The shop cannot be reached. Call 'shop' again later.";
    const prepare: PrepareFunction = async (call) => {
      await recordListing('buy')(call);
      return problem;
    };
    const session = createSession([createShop(prepare)], [callTools('shop'), 'Later.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([problem]);
    expect(getOfferedTools(session)[1]).toEqual(['shop']);
    const ended = (await session.events()).find((event) => event.type === 'tool-call-ended');
    expect(ended).toMatchObject({ result: { type: 'text', content: problem, withheld: true } });
    expect(ended).not.toHaveProperty('changes');
    expect(await readListings(session)).toEqual([]);
  });

  it('can be called again, and then opens', async () => {
    let isDown = true;
    const prepare: PrepareFunction = async (call) => {
      if (isDown) {
        isDown = false;
        return 'Not now.';
      }
      return recordListing('buy')(call);
    };
    const session = createSession([createShop(prepare)], [callTools('shop'), callTools('shop'), 'Open.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['Not now.', formatOpenedText('buy')]);
  });

  it('returns an error if its code throws, and stores nothing', async () => {
    const prepare: PrepareFunction = async (call) => {
      await recordListing('buy')(call);
      throw new Error('The server is down.');
    };
    const session = createSession([createShop(prepare)], [callTools('shop'), 'Hm.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['Error: The server is down.']);
    expect(getOfferedTools(session)[1]).toEqual(['shop']);
    expect(await readListings(session)).toEqual([]);
  });

  it('returns a message if it found no tools', async () => {
    const session = createSession([createShop(recordListing())], [callTools('shop'), 'Hm.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Tool 'shop' has no tools now; they may be there later. Go on without them.",
    ]);
  });

  it('returns a different message if its tools cannot be offered with the current tools', async () => {
    const session = createSession(
      [createShop(async () => undefined, { tools: [createTool('rent')] })],
      [callTools('shop'), 'Hm.'],
      {
        use: [
          defineInjectionStrategy({
            name: 'closed',
            offer: (tools) => tools.filter(({ name }) => name !== 'rent'),
          }),
        ],
      },
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Tool 'shop' cannot be opened any more: its tools are not available beside those you have now.",
    ]);
  });
});

describe('an unfolding tool whose preparation is interrupted', () => {
  it('prepares again in the invocation that resumes the turn', async () => {
    let times = 0;
    const session: TestSession = createSession(
      [
        createShop(async (call) => {
          times += 1;
          if (times === 1) session.kill();
          return recordListing('buy')(call);
        }),
      ],
      [callTools('shop'), callTools('buy'), 'Bought.'],
    );
    expect(await session.send('Go.')).toMatchObject({ text: 'Bought.' });
    expect(getLastResults(session)).toEqual([formatOpenedText('buy'), 'buy done']);
    expect(times).toBe(2);
  });

  it('does not delay a cancellation of the turn', async () => {
    const clock = createManualClock(1_000_000);
    const app = createMemoryApp({
      tools: [createShop(neverResolve)],
      replies: [callTools('shop')],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    await clock.advance(LEASE_MS / 3 + 1);
    expect(await advanceUntilSettled(clock, end, 0)).toMatchObject({ turn: { outcome: 'cancelled' } });
  });

  it('leaves the call to another invocation if too little time is left', async () => {
    const clock = createManualClock(1_000_000);
    let asked = 0;
    const prepare: PrepareFunction = (call) =>
      discoveryIn(call).ask({ subrequests: 20, ms: 1_000 }, async () => {
        asked += 1;
        return recordListing('buy')(call);
      });
    const tools = [createShop(prepare), createTool('look')];
    const app = createMemoryApp({ tools, replies: [callTools('shop'), 'Open.'], clock, leaseMs: LEASE_MS });
    const createMeter = (subrequests: number) =>
      new Meter({ ...UNLIMITED_PLATFORM, subrequests }, () => clock.now());
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const spent = createMeter(50);
    spent.spend(20);
    expect(await advanceUntilSettled(clock, app.run(leased, { meter: spent }))).toMatchObject({
      status: 'handed-over',
    });
    expect(asked).toBe(0);
    const next = await app.resume(turn);
    expect(await advanceUntilSettled(clock, app.run(next, { meter: createMeter(50) }))).toMatchObject({
      status: 'ended',
    });
    expect(asked).toBe(1);
    expect(app.model.requests[1]?.messages.at(-1)?.text).toBe(formatOpenedText('buy'));
  });

  it('returns an error if its preparation takes longer than announced', async () => {
    const clock = createManualClock(1_000_000);
    const prepare: PrepareFunction = (call) =>
      discoveryIn(call).ask({ subrequests: 1, ms: 3_000 }, neverResolve);
    const app = createMemoryApp({
      tools: [createShop(prepare)],
      replies: [callTools('shop'), 'Hm.'],
      clock,
      leaseMs: LEASE_MS,
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Hm.' } });
    expect(app.model.requests[1]?.messages.at(-1)?.text).toBe('Error: 3000 ms are over.');
  });
});
