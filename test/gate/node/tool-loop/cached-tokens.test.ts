import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../../src/index.ts';
import type { PricedUsage } from '../../../../src/journal/entry.ts';
import { inspect } from '../../../../src/modules/inspect/entry.ts';
import { createScene, listEvents, PRICES, readReservedTokens } from './budget-scene.ts';
import { callTools, createReadingTool } from './scenes.ts';

const FIRST_USAGE = { inputTokens: 1_000, cachedInputTokens: 600, cacheWriteTokens: 300, outputTokens: 100 };
const SECOND_USAGE = { inputTokens: 2_000, cachedInputTokens: 900, outputTokens: 200, reasoningTokens: 150 };
const TOTAL_USAGE = {
  inputTokens: 3_000,
  cachedInputTokens: 1_500,
  cacheWriteTokens: 300,
  outputTokens: 300,
  reasoningTokens: 150,
};
/**
 * USD per million tokens. Cached tokens cost a tenth of the input price, and cache writes a quarter more than
 * that price.
 */
const CACHE_PRICES = { ...PRICES, cachedInput: 0.3, cacheWrite: 3.75 };

const createReplyWithUsage = (usage: PricedUsage) => ({ text: 'Done.', usage });

describe('the token counts of a model', () => {
  it('are stored in the journal, in the answer and in the state', async () => {
    const session = createScene(
      [{ ...callTools('look'), usage: FIRST_USAGE }, createReplyWithUsage(SECOND_USAGE)],
      {
        tools: [createReadingTool('look')],
      },
    );
    const answer = await session.send('Go.');
    expect((await listEvents(session, 'model-replied')).map(({ usage }) => usage)).toEqual([
      FIRST_USAGE,
      SECOND_USAGE,
    ]);
    expect(answer.usage).toEqual(TOTAL_USAGE);
    expect((await session.state()).usage).toEqual(TOTAL_USAGE);
    session.restart();
    expect((await session.state()).usage).toEqual(TOTAL_USAGE);
  });

  it('are reported to inspectors and to calls', async () => {
    const seen: unknown[] = [];
    let used: NonNullable<CallContext['process']>['used'] | undefined;
    const look = createReadingTool('look', ({ process }) => {
      used = process?.used;
    });
    const session = createScene([{ ...callTools('look'), usage: FIRST_USAGE }, 'Done.'], {
      tools: [look],
      use: [inspect({ afterModelCall: ({ usage }) => void seen.push(usage) })],
    });
    await session.send('Go.');
    expect(seen).toEqual([FIRST_USAGE, { inputTokens: 10, outputTokens: 5 }]);
    expect(used).toEqual({ tokens: 1_100, cost: 0, toolCalls: 1, modelCalls: 1, ...FIRST_USAGE });
  });

  it('are ignored if they are inconsistent, even if they come from a model of the app', async () => {
    const usage = { inputTokens: 5, cachedInputTokens: 6, outputTokens: 2, reasoningTokens: Number.NaN };
    const session = createScene([createReplyWithUsage(usage)], { prices: CACHE_PRICES });
    const { usage: told } = await session.send('Go.');
    expect(told).toEqual({ inputTokens: 5, outputTokens: 2, cost: (5 * 3 + 2 * 15) / 1e6 });
  });
});

describe('a cost limit', () => {
  it('counts cached and written tokens once, at their own prices', async () => {
    const session = createScene([createReplyWithUsage(FIRST_USAGE)], {
      budget: { cost: 0.5 },
      prices: CACHE_PRICES,
    });
    const { usage } = await session.send('Go.');
    expect(usage).toEqual({ ...FIRST_USAGE, cost: (100 * 3 + 600 * 0.3 + 300 * 3.75 + 100 * 15) / 1e6 });
  });

  it('reserves the highest possible cost of the input, as if all of it were written to the cache', async () => {
    const plain = createScene(['Done.'], { budget: { cost: 0.5 }, prices: PRICES });
    const written = createScene(['Done.'], { budget: { cost: 0.5 }, prices: CACHE_PRICES });
    await plain.send('Go.');
    await written.send('Go.');
    const [{ inputTokens, cost } = { inputTokens: 0 }] = await readReservedTokens(plain);
    const [more] = await readReservedTokens(written);
    expect(cost).toBe((inputTokens * 3 + 4_096 * 15) / 1e6);
    expect(more).toEqual({ inputTokens, outputTokens: 4_096, cost: (inputTokens * 3.75 + 4_096 * 15) / 1e6 });
  });

  it('refuses a request that could exceed it by writing all of its input to the cache', async () => {
    const inputs = createScene(['Done.'], { budget: { cost: 0.5 }, prices: CACHE_PRICES });
    await inputs.send('Go.');
    const [{ inputTokens } = { inputTokens: 0 }] = await readReservedTokens(inputs);
    // This suffices for the shortest useful reply only at the plain input price.
    const cost = (inputTokens * PRICES.input + 256 * PRICES.output) / 1e6;
    const session = createScene(['Done.'], { budget: { cost }, prices: CACHE_PRICES });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
    expect(session.requests).toEqual([]);
    expect(await listEvents(session, 'model-refused')).toMatchObject([
      { needed: (inputTokens * 3.75 + 256 * 15) / 1e6 },
    ]);
  });
});
