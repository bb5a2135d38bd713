import { describe, expect, it } from 'vitest';
import type { ModelRequest, ToolDefinition } from '../../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { toRequestBody } from '../../../../doors/model.ts';
import { ask, createCompletion, hello } from './fake-server.ts';

const weather: ToolDefinition = {
  name: 'weather',
  description: 'The weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
};

const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
const bodySettings = { model: 'm-1', limitParameter: 'max_tokens' } as const;
const streamingFields = { stream: true, stream_options: { include_usage: true } };
const createBody = (request: ModelRequest): unknown =>
  JSON.parse(String(toRequestBody(bodySettings, request)));

describe('the request', () => {
  it.each([
    'https://model.test/v1',
    'https://model.test/v1/',
    'https://model.test/v1//',
    'https://model.test/v1#there',
  ])('is sent to /chat/completions below the base URL %s', async (baseURL) => {
    const { requests } = await ask(respondOk, { baseURL });
    expect(requests[0]?.url).toBe('https://model.test/v1/chat/completions');
  });

  it.each<[string, object, object]>([
    ['https://model.test/v1', {}, { max_tokens: 300 }],
    ['https://model.test/v1', { server: 'openai' }, { max_completion_tokens: 300 }],
    ['https://model.test/v1', { server: 'azure' }, { max_completion_tokens: 300 }],
    ['https://model.test/v1', { server: 'xai' }, { max_tokens: 300 }],
    ['https://model.test/v1', { limitParameter: 'max_completion_tokens' }, { max_completion_tokens: 300 }],
    ['https://model.test/v1', { server: 'openai', limitParameter: 'max_tokens' }, { max_tokens: 300 }],
    // The URL does not identify the server behind it.
    ['https://api.openai.com/v1', {}, { max_tokens: 300 }],
    ['https://me.openai.azure.com/openai/v1', {}, { max_tokens: 300 }],
  ])('to %s with %j has the reply limit %j', async (baseURL, options, sent) => {
    const request = { ...hello, maxOutputTokens: 300 };
    const { requests } = await ask(respondOk, { baseURL, ...options, request });
    const { model, messages, stream, stream_options, ...more } = Object(requests[0]?.body);
    expect(more).toEqual(sent);
  });

  it('throws for an unknown server name', () => {
    const options = { baseURL: 'https://model.test/v1', model: 'm-1', server: JSON.parse('"opnai"') };
    expect(() => openaiCompatible(options)).toThrow(
      new TypeError(
        "'server' is 'opnai'. Use one of 'openai', 'azure', 'xai', 'workers-ai', 'deepseek', 'kimi', 'gemini', or leave it out.",
      ),
    );
  });

  it('has no reply limit by default, and prefers the limit of the request to the limit of the adapter', async () => {
    const getSentLimit = async (options: object, request: object = {}): Promise<unknown> => {
      const { requests } = await ask(respondOk, { ...options, request: { ...hello, ...request } });
      return Object(requests[0]?.body).max_tokens;
    };
    expect(await getSentLimit({})).toBeUndefined();
    expect(await getSentLimit({ maxOutputTokens: 900 })).toBe(900);
    expect(await getSentLimit({ maxOutputTokens: 900 }, { maxOutputTokens: 300 })).toBe(300);
  });

  it('keeps the query of the base URL', async () => {
    const { requests } = await ask(respondOk, { baseURL: 'https://model.test/v1/?api-version=7' });
    expect(requests[0]?.url).toBe('https://model.test/v1/chat/completions?api-version=7');
  });

  it('is a POST without redirects, with the key as a bearer token', async () => {
    const { requests } = await ask(respondOk, { apiKey: ' sk-1\n', headers: { 'X-Title': 'Holdfast' } });
    expect(requests[0]?.init).toMatchObject({ method: 'POST', redirect: 'manual' });
    expect(requests[0]?.headers).toEqual({
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      'x-title': 'Holdfast',
    });
  });

  it('has no authorization without a key, and configured headers override its own', async () => {
    expect((await ask(respondOk, { apiKey: '' })).requests[0]?.headers).toEqual({
      'content-type': 'application/json',
    });
    const { requests } = await ask(respondOk, { apiKey: 'sk-1', headers: { Authorization: 'Basic abc' } });
    expect(requests[0]?.headers.authorization).toBe('Basic abc');
  });

  it('asks for a stream with usage, with or without a listener for text', async () => {
    const messages = [{ role: 'user', content: 'hello' }];
    for (const stream of [false, true]) {
      const { requests } = await ask(respondOk, { stream });
      expect(requests[0]?.body).toEqual({ model: 'm-1', messages, ...streamingFields });
    }
  });

  it('contains every kind of message and the tools', () => {
    const request: ModelRequest = {
      messages: [
        { role: 'system', text: 'Be kind.' },
        { role: 'user', text: 'Weather in Oslo?' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'weather', input: '{"city":"Oslo"}' }] },
        { role: 'tool', id: 'a', name: 'weather', text: 'rain' },
        {
          role: 'assistant',
          text: 'And:',
          toolCalls: [{ id: 'a', name: 'weather', input: ' {"city": "Rome"} ' }],
        },
        { role: 'tool', id: 'a', name: 'weather', text: 'sun' },
        { role: 'assistant', text: 'Rain and sun.', toolCalls: [] },
        { role: 'assistant', text: '', toolCalls: [] },
      ],
      tools: [weather],
    };
    const createToolCalls = (args: string) => [
      { id: 'a', type: 'function', function: { name: 'weather', arguments: args } },
    ];
    expect(createBody(request)).toEqual({
      model: 'm-1',
      ...streamingFields,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Weather in Oslo?' },
        { role: 'assistant', content: null, tool_calls: createToolCalls('{"city":"Oslo"}') },
        { role: 'tool', tool_call_id: 'a', content: 'rain' },
        { role: 'assistant', content: 'And:', tool_calls: createToolCalls(' {"city": "Rome"} ') },
        { role: 'tool', tool_call_id: 'a', content: 'sun' },
        { role: 'assistant', content: 'Rain and sun.' },
        { role: 'assistant', content: '' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather.',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        },
      ],
    });
  });

  it.each(['', 'not json', '[1]', 'null', '"x"', '{"a":', '{"a":1} and more', '{"a":1}}'])(
    'contains {} instead of the earlier input %j, which a server could not parse',
    (input) => {
      const messages = [
        { role: 'assistant' as const, text: '', toolCalls: [{ id: 'a', name: 'weather', input }] },
      ];
      expect(createBody({ messages, tools: [] })).toMatchObject({
        messages: [{ tool_calls: [{ function: { arguments: '{}' } }] }],
      });
    },
  );

  it('omits the tools and the tool choice if there are no tools', () => {
    expect(Object.keys(createBody(hello) as object)).toEqual([
      'model',
      'messages',
      'stream',
      'stream_options',
    ]);
  });

  it('contains the output schema beside the tools, without the strict flag', () => {
    const schema = { type: 'object', properties: { mood: { type: 'string' } } };
    const output = { name: 'mood', schema };
    const response_format = { type: 'json_schema', json_schema: { name: 'mood', schema } };
    expect(createBody({ ...hello, output })).toEqual({
      model: 'm-1',
      messages: [{ role: 'user', content: 'hello' }],
      ...streamingFields,
      response_format,
    });
    expect(createBody({ ...hello, tools: [weather], output })).toMatchObject({
      tools: [{ function: { name: 'weather' } }],
      response_format,
    });
  });

  it('converts each tool definition once, even for several lists of tools', () => {
    let conversions = 0;
    const counted: ToolDefinition = {
      ...weather,
      inputSchema: {
        toJSON: () => {
          conversions += 1;
          return { type: 'object' };
        },
      },
    };
    const tools = [counted, weather];
    const first = toRequestBody(bodySettings, { ...hello, tools });
    expect(toRequestBody(bodySettings, { ...hello, tools })).toBe(first);
    expect(toRequestBody(bodySettings, { ...hello, tools: [...tools] })).toBe(first);
    expect(createBody({ ...hello, tools: [weather, counted] })).toMatchObject({ tools: [{}, {}] });
    expect(conversions).toBe(1);
  });
});

describe('`openaiCompatible`', () => {
  it('has the name of its model', () => {
    expect(openaiCompatible({ baseURL: 'http://localhost:1/v1', model: 'm-1' }).name).toBe('m-1');
  });

  it.each([
    [{ baseURL: 'model.test/v1' }, "'baseURL' must be an http or https URL."],
    [{ baseURL: 'ftp://model.test' }, "'baseURL' must be an http or https URL."],
    [
      { baseURL: 'https://u:hunter2@model.test' },
      "'baseURL' contains a user name or password. Pass credentials as 'apiKey' or 'headers'.",
    ],
    [
      { baseURL: 'https://model.test', apiKey: 'hun\nter2' },
      "'apiKey' or 'headers' contains a character that HTTP does not allow in a header.",
    ],
    [
      { baseURL: 'https://model.test', headers: { 'a b': 'hunter2' } },
      "'apiKey' or 'headers' contains a character that HTTP does not allow in a header.",
    ],
  ])('throws for %j without repeating the value', (options, message) => {
    expect(() => openaiCompatible({ model: 'm-1', ...options })).toThrow(new TypeError(message));
  });
});
