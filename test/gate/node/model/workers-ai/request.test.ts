import { describe, expect, it } from 'vitest';
import type { ModelRequest, ToolDefinition } from '../../../../../src/model/entry.ts';
import { type AiBinding, workersAi } from '../../../../../src/model/workers-ai/entry.ts';
import { ConfigurationError } from '../../../../doors/model.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { ask, createFakeBinding } from './fake-binding.ts';

const weather: ToolDefinition = {
  name: 'weather',
  description: 'The weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};
const wireWeather = {
  type: 'function',
  function: { name: 'weather', description: 'The weather.', parameters: weather.inputSchema },
};
const schema = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] };
const output = { name: 'mood', schema };

const collectSentInputs = async (request: ModelRequest, stream = false) => {
  const { runs } = await ask(() => ({ response: 'hi' }), { request, stream });
  return runs[0]?.inputs;
};

describe('the run of the binding', () => {
  it('receives the name of the model and a signal', async () => {
    const { runs } = await ask(() => ({ response: 'hi' }));
    expect(runs).toEqual([
      {
        model: '@cf/m-1',
        inputs: { messages: [{ role: 'user', content: 'hello' }], stream: true },
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it('calls `run` with the binding as `this`', async () => {
    class Binding implements AiBinding {
      #said = 'hi';
      async run() {
        return { response: this.#said };
      }
    }
    const { signal } = new AbortController();
    expect((await workersAi(new Binding(), { model: 'm' }).ask(hello, { signal })).text).toBe('hi');
  });

  it('receives messages of every role, each with text, and the tools', async () => {
    const toolCalls = [
      { id: 'a', name: 'weather', input: '{"city":"Oslo"}' },
      { id: 'b', name: 'weather', input: '{oops' },
    ];
    const messages: ModelRequest['messages'] = [
      { role: 'system', text: 'Be kind.' },
      { role: 'user', text: 'Weather in Oslo?' },
      { role: 'assistant', text: '', toolCalls },
      { role: 'tool', id: 'a', name: 'weather', text: 'rain' },
      { role: 'tool', id: 'b', name: 'weather', text: 'Error: not JSON' },
      { role: 'assistant', text: 'Rain.', toolCalls: [] },
    ];
    const createWireCall = (id: string, args: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: args },
    });
    expect(await collectSentInputs({ messages, tools: [weather] })).toEqual({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Weather in Oslo?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [createWireCall('a', '{"city":"Oslo"}'), createWireCall('b', '{}')],
        },
        { role: 'tool', tool_call_id: 'a', name: 'weather', content: 'rain' },
        { role: 'tool', tool_call_id: 'b', name: 'weather', content: 'Error: not JSON' },
        { role: 'assistant', content: 'Rain.' },
      ],
      tools: [wireWeather],
      stream: true,
    });
  });

  it('streams, with or without a listener for text', async () => {
    const streaming = { messages: [{ role: 'user', content: 'hello' }], stream: true };
    expect([await collectSentInputs(hello), await collectSentInputs(hello, true)]).toEqual([
      streaming,
      streaming,
    ]);
  });

  it('asks for JSON in JSON mode, which does not stream', async () => {
    const expected = {
      messages: [{ role: 'user', content: 'hello' }],
      response_format: { type: 'json_schema', json_schema: schema },
    };
    expect(await collectSentInputs({ ...hello, output })).toEqual(expected);
    expect(await collectSentInputs({ ...hello, output }, true)).toEqual(expected);
  });

  it.each([
    ['the first system message', [{ role: 'system' as const, text: 'Be kind.' }], 'Be kind.\n\n'],
    ['an additional system message', [], ''],
  ])('asks for JSON in %s if it has tools, which JSON mode does not allow', async (_, before, start) => {
    const messages = [...before, ...hello.messages];
    const instruction = `When you answer in words, answer with nothing but JSON that matches this schema: ${JSON.stringify(schema)}`;
    expect(await collectSentInputs({ messages, tools: [weather], output }, true)).toEqual({
      messages: [
        { role: 'system', content: `${start}${instruction}` },
        { role: 'user', content: 'hello' },
      ],
      tools: [wireWeather],
      stream: true,
    });
  });
});

describe('`workersAi`', () => {
  it('has the name of its model', () => {
    expect(workersAi(createFakeBinding([]).binding, { model: '@cf/m-1' }).name).toBe('@cf/m-1');
  });

  it.each([undefined, null, {}, 'AI'])('reports the missing binding if it receives %j', (binding) => {
    expect(() => workersAi(binding as unknown as AiBinding, { model: 'm' })).toThrow(
      new ConfigurationError(
        "The Workers AI binding is missing. Declare it in wrangler.toml: [ai] with binding = 'AI'.",
      ),
    );
  });
});
