import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import {
  type OpenaiCompatibleOptions,
  openaiCompatible,
} from '../../../../../src/model/openai-compatible/entry.ts';
import { ask, createCompletion, hello } from './fake-server.ts';

const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const alwaysSent = {
  model: 'm-1',
  messages: [{ role: 'user', content: 'hello' }],
  stream: true,
  stream_options: { include_usage: true },
};

const askWithSettings = (
  settings: ModelRequest['settings'],
  { tools = [], ...options }: Partial<OpenaiCompatibleOptions> & { tools?: ModelRequest['tools'] } = {},
) =>
  ask(() => Response.json(createCompletion({ content: 'hi' })), {
    ...options,
    request: { ...hello, tools, settings },
  });

describe('settings', () => {
  it('are sent as fields of the body', async () => {
    const { requests } = await askWithSettings({
      temperature: 0,
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      reasoning: 'xhigh',
      providerOptions: { openaiCompatible: { user: 'u' }, other: { x: 1 } },
    });
    expect(requests[0]?.body).toEqual({
      ...alwaysSent,
      temperature: 0,
      top_p: 0.9,
      seed: 7,
      stop: ['END'],
      reasoning_effort: 'xhigh',
      user: 'u',
    });
  });

  it.each<[NonNullable<ModelRequest['settings']>, object]>([
    [{ toolChoice: 'auto' }, { tool_choice: 'auto' }],
    [{ toolChoice: 'required' }, { tool_choice: 'required' }],
    [{ toolChoice: 'none' }, { tool_choice: 'none' }],
    [{ toolChoice: { tool: 'look' } }, { tool_choice: { type: 'function', function: { name: 'look' } } }],
    [{ parallelToolCalls: false }, { parallel_tool_calls: false }],
    [{ parallelToolCalls: true, stop: [] }, { parallel_tool_calls: true }],
    [{}, {}],
  ])('%j are sent with tools as %j, and not without tools', async (settings, fields) => {
    const { requests } = await askWithSettings(settings, { tools: [look] });
    const { tools, ...body } = Object(requests[0]?.body);
    expect(body).toEqual({ ...alwaysSent, ...fields });
    expect((await askWithSettings(settings)).requests[0]?.body).toEqual(alwaysSent);
  });

  it.each<[NonNullable<ModelRequest['settings']>, string]>([
    [{ topK: 40 }, "Chat completions have no 'topK'. If the server has one, use 'extraBody: { top_k }'."],
    [
      { toolChoice: { tool: 'gone' } },
      "'toolChoice' names the tool 'gone', which this request does not offer.",
    ],
    [{ providerOptions: { openaiCompatible: 'x' } }, "'providerOptions.openaiCompatible' must be an object."],
    [
      { providerOptions: { openaiCompatible: { n: 2 } } },
      "'providerOptions.openaiCompatible.n' is set by the adapter. Omit it.",
    ],
  ])('cause an error before the request: %j', async (settings, message) => {
    const { requests, ...outcome } = await askWithSettings(settings, { tools: [look] });
    expect(outcome).toMatchObject({ error: { failure: 'bad-request', message, outputBegan: false } });
    expect(requests).toEqual([]);
  });
});

describe('extraBody', () => {
  it('is merged into every body, and settings of a request override it', async () => {
    const extraBody = { top_k: 40, temperature: 1, thinking: { type: 'enabled' } };
    const { requests } = await askWithSettings({ temperature: 0.2 }, { extraBody });
    expect(requests[0]?.body).toEqual({ ...alwaysSent, ...extraBody, temperature: 0.2 });
  });

  it.each<[unknown, string]>([
    [[], "'extraBody' must be a JSON object."],
    [{ x: 1n }, "'extraBody' must be a JSON object."],
    [{ stream: false }, "'extraBody.stream' is set by the adapter. Omit it."],
    [{ max_tokens: 5 }, "'extraBody.max_tokens' is set by the adapter. Omit it."],
  ])('throws if it is invalid: %s', (extraBody, message) => {
    const options: object = { extraBody };
    expect(() => openaiCompatible({ baseURL: 'https://model.test/v1', model: 'm', ...options })).toThrow(
      new TypeError(message),
    );
  });
});

describe('`openaiCompatible`', () => {
  it('has the host of the base URL as its provider', () => {
    const { provider } = openaiCompatible({ baseURL: 'https://api.deepseek.com/v1', model: 'm' });
    expect(provider).toBe('api.deepseek.com');
  });

  it('explains the new name of the option `baseUrl`', () => {
    const options: object = { baseUrl: 'https://model.test/v1', model: 'm' };
    expect(() => openaiCompatible(options as OpenaiCompatibleOptions)).toThrow(
      new TypeError("openaiCompatible has no option 'baseUrl'. Use 'baseURL'."),
    );
  });
});
