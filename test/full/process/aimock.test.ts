import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelMessage, ModelReply, ToolDefinition } from '../../../src/model/entry.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';

/** The adapter on a real connection, against a third-party server that imitates OpenAI's. */
const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 3 });

const weather: ToolDefinition = {
  name: 'weather',
  description: 'The weather in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const ask = async (
  text: string,
  { stream = false, retries = 2, timeout = 5000, after = [] as readonly ModelMessage[] } = {},
) => {
  const model = openaiCompatible({
    baseURL: `${mock.url}/v1/`,
    apiKey: 'sk-loopback',
    model: 'gpt-5-mini',
    retries,
    timeout,
  });
  const pieces: string[] = [];
  const onText = stream ? (piece: string) => pieces.push(piece) : undefined;
  const reply = await model.ask(
    { messages: [{ role: 'user', text }, ...after], tools: [weather] },
    { signal: AbortSignal.timeout(20_000), onText },
  );
  return { reply, pieces };
};

const calls = [
  { id: 'call_a', name: 'weather', arguments: '{"city":"Tromsø"}' },
  { id: 'call_b', name: 'weather', arguments: '{"city":"Zürich 🌊"}' },
];
const toolCalls: ModelReply['toolCalls'] = calls.map(({ id, name, arguments: input }) => ({
  id,
  name,
  input,
}));

beforeAll(async () => {
  mock
    .onToolResult('call_b', { content: 'Rain in both.' })
    .onMessage('hello', { content: 'Grüße, 世界! 🌊' })
    .onMessage('weather', { toolCalls: calls })
    .onMessage('both', { content: 'Let me look.', toolCalls: calls })
    .onMessage('slow', { content: 'late' }, { chaos: { latencyMs: 1000 } })
    .onMessage('cut', { content: 'A long answer that is cut.' }, { truncateAfterChunks: 3, latency: 30 })
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
afterAll(() => mock.stop());

describe.each([false, true])('the adapter with aimock, streaming: %s', (stream) => {
  it('reads text and usage', async () => {
    const { reply, pieces } = await ask('hello', { stream });
    expect(reply).toEqual({
      text: 'Grüße, 世界! 🌊',
      toolCalls: [],
      finish: 'stop',
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    expect(pieces.join('')).toBe(stream ? reply.text : '');
    expect(pieces.length > 1).toBe(stream);
  });

  it('reads parallel tool calls, sends their results, and reads the answer', async () => {
    const { reply } = await ask('weather', { stream });
    expect(reply).toMatchObject({ text: '', toolCalls, finish: 'tool-calls' });
    const results = toolCalls.map(({ id, name }): ModelMessage => ({ role: 'tool', id, name, text: 'rain' }));
    const after = [{ role: 'assistant' as const, text: reply.text, toolCalls: reply.toolCalls }, ...results];
    expect((await ask('weather', { stream, after })).reply).toMatchObject({
      text: 'Rain in both.',
      finish: 'stop',
    });
  });

  it('keeps text next to tool calls', async () => {
    expect((await ask('both', { stream })).reply).toMatchObject({ text: 'Let me look.', toolCalls });
  });

  it.each([429, 500, 503])('retries once after the status %i and succeeds', async (status) => {
    mock.nextRequestError(status, { message: 'not now' });
    expect((await ask('hello', { stream })).reply.text).toBe('Grüße, 世界! 🌊');
    expect(mock.getRequests().map(({ response }) => response.status)).toEqual([status, 200]);
  });

  it('does not retry if the wait is too long', async () => {
    await expect(ask('limited', { stream })).rejects.toMatchObject({
      failure: 'rate-limited',
      status: 429,
      message: "The model's server answered 429 and asks to wait 60 s: slow down",
    });
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('does not retry a refused request', async () => {
    mock.nextRequestError(401, { message: 'Incorrect API key provided: sk-loopback' });
    await expect(ask('hello', { stream })).rejects.toMatchObject({
      failure: 'unauthorized',
      status: 401,
      message: "The model's server answered 401: Incorrect API key provided: [secret]",
    });
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('abandons the request if the server is silent', async () => {
    await expect(ask('slow', { stream, timeout: 100, retries: 0 })).rejects.toMatchObject({
      failure: 'timeout',
      message: "The model's server was silent for 100 ms.",
    });
  });
});

it('a stream that the server cuts off is reported as truncated', async () => {
  await expect(ask('cut', { stream: true })).rejects.toMatchObject({
    failure: 'truncated',
    outputBegan: true,
  });
});

it('reports that no server is listening', async () => {
  const model = openaiCompatible({ baseURL: 'http://127.0.0.1:1/v1', model: 'm', retries: 0 });
  const asked = model.ask({ messages: [], tools: [] }, { signal: new AbortController().signal });
  await expect(asked).rejects.toMatchObject({
    failure: 'unreachable',
    message: expect.stringMatching(/^The model's server could not be reached: /),
  });
});
