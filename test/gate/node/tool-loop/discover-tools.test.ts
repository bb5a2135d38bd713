import { describe, expect, it } from 'vitest';
import { defineAgent, Secrets, toolProvider } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { listings as LISTED, LISTINGS } from '../../../../src/modules/listings/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createFact } from '../../../doors/tools.ts';
import {
  advanceUntilSettled,
  callEvents,
  LEASE_MS,
  leaveHolderSilent,
  takeOver,
} from '../session/former-holder.ts';
import { createClockedApp } from '../session/memory-app.ts';
import { runBare } from './bare-loop.ts';
import {
  captureErrors,
  createApp,
  DISCOVERY_ERROR,
  getMessages,
  getOfferedTools,
  readEvents,
  readListingEvents,
} from './discovery-scene.ts';
import { createOutsideSource } from './outside.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

describe('discovered tools', () => {
  it('are offered in the next model call, and journaled once', async () => {
    const source = createOutsideSource('shop', () => ['buy', 'sell']);
    const app = createApp([source.provider, createReadingTool('look')], [callTools('buy'), 'Bought.']);
    expect(await advanceUntilSettled(app.clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Bought.' } });
    expect(getOfferedTools(app)).toEqual([
      ['buy', 'look', 'sell'],
      ['buy', 'look', 'sell'],
    ]);
    expect(getShownResults(app.model.requests[1])).toEqual(['buy done']);
    expect(await readListingEvents(app)).toEqual([
      {
        v: 1,
        type: 'tools-listed',
        turn: 'id2',
        facts: [{ slice: 'listings', fact: { key: 'shop', told: ['buy', 'sell'] }, at: expect.any(Number) }],
      },
    ]);
    expect(source.asked()).toBe(1);
  });

  it('are offered by another invocation without a new request', async () => {
    const source = createOutsideSource('shop', () => ['buy']);
    const app = createApp([source.provider], ['Hello.', callTools('buy'), 'Bought.']);
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    await advanceUntilSettled(app.clock, app.say('Buy.'));
    expect(getOfferedTools(app)).toEqual([['buy'], ['buy'], ['buy']]);
    expect([source.asked(), (await readListingEvents(app)).length]).toEqual([1, 1]);
  });

  it('are requested again only if their source is stale', async () => {
    const stale = { now: false };
    const source = createOutsideSource('shop', (n) => (n === 1 ? ['buy'] : ['sell']), {
      isStale: () => stale.now,
    });
    const app = createApp([source.provider], ['Hello.', 'Hello again.', 'And again.']);
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    stale.now = true;
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    stale.now = false;
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    expect(getOfferedTools(app)).toEqual([['buy'], ['sell'], ['sell']]);
    expect(source.asked()).toBe(2);
  });

  it('are not requested again for the last reply at a limit, and stay the same', async () => {
    const source = createOutsideSource('shop', () => ['buy'], { isStale: () => true });
    const app = createClockedApp({
      tools: [source.provider],
      replies: [callTools('buy'), 'Enough.'],
      leaseMs: LEASE_MS,
      limits: { iterations: 1 },
    });
    expect(await advanceUntilSettled(app.clock, app.say('Go.'))).toMatchObject({
      turn: { outcome: 'limit-reached' },
    });
    expect([getOfferedTools(app), source.asked()]).toEqual([[['buy'], ['buy']], 1]);
  });

  it('are journaled without secrets that a source repeats', async () => {
    const source = createOutsideSource('shop?token=hunter22', () => ['buy']);
    const app = createApp([source.provider], ['Hello.']);
    await advanceUntilSettled(
      app.clock,
      app.say('Hi.', { secrets: () => Secrets.of({ TOKEN: 'hunter22' }) }),
    );
    expect(await readListingEvents(app)).toMatchObject([
      { facts: [{ fact: { key: 'shop?token=[secret TOKEN]', told: ['buy'] } }] },
    ]);
    expect(JSON.stringify(await readEvents(app))).not.toContain('hunter22');
  });

  it('remain the same for calls that another invocation completes, even after other discoveries', async () => {
    const source = createOutsideSource('shop', () => ['buy']);
    const app = createApp([source.provider], [callTools('buy'), 'Bought.']);
    const createListingFact = (told: readonly string[]) =>
      createFact(LISTINGS, { key: 'shop', told: [...told] });
    const left = await leaveHolderSilent(app, [
      { type: 'tools-listed', facts: [createListingFact(['buy'])] },
      ...callEvents(['buy'], ['sell']),
      // A nested loop in the same batch would record this.
      { type: 'tools-listed', facts: [createListingFact(['sell'])] },
    ]);
    await takeOver(app, app.clock, left);
    expect(getShownResults(app.model.requests[0])).toEqual([
      'buy done',
      "Error: Tool 'sell' does not exist. Available tools: [buy]. Use the exact tool name from this list. " +
        'Do not combine or prefix tool names — tool names found in source code or search results are not callable.',
    ]);
    expect(getOfferedTools(app)[0]).toEqual(['sell']);
  });
});

describe('a tool source that fails', () => {
  it('adds no tools, is logged, and is asked again before the next model call', async () => {
    const logged = captureErrors();
    const source = createOutsideSource('shop', (n) =>
      n === 1 ? Promise.reject(new Error('down')) : ['buy'],
    );
    const app = createApp(
      [source.provider, createReadingTool('look')],
      [callTools('look'), callTools('buy'), 'Bought.'],
    );
    expect(await advanceUntilSettled(app.clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Bought.' } });
    expect(getOfferedTools(app)).toEqual([['look'], ['look', 'buy'], ['look', 'buy']]);
    expect([source.asked(), (await readListingEvents(app)).length, getMessages(logged)]).toEqual([
      2,
      1,
      [DISCOVERY_ERROR],
    ]);
  });

  it.each([
    [
      'throws synchronously',
      () => {
        throw new Error('This is not a promise.');
      },
    ],
    ['returns a value that is not a list', async () => undefined as never], // Untyped code can do this.
    [
      'returns a value that is not JSON',
      async () => [createFact(LISTINGS, { key: 'shop', told: (() => 1) as never })],
    ],
    [
      'returns a number that JSON cannot express',
      async () => [createFact(LISTINGS, { key: 'shop', told: Number.NaN })],
    ],
  ] as const)('fails without an effect on other sources if it %s', async (_, discover) => {
    const logged = captureErrors();
    const other = createOutsideSource('bank', () => ['pay']);
    const app = createApp(
      [toolProvider({ toolsNow: () => [], uses: [LISTED], discover }), other.provider],
      ['Hello.'],
    );
    expect(await advanceUntilSettled(app.clock, app.say('Hi.'))).toMatchObject({
      turn: { outcome: 'completed' },
    });
    expect(getOfferedTools(app)).toEqual([['pay']]);
    expect(getMessages(logged)).toEqual([DISCOVERY_ERROR]);
  });

  it('does not affect the other sources of its agent', async () => {
    const logged = captureErrors();
    const good = createOutsideSource('shop', () => ['buy']);
    const bad = createOutsideSource('bank', () => Promise.reject(new Error('down')));
    const app = createApp([bad.provider, good.provider], ['Hello.', 'Hello again.']);
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    await advanceUntilSettled(app.clock, app.say('Hi.'));
    expect(getOfferedTools(app)).toEqual([['buy'], ['buy']]);
    expect([good.asked(), bad.asked(), getMessages(logged)]).toEqual([
      1,
      2,
      [DISCOVERY_ERROR, DISCOVERY_ERROR],
    ]);
  });

  it('is ignored if it responds too late', async () => {
    captureErrors();
    const late = Promise.withResolvers<readonly string[]>();
    const source = createOutsideSource('shop', (n) =>
      n === 1 ? late.promise : Promise.reject(new Error('down')),
    );
    const app = createApp([source.provider, createReadingTool('look')], [callTools('look'), 'Hello.']);
    const end = app.say('Hi.');
    await app.clock.advance(0);
    await app.clock.advance(120_000);
    late.resolve(['buy']);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { text: 'Hello.' } });
    expect(await readListingEvents(app)).toEqual([]);
  });
});

describe('a tool source without its module', () => {
  const bare = toolProvider({ toolsNow: () => [], discover: async () => [] });

  it('is refused by the definition of its agent', () => {
    expect(() => createApp([bare], [])).toThrow(
      new TypeError(
        "`discover` needs the module `listings`. Import it from 'holdfast/listings' and add it to `uses`, beside `discover`.",
      ),
    );
  });

  it('is also refused inside a group and an agentic tool', () => {
    const group = defineToolGroup({ role: 'shop', description: 'Shops.', tools: [bare] });
    expect(() => createApp([group], [])).toThrow(/^`discover` needs the module/);
    expect(() =>
      defineAgenticTool({ name: 'dig', description: 'Digs.', instructions: '', tools: [bare] }),
    ).toThrow(/^`discover` needs the module/);
  });
});

describe('a kind of tool whose strategy discovers tools', () => {
  it('adds the required module to the app', async () => {
    const kind = defineModule({ name: 'shops' }).use({
      offer: {
        name: 'shops',
        uses: [LISTED],
        discover: async () => [createFact(LISTINGS, { key: 'shop', told: ['buy'] })],
        offer: (tools, view) =>
          view.recall(LISTINGS).length > 0 ? [...tools, createReadingTool('buy')] : tools,
      },
    });
    const agent = defineAgent({ name: 'clerk', description: 'Sells.', instructions: 'Sell.', tools: [] });
    const session = createTestSession(agent, { replies: ['Hello.'], use: [kind] });
    await session.send('Hi.');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['buy']);
  });
});

describe('a nested loop', () => {
  it('discovers its own tools in its own frame', async () => {
    const source = createOutsideSource('shop', () => ['buy']);
    const trader = defineAgenticTool({
      name: 'trader',
      description: 'Trades.',
      input: jsonSchema({ type: 'object', properties: {} }),
      instructions: 'Trade.',
      tools: [source.provider],
    });
    const app = createApp([trader], [callTools('trader'), callTools('buy'), 'Bought.', 'Done.']);
    expect(await advanceUntilSettled(app.clock, app.say('Go.'))).toMatchObject({ turn: { text: 'Done.' } });
    expect(getOfferedTools(app)).toEqual([['trader'], ['buy'], ['buy'], ['trader']]);
    expect(await readListingEvents(app)).toMatchObject([{ frame: 'id2.3.0' }]);
  });

  it('inherits tool sources from strategies that apply everywhere, in its own frame', async () => {
    const frames: string[] = [];
    const { offered: shown } = await runBare({
      tools: [createDiggingTool([createReadingTool('look')])],
      strategies: [],
      replies: [callTools('dig'), 'Dug.', 'Done.'],
      memories: [LISTINGS],
      everywhere: [
        {
          name: 'outside',
          uses: [LISTED],
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
