import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { getFailure, getReply } from '../settle.ts';
import {
  ask,
  createCallPart,
  createDelta,
  createFakeModel,
  createFinish,
  createGeneratedResult,
  createStreamedResult,
  createUsage,
} from './fake-model.ts';

const askForWholeReply = async (content: unknown, more?: object) =>
  getReply(await ask(() => createGeneratedResult(content, more)));

describe('an unusual finish reason', () => {
  it('is treated as a withheld reply if Workers AI reports content_filter', async () => {
    const ending = { finishReason: { unified: 'stop', raw: 'content_filter' } };
    expect((await askForWholeReply([{ type: 'text', text: 'a' }], ending)).finish).toBe('content-filter');
  });

  it.each(['length', 'other'])(
    'is treated as a conversation that is too long, even if the SDK reports it as %s',
    async (unified) => {
      const ending = { finishReason: { unified, raw: 'model_context_window_exceeded' } };
      expect(getFailure(await ask(() => createGeneratedResult([], ending)))).toMatchObject({
        failure: 'context-length',
        message: "The model's reply does not fit into its context window with the conversation.",
      });
    },
  );

  it('is included in the error message', async () => {
    const ending = { finishReason: { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } };
    expect(getFailure(await ask(() => createGeneratedResult([], ending), { retries: 0 }))).toMatchObject({
      failure: 'server-error',
      message: 'The model stopped because of an error: MALFORMED_FUNCTION_CALL.',
    });
  });
});

describe('a reply that the server pauses', () => {
  const createPausedFinish = (raw = 'pause_turn') => ({
    ...createFinish('stop', createUsage(3, 4)),
    finishReason: { unified: 'stop', raw },
  });
  const search = createCallPart('s', 'web_search', '{"q":"kelp"}', { providerExecuted: true });
  const result = { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [] };
  const streamFirst = () => createStreamedResult([createDelta('One. '), search, createPausedFinish()]);
  const streamSecond = () =>
    createStreamedResult([result, createDelta('Two.'), createFinish('stop', createUsage(10, 20))]);

  it('is continued, and becomes one reply', async () => {
    const { calls, ...outcome } = await ask([streamFirst, streamSecond], { stream: true });
    expect(getReply(outcome)).toEqual({
      text: 'One. Two.',
      toolCalls: [],
      parts: [
        { type: 'text', text: 'One. ' },
        { type: 'tool-call', id: 's', name: 'web_search', input: '{"q":"kelp"}', ranBy: 'provider' },
        { type: 'tool-result', id: 's', name: 'web_search', result: [] },
        { type: 'text', text: 'Two.' },
      ],
      finish: 'stop',
      usage: { inputTokens: 13, outputTokens: 24 },
    });
    expect(outcome.pieces).toEqual(['One. ', 'Two.']);
    expect(calls[1]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One. ' },
          {
            type: 'tool-call',
            toolCallId: 's',
            toolName: 'web_search',
            input: { q: 'kelp' },
            providerExecuted: true,
          },
        ],
      },
    ]);
  });

  it('is continued in the container that it opened', async () => {
    const streamOpening = () =>
      createStreamedResult([
        createDelta('a'),
        { ...createPausedFinish(), providerMetadata: { anthropic: { container: { id: 'c1' } } } },
      ]);
    const { calls } = await ask([streamOpening, streamSecond], { stream: true });
    expect(calls.map(({ providerOptions }) => providerOptions)).toEqual([
      undefined,
      { anthropic: { container: { id: 'c1' } } },
    ]);
  });

  it('costs the sum of its requests, each token at its price', async () => {
    const createCountedFinish = (...[cacheRead, cacheWrite, reasoning]: number[]) =>
      createFinish('stop', createUsage(10, 5, { cacheRead, cacheWrite, reasoning }));
    const streamPausing = () =>
      createStreamedResult([
        createDelta('a'),
        { ...createCountedFinish(0, 8, 1), finishReason: createPausedFinish().finishReason },
      ]);
    const streamEnding = () => createStreamedResult([createDelta('b'), createCountedFinish(9, 1, 2)]);
    const outcome = await ask([streamPausing, streamEnding], { stream: true });
    expect(getReply(outcome).usage).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      cachedInputTokens: 9,
      cacheWriteTokens: 9,
      reasoningTokens: 3,
    });
  });

  it('reserves budget before each further request, and is abandoned after eight of them', async () => {
    const { model, calls } = createFakeModel([streamFirst]);
    let asked = 0;
    const again = async () => {
      asked += 1;
    };
    const reply = await fromAiSdk(model).ask(hello, { signal: new AbortController().signal, again });
    expect([reply.finish, calls.length, asked]).toEqual(['other', 9, 8]);
  });

  it('is not continued if it contains a call that our code must run', async () => {
    const streamCall = () => createStreamedResult([createCallPart('a', 'look', '{}'), createPausedFinish()]);
    const { calls, ...outcome } = await ask([streamCall], { stream: true });
    expect([getReply({ ...outcome }).finish, calls.length]).toEqual(['tool-calls', 1]);
  });
});

describe('a model without streams', () => {
  it('is asked for whole replies', async () => {
    const { model } = createFakeModel([() => createGeneratedResult([{ type: 'text', text: 'a' }])]);
    const doStream = async () => {
      const message = "'streaming' functionality not supported.";
      throw Object.assign(new Error(message), {
        name: 'AI_UnsupportedFunctionalityError',
        functionality: 'streaming',
      });
    };
    const { signal } = new AbortController();
    const reply = await fromAiSdk({ ...model, doStream }).ask(hello, { signal, onText: () => {} });
    expect(reply.text).toBe('a');
  });
});
