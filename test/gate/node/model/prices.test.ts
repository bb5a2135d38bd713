import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { AskOptions } from '../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { workersAi } from '../../../../src/model/workers-ai/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { ConfigurationError, computeCost, roundUsd, withRetries } from '../../../doors/model.ts';
import { ask as askSdk, createFakeModel, createGeneratedText } from './ai-sdk/fake-model.ts';
import { createFakePace, hello } from './openai-compatible/fake-server.ts';
import { ask as askBinding } from './workers-ai/fake-binding.ts';

const PRICES = { input: 0.25, output: 2 };
const binding = { run: async () => ({ response: 'hi' }) };

/** Functions that create each adapter with additional options. */
const adapters = {
  openaiCompatible: (options: object) =>
    openaiCompatible({ baseURL: 'https://model.test/v1', model: 'm', ...options }),
  workersAi: (options: object) => workersAi(binding, { model: 'm', ...options }),
  fromAiSdk: (options: object) =>
    fromAiSdk(createFakeModel([() => createGeneratedText('hi')]).model, options),
};

describe.each(Object.entries(adapters))('%s', (_, adapter) => {
  it('has the prices and the reply limit of its options', () => {
    expect(adapter({ prices: PRICES, maxOutputTokens: 900 })).toMatchObject({
      prices: PRICES,
      maxOutputTokens: 900,
    });
    const { prices, maxOutputTokens } = adapter({});
    expect([prices, maxOutputTokens]).toEqual([undefined, undefined]);
  });

  it.each([
    [{ prices: { input: -1, output: 2 } }, "'prices.input' is -1. Use 0 or more USD per million tokens."],
    [
      { prices: { input: 1, output: Number.NaN } },
      "'prices.output' is NaN. Use 0 or more USD per million tokens.",
    ],
    [{ prices: { input: 1 } }, "'prices.output' is undefined. Use 0 or more USD per million tokens."],
    [
      { prices: { input: 1, output: 2, cachedInput: -1 } },
      "'prices.cachedInput' is -1. Use 0 or more USD per million tokens.",
    ],
    [
      { prices: { input: 1, output: 2, cacheWrite: null } },
      "'prices.cacheWrite' is null. Use 0 or more USD per million tokens.",
    ],
    [{ maxOutputTokens: 0 }, "'maxOutputTokens' is 0. Use a positive whole number."],
    [{ maxOutputTokens: 1.5 }, "'maxOutputTokens' is 1.5. Use a positive whole number."],
  ])('throws for the options %j', (options, message) => {
    expect(() => adapter(options)).toThrow(new TypeError(message));
  });
});

describe('the reply limit of a request', () => {
  it('is sent to Workers AI as max_tokens', async () => {
    const request = { ...hello, maxOutputTokens: 300 };
    const { runs } = await askBinding(() => ({ response: 'hi' }), { request });
    expect(runs[0]?.inputs).toMatchObject({ max_tokens: 300 });
    const unbound = await askBinding(() => ({ response: 'hi' }), { request: hello });
    expect(Object.keys(unbound.runs[0]?.inputs ?? {})).toEqual(['messages', 'stream']);
  });

  it('is sent to a model of the AI SDK as maxOutputTokens', async () => {
    const { calls } = await askSdk(() => createGeneratedText('hi'), {
      request: { ...hello, maxOutputTokens: 300 },
    });
    expect(calls[0]).toMatchObject({ maxOutputTokens: 300 });
    const unbound = await askSdk(() => createGeneratedText('hi'), { request: hello });
    expect(unbound.calls[0]).not.toHaveProperty('maxOutputTokens');
  });
});

describe('withRetries', () => {
  const createFailure = (failure: ModelError['failure']): ModelError =>
    new ModelError(failure, 'The request failed.');

  /** Makes attempts with these outcomes in turn. */
  async function runWithRetries(outcomes: readonly (string | ModelError)[], again: AskOptions['again']) {
    const left = [...outcomes];
    const { signal } = new AbortController();
    const attempt = async () => {
      const outcome = left.shift() ?? createFailure('server-error');
      if (typeof outcome !== 'string') throw outcome;
      return outcome;
    };
    return withRetries(attempt, { retries: 5, signal, pace: createFakePace().pace, again });
  }

  it('calls `again` before each retry, with the reason of the last failure', async () => {
    const told: unknown[] = [];
    const again = async (failed: unknown) => void told.push(failed);
    const attempts = [createFailure('rate-limited'), createFailure('server-error'), createFailure('timeout')];
    expect(await runWithRetries([...attempts, 'hi'], again)).toBe('hi');
    expect(told).toEqual(['rate-limited', 'server-error', 'timeout']);
  });

  it('does not retry if `again` rejects', async () => {
    const refused = new Error('No more retries are allowed.');
    await expect(runWithRetries([createFailure('server-error')], () => Promise.reject(refused))).rejects.toBe(
      refused,
    );
  });
});

describe('prices', () => {
  it('default to zero for the offline model', () => {
    expect(offlineModel().prices).toEqual({ input: 0, output: 0 });
    expect(offlineModel({ prices: PRICES }).prices).toEqual(PRICES);
  });

  it('are read from MODEL_PRICES for a model from the environment', () => {
    const env = { OPENAI_API_KEY: 'sk-1' };
    expect(openaiCompatible()(env).prices).toBeUndefined();
    expect(openaiCompatible()({ ...env, MODEL_PRICES: '{"input":0.25,"output":2}' }).prices).toEqual(PRICES);
    const cached = { ...PRICES, cachedInput: 0.025, cacheWrite: 0.3 };
    expect(openaiCompatible()({ ...env, MODEL_PRICES: JSON.stringify(cached) }).prices).toEqual(cached);
  });

  it.each([
    '2',
    '{"input":1}',
    '{"input":null,"output":1}',
    '{"input":"1","output":1}',
    '{"input":1,"output":1,"cacheWrite":"2"}',
    'cheap',
  ])('cause a ConfigurationError if MODEL_PRICES is %s', (text) => {
    const message =
      'MODEL_PRICES must be the JSON of two prices, in USD per million tokens, such as {"input":0.25,"output":2}.';
    expect(() => openaiCompatible()({ OPENAI_API_KEY: 'sk-1', MODEL_PRICES: text })).toThrow(
      new ConfigurationError(message),
    );
  });

  it.each([
    [{}, 4.5],
    [{ cachedInputTokens: 600_000 }, 3.96],
    [{ cacheWriteTokens: 200_000 }, 4.65],
    [{ cachedInputTokens: 600_000, cacheWriteTokens: 200_000 }, 4.11],
    [{ cachedInputTokens: 1_000_000 }, 3.6],
    [{ reasoningTokens: 100_000 }, 4.5],
  ])('apply to a million input and a million output tokens with %j, and the cost is %d USD', (of, cost) => {
    const prices = { input: 1, output: 3.5, cachedInput: 0.1, cacheWrite: 1.75 };
    expect(computeCost(prices, { inputTokens: 1_000_000, outputTokens: 1_000_000, ...of })).toBe(cost);
  });

  it('default to the input price for cached and written tokens', () => {
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 400_000,
      cacheWriteTokens: 100_000,
      outputTokens: 0,
    };
    expect(computeCost({ input: 3, output: 15 }, usage)).toBe(3);
    expect(computeCost({ input: 3, output: 15, cachedInput: 0 }, usage)).toBe(1.8);
  });

  it('lead to costs that add and subtract exactly', () => {
    const amounts = [1, 7, 333, 12_345].map((tokens) =>
      computeCost({ input: 0.15, output: 0.6 }, { inputTokens: tokens, outputTokens: 3 * tokens }),
    );
    const sum = amounts.reduce((total, amount) => roundUsd(total + amount), 0);
    expect(amounts.reduce((total, amount) => roundUsd(total - amount), sum)).toBe(0);
  });
});
