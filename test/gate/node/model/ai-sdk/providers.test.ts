/** Tests providers of the AI SDK. In workerd, they use the platform's streams. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import {
  createBodyStream,
  createChoiceDelta,
  createStreamResponse,
  hello,
  toSseText,
} from '../openai-compatible/fake-server.ts';
import { getFailure, getReply, settle } from '../settle.ts';

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const expectedUsage = { inputTokens: 3, outputTokens: 4 };
const output = { name: 'mood', schema: { type: 'object', properties: { mood: { type: 'string' } } } };

/** Returns an OpenAI model with this server response, and the requests that the server received. */
const openAI = (answer: () => Response) => {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return answer();
  };
  return {
    model: fromAiSdk(createOpenAI({ apiKey: 'sk-1', fetch }).chat('gpt-5-mini'), { retries: 0 }),
    sent,
  };
};

it('fromAiSdk requests a stream from the provider', async () => {
  const { model, sent } = openAI(() =>
    createStreamResponse(toSseText(createChoiceDelta({ content: 'hi' }, 'stop'), { choices: [], usage })),
  );
  expect(getReply(await settle(model))).toEqual({
    text: 'hi',
    toolCalls: [],
    finish: 'stop',
    usage: expectedUsage,
  });
  expect(sent).toMatchObject([{ stream: true }]);
});

it('fromAiSdk passes on a streamed reply in pieces', async () => {
  const events = [
    createChoiceDelta({ content: 'a' }),
    createChoiceDelta({ content: 'b' }, 'stop'),
    { choices: [], usage },
    '[DONE]',
  ];
  const { pieces, ...outcome } = await settle(
    openAI(() => createStreamResponse(toSseText(...events))).model,
    {
      stream: true,
    },
  );
  expect(outcome).toMatchObject({ reply: { text: 'ab', finish: 'stop', usage: expectedUsage } });
  expect(pieces).toEqual(['a', 'b']);
});

it('fromAiSdk rejects if the connection breaks', async () => {
  const streamBroken = () => createStreamResponse(toSseText(createChoiceDelta({ content: 'a' })), 'break');
  expect(getFailure(await settle(openAI(streamBroken).model, { stream: true }))).toMatchObject({
    failure: 'truncated',
    message: "The connection to the model's server broke before the reply was complete.",
    outputBegan: true,
  });
});

it('fromAiSdk rejects if the server returns a web page', async () => {
  const respondWithPage = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  expect(getFailure(await settle(openAI(respondWithPage).model))).toMatchObject({
    failure: 'truncated',
    message: "The model's reply ended before it was complete.",
  });
});

it('fromAiSdk sends an output schema with optional properties as not strict', async () => {
  const { model, sent } = openAI(() =>
    createStreamResponse(toSseText(createChoiceDelta({ content: '{}' }, 'stop'))),
  );
  await settle(model, { request: { ...hello, output } });
  expect(sent).toMatchObject([
    { response_format: { type: 'json_schema', json_schema: { name: 'mood', strict: false } } },
  ]);
});

it('fromAiSdk reports an overload inside a stream, before and after some text', async () => {
  const start = {
    type: 'message_start',
    message: { id: 'm', model: 'c', usage: { input_tokens: 1, output_tokens: 1 } },
  };
  const text = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
  ];
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const expected = {
    failure: 'server-error',
    status: 529,
    message: "The model's server answered 529: Overloaded",
  };
  for (const [events, outputBegan] of [
    [[start, error], false],
    [[start, ...text, error], true],
  ] as const) {
    const fetch = async () =>
      new Response(createBodyStream([toSseText(...events)]), {
        headers: { 'content-type': 'text/event-stream' },
      });
    const model = fromAiSdk(createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'), { retries: 0 });
    expect(getFailure(await settle(model, { stream: true }))).toMatchObject({ ...expected, outputBegan });
  }
});
