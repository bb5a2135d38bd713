import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineAgenticTool } from '../../src/agentic/define-agentic-tool.ts';
import type { StoredEvent } from '../../src/journal/events.ts';
import { Meter } from '../../src/session/meter.ts';
import { UNLIMITED } from '../../src/session/platform.ts';
import type { TurnEnd, TurnHost } from '../../src/session/run-turn.ts';
import { createManualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { Interrupted } from '../../src/tool-loop/interrupted.ts';
import { LISTINGS } from '../../src/tools/listings.ts';
import type { ToolSource } from '../../src/tools/resolution/tool-source.ts';
import { Secrets } from '../../src/tools/secrets.ts';
import { ToolConfigurationError } from '../../src/tools/signals.ts';
import { factOf } from '../../src/tools/slice.ts';
import { asked, LEASE_MS, leftBehind, passing, takenOver } from '../session/former-holder.ts';
import { settle } from '../session/held.ts';
import { type MemoryApp, memoryApp } from '../session/memory-app.ts';
import { runBare } from './bare-loop.ts';
import { never, outside } from './outside.ts';
import { calls, digs, reads, shownResults } from './scenes.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock(1_000_000);
});
afterEach(() => vi.restoreAllMocks());

const appWith = (tools: readonly ToolSource[], replies: readonly ScriptedReply[]): MemoryApp =>
  memoryApp({ tools, replies, clock, leaseMs: LEASE_MS });

const offered = ({ model }: MemoryApp): readonly (readonly string[])[] =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name));

async function journal({ port }: MemoryApp): Promise<readonly StoredEvent['event'][]> {
  const rows = (await port.read({ from: 1 }))?.rows ?? [];
  return rows.map(({ body }) => JSON.parse(body));
}
const listings = async (app: MemoryApp) => (await journal(app)).filter(({ type }) => type === 'tools-listed');

/** What was logged as an error meanwhile, by its first words. */
function errors(): () => readonly unknown[] {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => log.mock.calls.map(([said]) => said);
}

const FAILED = "holdfast: the strategy 'dynamic-tools' could not find its tools";

describe('tools that are found outside', () => {
  it('are offered with the model call before which they are found, and journaled once', async () => {
    const source = outside('shop', () => ['buy', 'sell']);
    const app = appWith([source.provider, reads('look')], [calls('buy'), 'Bought.']);
    expect(await passing(clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Bought.' } });
    expect(offered(app)).toEqual([
      ['buy', 'look', 'sell'],
      ['buy', 'look', 'sell'],
    ]);
    expect(shownResults(app.model.requests[1])).toEqual(['buy done']);
    expect(await listings(app)).toEqual([
      {
        v: 1,
        type: 'tools-listed',
        turn: 'id2',
        facts: [{ slice: 'listings', fact: { key: 'shop', told: ['buy', 'sell'] } }],
      },
    ]);
    expect(source.asked()).toBe(1);
  });

  it('are offered by another invocation without asking again', async () => {
    const source = outside('shop', () => ['buy']);
    const app = appWith([source.provider], ['Hello.', calls('buy'), 'Bought.']);
    await passing(clock, app.say('Hi.'));
    await passing(clock, app.say('Buy.'));
    expect(offered(app)).toEqual([['buy'], ['buy'], ['buy']]);
    expect([source.asked(), (await listings(app)).length]).toEqual([1, 1]);
  });

  it('are asked for again when their source says so, and only then', async () => {
    const stale = { now: false };
    const source = outside('shop', (n) => (n === 1 ? ['buy'] : ['sell']), { isStale: () => stale.now });
    const app = appWith([source.provider], ['Hello.', 'Hello again.', 'And again.']);
    await passing(clock, app.say('Hi.'));
    stale.now = true;
    await passing(clock, app.say('Hi.'));
    stale.now = false;
    await passing(clock, app.say('Hi.'));
    expect(offered(app)).toEqual([['buy'], ['sell'], ['sell']]);
    expect(source.asked()).toBe(2);
  });

  it('are nobody’s who is asked for the best answer now', async () => {
    const source = outside('shop', () => ['buy'], { isStale: () => true });
    const app = memoryApp({
      tools: [source.provider],
      replies: [calls('buy'), 'Enough.'],
      clock,
      leaseMs: LEASE_MS,
      limits: { iterations: 1 },
    });
    expect(await passing(clock, app.say('Go.'))).toMatchObject({ turn: { outcome: 'limit-reached' } });
    expect([offered(app), source.asked()]).toEqual([[['buy'], []], 1]);
  });

  it('are not journaled with the secrets that a source echoes', async () => {
    const source = outside('shop?token=hunter22', () => ['buy']);
    const app = appWith([source.provider], ['Hello.']);
    await passing(clock, app.say('Hi.', { secrets: () => Secrets.of({ TOKEN: 'hunter22' }) }));
    expect(await listings(app)).toMatchObject([
      { facts: [{ fact: { key: 'shop?token=[secret TOKEN]', told: ['buy'] } }] },
    ]);
    expect(JSON.stringify(await journal(app))).not.toContain('hunter22');
  });

  it('stay as they are for calls that another invocation finishes, whatever was found since', async () => {
    const source = outside('shop', () => ['buy']);
    const app = appWith([source.provider], [calls('buy'), 'Bought.']);
    const fact = (told: readonly string[]) => factOf(LISTINGS, { key: 'shop', told: [...told] });
    const left = await leftBehind(app, [
      { type: 'tools-listed', facts: [fact(['buy'])] },
      ...asked(['buy'], ['sell']),
      // As a nested loop of the same batch would find it.
      { type: 'tools-listed', facts: [fact(['sell'])] },
    ]);
    await takenOver(app, clock, left);
    expect(shownResults(app.model.requests[0])).toEqual([
      'buy done',
      "Error: Tool 'sell' does not exist. Available tools: [buy]. Use the exact tool name from this list. " +
        'Do not combine or prefix tool names — tool names found in source code or search results are not callable.',
    ]);
    expect(offered(app)[0]).toEqual(['sell']);
  });
});

describe('a source that fails', () => {
  it('brings no tools, is logged, and is asked again before the next model call', async () => {
    const logged = errors();
    const source = outside('shop', (n) => (n === 1 ? Promise.reject(new Error('down')) : ['buy']));
    const app = appWith([source.provider, reads('look')], [calls('look'), calls('buy'), 'Bought.']);
    expect(await passing(clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Bought.' } });
    expect(offered(app)).toEqual([['look'], ['buy', 'look'], ['buy', 'look']]);
    expect([source.asked(), (await listings(app)).length, logged()]).toEqual([2, 1, [FAILED]]);
  });

  it.each([
    [
      'throws at once',
      () => {
        throw new Error('no promise');
      },
    ],
    ['answers no list', async () => undefined as never], // as code without types may
    ['tells what is not JSON', async () => [factOf(LISTINGS, { key: 'shop', told: (() => 1) as never })]],
    ['tells a number that no JSON has', async () => [factOf(LISTINGS, { key: 'shop', told: Number.NaN })]],
  ] as const)('%s, and fails nothing else', async (_, discover) => {
    const logged = errors();
    const other = outside('bank', () => ['pay']);
    const app = appWith([{ toolsNow: () => [], discover }, other.provider], ['Hello.']);
    expect(await passing(clock, app.say('Hi.'))).toMatchObject({ turn: { outcome: 'completed' } });
    expect(offered(app)).toEqual([['pay']]);
    expect(logged()).toEqual([FAILED]);
  });

  it('takes nothing from the other sources of its agent', async () => {
    const logged = errors();
    const good = outside('shop', () => ['buy']);
    const bad = outside('bank', () => Promise.reject(new Error('down')));
    const app = appWith([bad.provider, good.provider], ['Hello.', 'Hello again.']);
    await passing(clock, app.say('Hi.'));
    await passing(clock, app.say('Hi.'));
    expect(offered(app)).toEqual([['buy'], ['buy']]);
    expect([good.asked(), bad.asked(), logged()]).toEqual([1, 2, [FAILED, FAILED]]);
  });

  it('may answer when nobody waits any more, and is heard by nobody', async () => {
    errors();
    const late = Promise.withResolvers<readonly string[]>();
    const source = outside('shop', (n) => (n === 1 ? late.promise : Promise.reject(new Error('down'))));
    const app = appWith([source.provider, reads('look')], [calls('look'), 'Hello.']);
    const end = app.say('Hi.');
    await clock.advance(0);
    await clock.advance(120_000);
    late.resolve(['buy']);
    expect(await passing(clock, end)).toMatchObject({ turn: { text: 'Hello.' } });
    expect(await listings(app)).toEqual([]);
  });
});

describe('a source that hangs', () => {
  /** A turn whose source hangs, once it does. */
  async function hanging(host: Partial<TurnHost> = {}) {
    const hangs = Promise.withResolvers<void>();
    const good = outside('bank', () => ['pay']);
    const source = outside('shop', (n) => {
      hangs.resolve();
      return n === 1 ? never() : ['buy'];
    });
    const line = { isCut: false };
    const app = memoryApp({
      tools: [source.provider, good.provider],
      replies: ['Hello.'],
      clock,
      leaseMs: LEASE_MS,
      wrap: (port) => ({ ...port, renew: (epoch) => (line.isCut ? never() : port.renew(epoch)) }),
    });
    const leased = await app.lease('Hi.');
    const end = app.run(leased, host);
    await hangs.promise;
    for (let i = 0; i < 3; i += 1) await settle();
    return { app, end, turn: leased.page.openTurn?.id ?? '', source, good, line };
  }

  it('does not keep a turn from being cancelled', async () => {
    const { app, end, turn } = await hanging();
    await app.port.post('cancel', turn, '{}');
    await clock.advance(LEASE_MS / 3 + 1);
    expect(await passing(clock, end, 0)).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled' } });
    expect(await listings(app)).toEqual([]);
  });

  it('does not keep a lost lease', async () => {
    const { app, end, turn, source, line } = await hanging();
    line.isCut = true;
    await clock.advance((LEASE_MS * 3) / 4 + 1);
    expect(await passing(clock, end, 0)).toMatchObject({ status: 'lost' });
    line.isCut = false;
    await clock.advance(LEASE_MS / 4);
    expect(await passing(clock, app.run(await app.resume(turn)))).toMatchObject({ turn: { text: 'Hello.' } });
    expect([offered(app), source.asked()]).toEqual([[['buy', 'pay']], 2]);
  });

  it('does not keep a hand-over, and what others have found is not asked for again', async () => {
    const client = new AbortController();
    const { app, end, turn, source, good } = await hanging({ leave: client.signal });
    client.abort();
    await clock.advance(20_000);
    expect(await passing(clock, end, 0)).toMatchObject({ status: 'handed-over' });
    const next = await app.resume(turn);
    expect(await passing(clock, app.run(next))).toMatchObject({ turn: { text: 'Hello.' } });
    expect(offered(app)).toEqual([['buy', 'pay']]);
    expect([source.asked(), good.asked()]).toEqual([2, 1]);
  });

  it('is left after two minutes', async () => {
    const logged = errors();
    const { app, end } = await hanging();
    await clock.advance(119_999);
    expect(app.model.requests).toEqual([]);
    await clock.advance(1);
    expect(await passing(clock, end, 0)).toMatchObject({ turn: { text: 'Hello.' } });
    expect([offered(app), logged()]).toEqual([[['pay']], [FAILED]]);
  });

  it('is left when it takes longer than it said, and its connection is another’s', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const slow = Array.from({ length: 6 }, (_, n) =>
      outside(`s${n}`, (_n, { ask }) => ask({ subrequests: 1, ms: 3_000 }, never)),
    );
    const good = outside('shop', (_, { ask }) => ask({ subrequests: 1, ms: 3_000 }, async () => ['buy']));
    const app = appWith(
      [...slow, good].map(({ provider }) => provider),
      ['Hello.'],
    );
    const end = app.say('Hi.');
    await clock.advance(2_999);
    expect(app.model.requests).toEqual([]);
    await clock.advance(1);
    expect(await passing(clock, end, 0)).toMatchObject({ turn: { text: 'Hello.' } });
    expect(offered(app)).toEqual([['buy']]);
    expect(logged.mock.calls.map(([, thrown]) => String(thrown))).toEqual(
      slow.map(() => 'TimeoutError: 3000 ms are over.'),
    );
  });
});

describe('an invocation with little left', () => {
  const NEEDS = { subrequests: 20, ms: 1_000 };
  const asking = (key: string, name: string) => outside(key, (_, { ask }) => ask(NEEDS, async () => [name]));

  /** Runs a turn through as many invocations as it takes, each with so many requests. */
  async function drive(app: MemoryApp, subrequests: number): Promise<readonly TurnEnd['status'][]> {
    const host = (): Partial<TurnHost> => ({
      meter: new Meter({ ...UNLIMITED, subrequests }, () => clock.now()),
    });
    let leased = await app.lease('Hi.');
    const turn = leased.page.openTurn?.id ?? '';
    const ends: TurnEnd['status'][] = [];
    while (ends.length < 8) {
      const { status } = await passing(clock, app.run(leased, host()));
      ends.push(status);
      if (status === 'ended') return ends;
      leased = await app.resume(turn);
    }
    return ends;
  }

  it('leaves the rest to others, who do not ask again for what was found', async () => {
    const sources = [asking('shop', 'buy'), asking('bank', 'pay')];
    const app = appWith(
      sources.map(({ provider }) => provider),
      ['Hello.'],
    );
    expect(await drive(app, 50)).toEqual(['handed-over', 'ended']);
    expect(offered(app)).toEqual([['buy', 'pay']]);
    expect(sources.map((source) => source.asked())).toEqual([1, 2]);
    expect((await journal(app)).find(({ type }) => type === 'turn-yielded')).toMatchObject({
      reason: 'its invocation is about to meet its limit of 50 subrequests',
    });
  });

  it('is not handed over for ever: after two without a reply, the model is asked with what is known', async () => {
    errors();
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const down = outside('bank', (_, { ask }) => ask(NEEDS, () => Promise.reject(new Error('down'))));
    const sources = [down, asking('a', 'one'), asking('b', 'two')];
    const app = appWith(
      sources.map(({ provider }) => provider),
      ['Hello.', 'Hello again.'],
    );
    expect(await drive(app, 50)).toEqual(['handed-over', 'handed-over', 'ended']);
    expect(offered(app)).toEqual([[]]);
    expect(warned.mock.calls).toEqual([
      ['holdfast: no tools are looked for outside: 2 invocations got no reply from the model'],
    ]);
  });

  it('takes a source that no invocation has room for as one that fails', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const huge = outside('bank', (_, { ask }) => ask({ subrequests: 39, ms: 1 }, async () => ['pay']));
    const app = appWith([huge.provider], ['Hello.']);
    expect(await drive(app, 50)).toEqual(['ended']);
    expect(logged.mock.calls).toEqual([[FAILED, expect.any(ToolConfigurationError)]]);
  });

  it('hands the turn over when a source says so, whatever the others do', async () => {
    const hands = outside('bank', (n) => {
      if (n === 1) throw new Interrupted('handed-over', 'enough');
      return ['pay'];
    });
    const good = outside('shop', () => ['buy']);
    const app = appWith([hands.provider, good.provider], ['Hello.']);
    expect(await drive(app, 50)).toEqual(['handed-over', 'ended']);
    expect([offered(app), good.asked()]).toEqual([[['buy', 'pay']], 1]);
  });
});

describe('a nested loop', () => {
  it('finds tools for itself, under its own frame', async () => {
    const source = outside('shop', () => ['buy']);
    const trader = defineAgenticTool({
      name: 'trader',
      description: 'Trades.',
      input: { type: 'object', properties: {} },
      instructions: 'Trade.',
      tools: [source.provider],
    });
    const app = appWith([trader], [calls('trader'), calls('buy'), 'Bought.', 'Done.']);
    expect(await passing(clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Done.' } });
    expect(offered(app)).toEqual([['trader'], ['buy'], ['buy'], ['trader']]);
    expect(await listings(app)).toMatchObject([{ frame: 'id2.3.0' }]);
  });

  it('inherits what its kinds find, and is told of its own frame', async () => {
    const frames: string[] = [];
    const { offered: shown } = await runBare({
      tools: [digs([reads('look')])],
      strategies: [],
      replies: [calls('dig'), 'Dug.', 'Done.'],
      slices: [LISTINGS],
      kinds: [
        {
          name: 'outside',
          discover: async ({ view: { frame, path } }) => {
            frames.push(`${frame === '' ? 'root' : 'nested'} ${path}`);
            return [];
          },
          offer: (tools) => tools,
        },
      ],
    });
    expect(shown).toEqual([['dig'], ['look'], ['dig']]);
    expect(frames).toEqual(['nested memory/dig']);
  });
});
