/**
 * The adapter with the AI SDK's own providers, against a third-party server that imitates the provider APIs.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { LLMock } from '@copilotkit/aimock';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineAgent, defineTool } from '../../../src/index.ts';
import { fromAiSdk } from '../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage, ModelReply, ModelRequest } from '../../../src/model/entry.ts';
import { createTestSession } from '../../../src/testing/entry.ts';

const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 3 });
const apiKey = 'sk-loopback-0123456789';
const hello = 'Grüße, 世界! 🌊';

const providers = {
  "OpenAI's chat completions": {
    path: '/v1/chat/completions',
    sdk: () => createOpenAI({ baseURL: `${mock.url}/v1`, apiKey }).chat('gpt-5-mini'),
  },
  "OpenAI's responses": {
    path: '/v1/responses',
    sdk: () => createOpenAI({ baseURL: `${mock.url}/v1`, apiKey })('gpt-5-mini'),
  },
  "Anthropic's messages": {
    path: '/v1/messages',
    sdk: () => createAnthropic({ baseURL: `${mock.url}/v1`, apiKey })('claude-sonnet-4-5'),
  },
};

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city.',
  input: v.object({ city: v.string() }),
  effect: 'read',
  run: ({ city }) => `rain in ${city}`,
});
const definition = {
  name: 'weather',
  description: 'The weather in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const calls = [
  { id: 'call_a', name: 'weather', arguments: '{"city":"Tromsø"}' },
  { id: 'call_b', name: 'weather', arguments: '{"city":"Zürich 🌊"}' },
];

beforeAll(async () => {
  mock
    .onToolResult('call_b', { content: 'Rain in both.' })
    .onMessage('hello', { content: hello })
    .onMessage('weather', { toolCalls: calls })
    .onMessage('both', { content: 'Let me look.', toolCalls: calls })
    .onMessage('form', { content: '{"mood":"good"}' })
    .onMessage('slow', { content: 'late' }, { chaos: { latencyMs: 1000 } })
    .onMessage('cut', { content: 'A long answer that is cut.' }, { truncateAfterChunks: 9, latency: 30 })
    .onMessage('limited', {
      error: { message: 'slow down', type: 'rate_limit_error' },
      status: 429,
      retryAfter: 60,
    });
  await mock.start();
});
beforeEach(() => {
  mock.clearRequests();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => mock.stop());

describe.each(Object.entries(providers))('a model of %s', (_, { path, sdk }) => {
  describe.each([false, true])('streaming: %s', (stream) => {
    const ask = async (
      text: string,
      {
        timeout = 5000,
        retries = 2,
        ...request
      }: Partial<ModelRequest> & { timeout?: number; retries?: number } = {},
    ) => {
      const pieces: string[] = [];
      const onText = stream ? (piece: string) => pieces.push(piece) : undefined;
      const reply = await fromAiSdk(sdk(), { timeout, retries }).ask(
        { messages: [{ role: 'user', text }], tools: [definition], ...request },
        { signal: AbortSignal.timeout(20_000), onText },
      );
      return { reply, pieces };
    };

    it('reads text and usage', async () => {
      const { reply, pieces } = await ask('hello');
      // Other tests cover the provider's data.
      const { parts: _parts, provider: _provider, ...said } = reply;
      expect(said).toEqual({
        text: hello,
        toolCalls: [],
        finish: 'stop',
        usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
      });
      expect(pieces.join('')).toBe(stream ? hello : '');
      expect(pieces.length > 1).toBe(stream);
      expect(mock.getRequests().map((request) => request.path)).toEqual([path]);
    });

    it('reads parallel tool calls, sends their results, and reads the answer', async () => {
      const { reply } = await ask('weather');
      expect(reply).toMatchObject({ text: '', finish: 'tool-calls' });
      expect(reply.toolCalls.map(({ id, name, input }) => [id, name, JSON.parse(input)])).toEqual([
        ['call_a', 'weather', { city: 'Tromsø' }],
        ['call_b', 'weather', { city: 'Zürich 🌊' }],
      ]);
      const results = reply.toolCalls.map(
        ({ id, name }): ModelMessage => ({ role: 'tool', id, name, text: 'rain' }),
      );
      const { text, toolCalls } = reply;
      const messages: ModelMessage[] = [
        { role: 'system', text: 'Be kind.' },
        { role: 'user', text: 'weather' },
        { role: 'assistant', text, toolCalls },
        ...results,
      ];
      const answer: ModelReply = (await ask('', { messages })).reply;
      expect(answer).toMatchObject({ text: 'Rain in both.', finish: 'stop', toolCalls: [] });
    });

    it('keeps text next to tool calls', async () => {
      const { reply } = await ask('both');
      expect(reply).toMatchObject({ text: 'Let me look.', toolCalls: [{ id: 'call_a' }, { id: 'call_b' }] });
    });

    it('requests a structured answer', async () => {
      const schema = {
        type: 'object',
        properties: { mood: { type: 'string' } },
        additionalProperties: false,
      };
      const output = { name: 'mood', schema };
      expect((await ask('form', { tools: [], output })).reply.text).toBe('{"mood":"good"}');
    });

    it.each([429, 500, 503])('retries once after the status %i and succeeds', async (status) => {
      mock.nextRequestError(status, { message: 'not now' });
      expect((await ask('hello')).reply.text).toBe(hello);
      expect(mock.getRequests().map(({ response }) => response.status)).toEqual([status, 200]);
    });

    it('does not retry if the wait is too long', async () => {
      await expect(ask('limited')).rejects.toMatchObject({
        failure: 'rate-limited',
        status: 429,
        message: "The model's server answered 429 and asks to wait 60 s: slow down",
        outputBegan: false,
      });
      expect(mock.getRequests()).toHaveLength(1);
    });

    it('does not retry a refused request, and does not reveal the key', async () => {
      mock.nextRequestError(401, { message: `Incorrect API key provided: ${apiKey}` });
      await expect(ask('hello')).rejects.toMatchObject({
        failure: 'unauthorized',
        status: 401,
        message: "The model's server answered 401: Incorrect API key provided: [secret]",
      });
      expect(mock.getRequests()).toHaveLength(1);
    });

    it('abandons the request if the server is silent', async () => {
      await expect(ask('slow', { timeout: 100, retries: 0 })).rejects.toMatchObject({
        failure: 'timeout',
        message: "The model's server was silent for 100 ms.",
      });
    });
  });

  it('distinguishes a stream that the server cuts off from a complete stream', async () => {
    const pieces: string[] = [];
    const asked = fromAiSdk(sdk()).ask(
      { messages: [{ role: 'user', text: 'cut' }], tools: [] },
      { signal: AbortSignal.timeout(20_000), onText: (piece) => pieces.push(piece) },
    );
    await expect(asked).rejects.toMatchObject({
      failure: 'truncated',
      message: "The connection to the model's server broke before the reply was complete.",
      outputBegan: true,
    });
    expect(pieces.length).toBeGreaterThan(0);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('runs a whole turn of an agent', async () => {
    const agent = defineAgent({
      name: 'forecaster',
      description: 'Tells the weather.',
      instructions: 'Tell the weather.',
      tools: [weather],
    });
    const session = createTestSession(agent, { model: fromAiSdk(sdk()) });
    expect(await session.send('weather')).toMatchObject({
      outcome: 'completed',
      text: 'Rain in both.',
      iterations: 2,
      toolCalls: 2,
    });
    expect(session.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', id: 'call_a', text: 'rain in Tromsø' },
      { role: 'tool', id: 'call_b', text: 'rain in Zürich 🌊' },
    ]);
  });
});

it('reports that no server is listening', async () => {
  const sdk = createOpenAI({ baseURL: 'http://127.0.0.1:1/v1', apiKey })('gpt-5-mini');
  const asked = fromAiSdk(sdk, { retries: 0 }).ask(
    { messages: [{ role: 'user', text: 'hello' }], tools: [] },
    { signal: new AbortController().signal },
  );
  await expect(asked).rejects.toMatchObject({
    failure: 'unreachable',
    message: expect.stringMatching(/^The model's server could not be reached: Cannot connect to API: /),
  });
});

it('reports that the key is missing', async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined);
  const sdk = createOpenAI({ baseURL: `${mock.url}/v1` });
  const asked = fromAiSdk(sdk('gpt-5-mini')).ask(
    { messages: [], tools: [] },
    { signal: AbortSignal.timeout(9000) },
  );
  await expect(asked).rejects.toMatchObject({
    failure: 'unauthorized',
    message: expect.stringMatching(/^The model cannot be asked: OpenAI API key is missing\./),
  });
});
