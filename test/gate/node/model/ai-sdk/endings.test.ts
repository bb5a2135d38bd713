import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { failureIn, replyIn } from '../settle.ts';
import { ask, call, delta, fakeModel, finish, generatedResult, streamedResult, usage } from './fake-model.ts';

const wholeReply = async (content: unknown, more?: object) =>
  replyIn(await ask(() => generatedResult(content, more)));

describe('an unusual finish reason', () => {
  it('means a withheld reply if Workers AI reports content_filter', async () => {
    const ending = { finishReason: { unified: 'stop', raw: 'content_filter' } };
    expect((await wholeReply([{ type: 'text', text: 'a' }], ending)).finish).toBe('content-filter');
  });

  it.each(['length', 'other'])(
    'means a conversation that is too long, even if the SDK reports it as %s',
    async (unified) => {
      const ending = { finishReason: { unified, raw: 'model_context_window_exceeded' } };
      expect(failureIn(await ask(() => generatedResult([], ending)))).toMatchObject({
        failure: 'context-length',
        message: "The model's reply does not fit into its context window with the conversation.",
      });
    },
  );

  it('is part of an error message', async () => {
    const ending = { finishReason: { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } };
    expect(failureIn(await ask(() => generatedResult([], ending), { retries: 0 }))).toMatchObject({
      failure: 'server-error',
      message: 'The model stopped because of an error: MALFORMED_FUNCTION_CALL.',
    });
  });
});

describe('a reply that the server pauses', () => {
  const paused = (raw = 'pause_turn') => ({
    ...finish('stop', usage(3, 4)),
    finishReason: { unified: 'stop', raw },
  });
  const search = call('s', 'web_search', '{"q":"kelp"}', { providerExecuted: true });
  const result = { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [] };
  const first = () => streamedResult([delta('One. '), search, paused()]);
  const second = () => streamedResult([result, delta('Two.'), finish('stop', usage(10, 20))]);

  it('is continued, and becomes one reply', async () => {
    const { calls, ...outcome } = await ask([first, second], { stream: true });
    expect(replyIn(outcome)).toEqual({
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
    const opening = () =>
      streamedResult([
        delta('a'),
        { ...paused(), providerMetadata: { anthropic: { container: { id: 'c1' } } } },
      ]);
    const { calls } = await ask([opening, second], { stream: true });
    expect(calls.map(({ providerOptions }) => providerOptions)).toEqual([
      undefined,
      { anthropic: { container: { id: 'c1' } } },
    ]);
  });

  it('costs the sum of its requests, each token at its price', async () => {
    const counted = (...[cacheRead, cacheWrite, reasoning]: number[]) =>
      finish('stop', usage(10, 5, { cacheRead, cacheWrite, reasoning }));
    const pausing = () =>
      streamedResult([delta('a'), { ...counted(0, 8, 1), finishReason: paused().finishReason }]);
    const ending = () => streamedResult([delta('b'), counted(9, 1, 2)]);
    const outcome = await ask([pausing, ending], { stream: true });
    expect(replyIn(outcome).usage).toEqual({
      inputTokens: 20,
      outputTokens: 10,
      cachedInputTokens: 9,
      cacheWriteTokens: 9,
      reasoningTokens: 3,
    });
  });

  it('reserves budget before each further request, and is abandoned after eight of them', async () => {
    const { model, calls } = fakeModel([first]);
    let asked = 0;
    const again = async () => {
      asked += 1;
    };
    const reply = await fromAiSdk(model).ask(hello, { signal: new AbortController().signal, again });
    expect([reply.finish, calls.length, asked]).toEqual(['other', 9, 8]);
  });

  it('is not continued if it contains a call that our code must run', async () => {
    const calling = () => streamedResult([call('a', 'look', '{}'), paused()]);
    const { calls, ...outcome } = await ask([calling], { stream: true });
    expect([replyIn({ ...outcome }).finish, calls.length]).toEqual(['tool-calls', 1]);
  });
});

describe('a model without streams', () => {
  it('is asked for whole replies', async () => {
    const { model } = fakeModel([() => generatedResult([{ type: 'text', text: 'a' }])]);
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
