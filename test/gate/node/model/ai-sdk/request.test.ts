import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelRequest, ToolDefinition } from '../../../../../src/model/entry.ts';
import {
  ask,
  createDelta,
  createFakeModel,
  createFinish,
  createGeneratedText,
  createStreamedResult,
} from './fake-model.ts';

const weather: ToolDefinition = {
  name: 'weather',
  description: 'The weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};

/** Returns the options of the model call without the signal. */
const collectSentOptions = async (request: ModelRequest) => {
  const { calls } = await ask(() => createGeneratedText('hi'), { request });
  const { abortSignal, ...options } = calls[0] ?? { prompt: [] };
  expect(abortSignal).toBeInstanceOf(AbortSignal);
  return options;
};

const createUserMessage = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const createToolCall = (toolCallId: string, input: unknown) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'weather',
  input,
});
const createToolResult = (toolCallId: string, value: string) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'weather',
  output: { type: 'text', value },
});

describe('the call of the SDK model', () => {
  it('contains every kind of message, and all results of a reply together', async () => {
    const request: ModelRequest = {
      messages: [
        { role: 'system', text: 'Be kind.' },
        { role: 'user', text: 'Weather in Oslo and Rome?' },
        {
          role: 'assistant',
          text: 'Let me look.',
          toolCalls: [
            { id: 'a', name: 'weather', input: '{"city":"Oslo"}' },
            { id: 'b', name: 'weather', input: ' {"city": "Rome"} ' },
          ],
        },
        { role: 'tool', id: 'a', name: 'weather', text: 'rain' },
        { role: 'tool', id: 'b', name: 'weather', text: 'Error: no such city' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'weather', input: '{}' }] },
        { role: 'tool', id: 'c', name: 'weather', text: 'sun' },
        { role: 'assistant', text: '', toolCalls: [] },
        { role: 'assistant', text: 'Rain and sun.', toolCalls: [] },
        { role: 'user', text: 'Thanks.' },
      ],
      tools: [weather],
    };
    expect(await collectSentOptions(request)).toEqual({
      prompt: [
        { role: 'system', content: 'Be kind.' },
        createUserMessage('Weather in Oslo and Rome?'),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            createToolCall('a', { city: 'Oslo' }),
            createToolCall('b', { city: 'Rome' }),
          ],
        },
        {
          role: 'tool',
          content: [createToolResult('a', 'rain'), createToolResult('b', 'Error: no such city')],
        },
        { role: 'assistant', content: [createToolCall('c', {})] },
        { role: 'tool', content: [createToolResult('c', 'sun')] },
        { role: 'assistant', content: [{ type: 'text', text: 'Rain and sun.' }] },
        createUserMessage('Thanks.'),
      ],
      tools: [
        { type: 'function', name: 'weather', description: 'The weather.', inputSchema: weather.inputSchema },
      ],
    });
  });

  it.each(['', 'not json', '[1]', 'null', '"x"', '{"a":'])(
    'contains {} instead of the earlier input %j, which is not an object',
    async (input) => {
      const toolCalls = [{ id: 'a', name: 'weather', input }];
      const { prompt } = await collectSentOptions({
        messages: [{ role: 'assistant', text: '', toolCalls }],
        tools: [],
      });
      expect(prompt).toEqual([{ role: 'assistant', content: [createToolCall('a', {})] }]);
    },
  );

  it('omits absent tools and an absent output schema', async () => {
    expect(await collectSentOptions({ messages: [{ role: 'user', text: 'hello' }], tools: [] })).toEqual({
      prompt: [createUserMessage('hello')],
    });
  });

  it('requests JSON with a schema that OpenAI does not treat as strict', async () => {
    const schema = { type: 'object', properties: { mood: { type: 'string' } } };
    const output = { name: 'mood', schema };
    expect(
      await collectSentOptions({ messages: [{ role: 'user', text: 'hello' }], tools: [], output }),
    ).toEqual({
      prompt: [createUserMessage('hello')],
      responseFormat: { type: 'json', name: 'mood', schema },
      providerOptions: { openai: { strictJsonSchema: false } },
    });
  });

  it('always requests a stream, so that silence means that no data arrives', async () => {
    const { model } = createFakeModel([]);
    const asked: string[] = [];
    const both: LanguageModelV4 = {
      ...model,
      // The fake's results have the SDK's type.
      doGenerate: async () => {
        asked.push('generate');
        return createGeneratedText('a') as Awaited<ReturnType<LanguageModelV4['doGenerate']>>;
      },
      doStream: async () => {
        asked.push('stream');
        return createStreamedResult([createDelta('b'), createFinish()]) as Awaited<
          ReturnType<LanguageModelV4['doStream']>
        >;
      },
    };
    const { signal } = new AbortController();
    const request = { messages: [], tools: [] };
    expect((await fromAiSdk(both).ask(request, { signal })).text).toBe('b');
    expect((await fromAiSdk(both).ask(request, { signal, onText: () => {} })).text).toBe('b');
    expect(asked).toEqual(['stream', 'stream']);
  });
});

describe('`fromAiSdk`', () => {
  it('has the name of its model', () => {
    expect(fromAiSdk(createFakeModel([], { modelId: 'claude-5' }).model).name).toBe('claude-5');
  });

  it('has the provider of its model', () => {
    expect(fromAiSdk(createFakeModel([], { provider: 'anthropic.messages' }).model).provider).toBe(
      'anthropic.messages',
    );
  });

  it.each([
    ['v2', "'model' must be a language model of the AI SDK's specification v4 or v3, but is: v2."],
    [undefined, "'model' must be a language model of the AI SDK's specification v4 or v3, but is: object."],
  ])('throws for a model of the specification %s', (specificationVersion, message) => {
    const model = { ...createFakeModel([]).model, specificationVersion } as unknown as LanguageModelV4;
    expect(() => fromAiSdk(model)).toThrow(new TypeError(message));
  });

  it('throws for the name of a model', () => {
    const name = 'openai/gpt-5' as unknown as LanguageModelV4;
    expect(() => fromAiSdk(name)).toThrow(
      new TypeError(
        "'model' must be a language model of the AI SDK's specification v4 or v3, but is: string.",
      ),
    );
  });
});
