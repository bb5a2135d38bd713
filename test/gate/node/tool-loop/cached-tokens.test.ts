import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../../src/index.ts';
import type { PricedUsage } from '../../../../src/journal/entry.ts';
import { inspect } from '../../../../src/modules/inspect/entry.ts';
import { eventsOf, PRICES, scene, tokensReservedIn } from './budget-scene.ts';
import { calls, readingTool } from './scenes.ts';

const TOLD = { inputTokens: 1_000, cachedInputTokens: 600, cacheWriteTokens: 300, outputTokens: 100 };
const MORE = { inputTokens: 2_000, cachedInputTokens: 900, outputTokens: 200, reasoningTokens: 150 };
const BOTH = {
  inputTokens: 3_000,
  cachedInputTokens: 1_500,
  cacheWriteTokens: 300,
  outputTokens: 300,
  reasoningTokens: 150,
};
/**
 * USD per million tokens. Cached tokens cost a tenth of the input price, and cache writes cost a quarter more
 * than it.
 */
const CACHED = { ...PRICES, cachedInput: 0.3, cacheWrite: 3.75 };

const replyWithUsage = (usage: PricedUsage) => ({ text: 'Done.', usage });

describe('the token counts of a model', () => {
  it('are stored in the journal, in the answer and in the state', async () => {
    const session = scene([{ ...calls('look'), usage: TOLD }, replyWithUsage(MORE)], {
      tools: [readingTool('look')],
    });
    const answer = await session.send('Go.');
    expect((await eventsOf(session, 'model-replied')).map(({ usage }) => usage)).toEqual([TOLD, MORE]);
    expect(answer.usage).toEqual(BOTH);
    expect((await session.state()).usage).toEqual(BOTH);
    session.restart();
    expect((await session.state()).usage).toEqual(BOTH);
  });

  it('are reported to inspectors and to calls', async () => {
    const seen: unknown[] = [];
    let used: NonNullable<CallContext['process']>['used'] | undefined;
    const look = readingTool('look', ({ process }) => {
      used = process?.used;
    });
    const session = scene([{ ...calls('look'), usage: TOLD }, 'Done.'], {
      tools: [look],
      use: [inspect({ afterModelCall: ({ usage }) => void seen.push(usage) })],
    });
    await session.send('Go.');
    expect(seen).toEqual([TOLD, { inputTokens: 10, outputTokens: 5 }]);
    expect(used).toEqual({ tokens: 1_100, cost: 0, toolCalls: 1, modelCalls: 1, ...TOLD });
  });

  it('are ignored if they are inconsistent, even if they come from a model of the app', async () => {
    const usage = { inputTokens: 5, cachedInputTokens: 6, outputTokens: 2, reasoningTokens: Number.NaN };
    const session = scene([replyWithUsage(usage)], { prices: CACHED });
    const { usage: told } = await session.send('Go.');
    expect(told).toEqual({ inputTokens: 5, outputTokens: 2, cost: (5 * 3 + 2 * 15) / 1e6 });
  });
});

describe('a cost limit', () => {
  it('counts cached and written tokens once, at their own prices', async () => {
    const session = scene([replyWithUsage(TOLD)], { budget: { cost: 0.5 }, prices: CACHED });
    const { usage } = await session.send('Go.');
    expect(usage).toEqual({ ...TOLD, cost: (100 * 3 + 600 * 0.3 + 300 * 3.75 + 100 * 15) / 1e6 });
  });

  it('reserves the highest possible cost of the input, which can all be written to the cache', async () => {
    const plain = scene(['Done.'], { budget: { cost: 0.5 }, prices: PRICES });
    const written = scene(['Done.'], { budget: { cost: 0.5 }, prices: CACHED });
    await plain.send('Go.');
    await written.send('Go.');
    const [{ inputTokens, cost } = { inputTokens: 0 }] = await tokensReservedIn(plain);
    const [more] = await tokensReservedIn(written);
    expect(cost).toBe((inputTokens * 3 + 4_096 * 15) / 1e6);
    expect(more).toEqual({ inputTokens, outputTokens: 4_096, cost: (inputTokens * 3.75 + 4_096 * 15) / 1e6 });
  });

  it('is not exceeded by a model that writes all of its input to the cache', async () => {
    const inputs = scene(['Done.'], { budget: { cost: 0.5 }, prices: CACHED });
    await inputs.send('Go.');
    const [{ inputTokens } = { inputTokens: 0 }] = await tokensReservedIn(inputs);
    // This would suffice for the shortest useful reply at the plain input price.
    const cost = (inputTokens * PRICES.input + 256 * PRICES.output) / 1e6;
    const session = scene(['Done.'], { budget: { cost }, prices: CACHED });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached' });
    expect(session.requests).toEqual([]);
    expect(await eventsOf(session, 'model-refused')).toMatchObject([
      { needed: (inputTokens * 3.75 + 256 * 15) / 1e6 },
    ]);
  });
});
