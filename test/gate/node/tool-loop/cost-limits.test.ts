import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import {
  createReplyWithUsage,
  createScene,
  measureInput,
  PRICES,
  readReservedTokens,
} from './budget-scene.ts';
import { callTools, createReadingTool } from './scenes.ts';

describe('a cost limit', () => {
  it('counts USD at the prices of the model, and the answer contains the cost', async () => {
    const session = createScene(
      [
        createReplyWithUsage(1_000, 200, callTools('look')),
        createReplyWithUsage(1_000, 100, { text: 'Done.' }),
      ],
      {
        budget: { cost: 0.5 },
        tools: [createReadingTool('look')],
        prices: PRICES,
      },
    );
    const answer = await session.send('Go.');
    expect(answer.usage).toEqual({ inputTokens: 2_000, outputTokens: 300, cost: 0.0105 });
    const [first] = await readReservedTokens(session);
    expect(first?.cost).toBe((((first?.inputTokens ?? 0) * 3 + 4_096 * 15) * 1e6) / 1e12);
  });

  it.each([
    [256, 'completed'],
    [255, 'limit-reached'],
  ])('leads to the right outcome with room for %i output tokens', async (rest, outcome) => {
    const input = await measureInput('Go.');
    const cost = (input * PRICES.input + rest * PRICES.output) / 1e6;
    const session = createScene(['Done.'], { budget: { cost }, prices: PRICES });
    expect(await session.send('Go.')).toMatchObject({ outcome });
    expect(session.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(rest === 256 ? [256] : []);
  });

  it('limits nothing for a free model', async () => {
    const session = createScene(['Done.'], { budget: { cost: 0.000001 }, prices: { input: 0, output: 0 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', usage: { cost: 0 } });
  });

  it('throws in the definition of an agent if its model has no price', () => {
    const model = scriptedModel([]);
    const use = [budget({ cost: 1 })];
    const agent = { name: 'clerk', description: 'Works.', instructions: '', use };
    const problem =
      "has a cost limit, but its model 'scripted' has no prices. Set its 'prices' in USD per million tokens.";
    expect(() => defineAgent({ ...agent, model })).toThrow(`Agent 'clerk' ${problem}`);
    const dig = { name: 'dig', description: 'Digs.', tools: [createReadingTool('look')], use };
    expect(() => defineAgenticTool({ ...dig, model })).toThrow(`Tool 'dig': it ${problem}`);
  });

  it('fails the turn if the app provides a model without a price', async () => {
    const session = createScene(['Done.'], { budget: { cost: 1 } });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          "Agent 'clerk' has a cost limit, but its model 'scripted' has no prices. Set its 'prices' in USD per million tokens.",
      },
    });
    expect(session.requests).toEqual([]);
  });

  it('fails the turn if a nested loop has a model without a price', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      tools: [createReadingTool('look')],
      model: scriptedModel(['Dug.']),
    });
    const session = createScene([callTools('dig')], { budget: { cost: 1 }, tools: [dig], prices: PRICES });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'misconfigured',
        message:
          "The loop of 'dig' has a cost limit, but its model 'scripted' has no prices. Set its 'prices' in USD per million tokens.",
      },
    });
  });

  it.each([
    [{}, "budget: it has no limit. Set 'tokens' or 'cost'."],
    [{ tokens: 0 }, 'budget: tokens is 0. Use a positive whole number.'],
    [{ tokens: 1.5 }, 'budget: tokens is 1.5. Use a positive whole number.'],
    [{ cost: 0 }, 'budget: cost is 0. Use a positive number of USD.'],
    [{ cost: Number.NaN }, 'budget: cost is NaN. Use a positive number of USD.'],
  ])('is refused if it is not a valid number, and so is a token limit: %j', (options, message) => {
    expect(() => budget(options)).toThrow(new RangeError(message));
  });

  it('is refused among the limits of an agent, with an error that includes the module', () => {
    const agent = { name: 'clerk', description: 'Works.', instructions: '', limits: { cost: 1 } };
    expect(() => defineAgent({ ...agent, limits: Object(agent.limits) })).toThrow(
      'use: [budget({ cost })], with budget from holdfast/limits',
    );
  });
});
