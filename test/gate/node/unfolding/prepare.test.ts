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
import { valueIn } from '../../../doors/journal.ts';
import { Meter, UNLIMITED } from '../../../doors/session.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { memoryApp } from '../session/memory-app.ts';
import { neverResolve } from '../tool-loop/outside.ts';
import { calls, createTool, offeredTools, openedText, results, sessionWith } from './scenes.ts';

afterEach(() => vi.restoreAllMocks());

const toolsByName = new Map(['buy', 'sell', 'rent'].map((name) => [name, createTool(name)]));
const toolsIn = (view: LoopView): readonly AnyTool[] => {
  const told = view.recall(LISTINGS).find(({ key }) => key === 'shop')?.told ?? [];
  return (told as readonly string[]).flatMap((name) => toolsByName.get(name) ?? []); // `recordListing` records this below.
};
const recordListing =
  (...names: string[]) =>
  async (call: CallRun): Promise<undefined> => {
    call.record(LISTINGS, { key: 'shop', told: names });
  };

type Prepare = (call: CallRun) => Promise<string | undefined>;

/** Returns an unfolding tool whose tools are known only after its preparation. */
const shop = (prepare: Prepare, more: { tools?: readonly AnyTool[]; scope?: 'session' } = {}): AnyTool =>
  defineUnfolding({
    name: 'shop',
    description: 'Shops.',
    tools: toolsIn,
    prepare,
    uses: [listings],
    ...more,
  });

const listingsOf = async (session: TestSession): Promise<Listings> =>
  valueIn((await session.state()).memories, LISTINGS, '');

describe('an unfolding tool with `prepare`', () => {
  it('returns the tools that it found, and offers them in the next model call', async () => {
    const prepare = vi.fn(recordListing('buy', 'sell'));
    const session = sessionWith([shop(prepare)], [calls('shop'), calls('buy'), 'Bought.']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Bought.' });
    expect(offeredTools(session)).toEqual([['shop'], ['shop', 'buy', 'sell'], ['shop', 'buy', 'sell']]);
    expect(results(session)).toEqual([openedText('buy', 'sell'), 'buy done']);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? (event.changes?.facts ?? []) : [],
    );
    expect(ended.map(({ slice }) => slice)).toEqual(['listings', 'unfolding']);
    expect(await listingsOf(session)).toEqual([{ key: 'shop', told: ['buy', 'sell'] }]);
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('prepares again for a parallel call', async () => {
    const session = sessionWith([shop(recordListing('buy'))], [calls('shop', 'shop'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([
      openedText('buy'),
      "'shop' is open already. Call one of its tools:\n- buy: Does buy.",
    ]);
    expect(offeredTools(session)[1]).toEqual(['shop', 'buy']);
  });

  it('needs no preparation in the next turn if its scope is the session', async () => {
    const prepare = vi.fn(recordListing('buy'));
    const session = sessionWith([shop(prepare, { scope: 'session' })], [calls('shop'), 'Open.', 'Still.']);
    await session.send('Go.');
    await session.send('And now?');
    expect(offeredTools(session)[2]).toEqual(['shop', 'buy']);
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('can have a fixed list of tools, which it offers once it is prepared', async () => {
    const session = sessionWith(
      [shop(async () => undefined, { tools: [createTool('rent')] })],
      [calls('shop'), 'Done.'],
    );
    await session.send('Go.');
    expect(results(session)).toEqual([openedText('rent')]);
  });

  it('prepares in a nested loop', async () => {
    const outer = defineUnfolding({
      name: 'town',
      description: 'A town.',
      tools: [shop(recordListing('buy'))],
    });
    const session = sessionWith([outer], [calls('town'), calls('shop'), calls('buy'), 'Bought.']);
    expect(await session.send('Go.')).toMatchObject({ text: 'Bought.' });
    expect(results(session)).toEqual([openedText('shop'), openedText('buy'), 'buy done']);
  });
});

describe('an unfolding tool whose preparation fails', () => {
  it('stays closed, returns the problem, and stores nothing', async () => {
    const problem = "The shop cannot be reached. Call 'shop' again later.";
    const prepare: Prepare = async (call) => {
      await recordListing('buy')(call);
      return problem;
    };
    const session = sessionWith([shop(prepare)], [calls('shop'), 'Later.']);
    await session.send('Go.');
    expect(results(session)).toEqual([problem]);
    expect(offeredTools(session)[1]).toEqual(['shop']);
    const ended = (await session.events()).find((event) => event.type === 'tool-call-ended');
    expect(ended).toMatchObject({ result: { type: 'text', content: problem, withheld: true } });
    expect(ended).not.toHaveProperty('changes');
    expect(await listingsOf(session)).toEqual([]);
  });

  it('can be called again, and then opens', async () => {
    let isDown = true;
    const prepare: Prepare = async (call) => {
      if (isDown) {
        isDown = false;
        return 'Not now.';
      }
      return recordListing('buy')(call);
    };
    const session = sessionWith([shop(prepare)], [calls('shop'), calls('shop'), 'Open.']);
    await session.send('Go.');
    expect(results(session)).toEqual(['Not now.', openedText('buy')]);
  });

  it('returns an error if its code throws, and stores nothing', async () => {
    const prepare: Prepare = async (call) => {
      await recordListing('buy')(call);
      throw new Error('The server is down.');
    };
    const session = sessionWith([shop(prepare)], [calls('shop'), 'Hm.']);
    await session.send('Go.');
    expect(results(session)).toEqual(['Error: The server is down.']);
    expect(offeredTools(session)[1]).toEqual(['shop']);
    expect(await listingsOf(session)).toEqual([]);
  });

  it('returns a message if it found no tools', async () => {
    const session = sessionWith([shop(recordListing())], [calls('shop'), 'Hm.']);
    await session.send('Go.');
    expect(results(session)).toEqual([
      "Tool 'shop' has no tools now; they may be there later. Go on without them.",
    ]);
  });

  it('returns another message if its tools are not available beside the current ones', async () => {
    const session = sessionWith(
      [shop(async () => undefined, { tools: [createTool('rent')] })],
      [calls('shop'), 'Hm.'],
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
    expect(results(session)).toEqual([
      "Tool 'shop' cannot be opened any more: its tools are not available beside those you have now.",
    ]);
  });
});

describe('an unfolding tool whose preparation is interrupted', () => {
  it('prepares again in the invocation that resumes the turn', async () => {
    let times = 0;
    const session: TestSession = sessionWith(
      [
        shop(async (call) => {
          times += 1;
          if (times === 1) session.kill();
          return recordListing('buy')(call);
        }),
      ],
      [calls('shop'), calls('buy'), 'Bought.'],
    );
    expect(await session.send('Go.')).toMatchObject({ text: 'Bought.' });
    expect(results(session)).toEqual([openedText('buy'), 'buy done']);
    expect(times).toBe(2);
  });

  it('does not delay a cancellation of the turn', async () => {
    const clock = createManualClock(1_000_000);
    const app = memoryApp({
      tools: [shop(neverResolve)],
      replies: [calls('shop')],
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
    const prepare: Prepare = (call) =>
      discoveryIn(call).ask({ subrequests: 20, ms: 1_000 }, async () => {
        asked += 1;
        return recordListing('buy')(call);
      });
    const tools = [shop(prepare), createTool('look')];
    const app = memoryApp({ tools, replies: [calls('shop'), 'Open.'], clock, leaseMs: LEASE_MS });
    const meter = (subrequests: number) => new Meter({ ...UNLIMITED, subrequests }, () => clock.now());
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const spent = meter(50);
    spent.spend(20);
    expect(await advanceUntilSettled(clock, app.run(leased, { meter: spent }))).toMatchObject({
      status: 'handed-over',
    });
    expect(asked).toBe(0);
    const next = await app.resume(turn);
    expect(await advanceUntilSettled(clock, app.run(next, { meter: meter(50) }))).toMatchObject({
      status: 'ended',
    });
    expect(asked).toBe(1);
    expect(app.model.requests[1]?.messages.at(-1)?.text).toBe(openedText('buy'));
  });

  it('returns an error if its preparation takes longer than announced', async () => {
    const clock = createManualClock(1_000_000);
    const prepare: Prepare = (call) => discoveryIn(call).ask({ subrequests: 1, ms: 3_000 }, neverResolve);
    const app = memoryApp({
      tools: [shop(prepare)],
      replies: [calls('shop'), 'Hm.'],
      clock,
      leaseMs: LEASE_MS,
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Hm.' } });
    expect(app.model.requests[1]?.messages.at(-1)?.text).toBe('Error: 3000 ms are over.');
  });
});
