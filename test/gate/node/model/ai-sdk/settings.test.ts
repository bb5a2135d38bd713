import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import type { ModelRequest, ModelSettings } from '../../../../../src/model/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { getFailure, getReply, settle } from '../settle.ts';
import { ask, createDelta, createFinish, createStreamedResult } from './fake-model.ts';
import { createWire } from './wire.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const withTool: ModelRequest = { ...hello, tools: [look] };

/** Returns the options of the model call without the signal, the conversation and the tools. */
const collectSentOptions = async (
  settings: ModelSettings,
  { provider = 'fake.wire', version = 'v4' } = {},
) => {
  const { calls } = await ask(answerHi, {
    stream: true,
    provider,
    version,
    request: { ...withTool, settings },
  });
  const { abortSignal: _, prompt: __, tools: ___, ...options } = calls[0] ?? { prompt: [] };
  return options;
};

describe('settings', () => {
  it('are passed to the model in the corresponding options', async () => {
    const all: ModelSettings = {
      temperature: 0,
      topP: 0.5,
      topK: 5,
      seed: 7,
      stop: ['END'],
      reasoning: 'max',
      toolChoice: { tool: 'look' },
      providerOptions: { fake: { speed: 'fast' }, other: { a: null } },
    };
    expect(await collectSentOptions(all)).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 5,
      seed: 7,
      stopSequences: ['END'],
      reasoning: 'max',
      toolChoice: { type: 'tool', toolName: 'look' },
      providerOptions: { fake: { speed: 'fast' }, other: { a: null } },
    });
  });

  it.each(['auto', 'required', 'none'] as const)(
    'set the tool choice %s if there are tools',
    async (toolChoice) => {
      expect(await collectSentOptions({ toolChoice })).toEqual({ toolChoice: { type: toolChoice } });
      const { calls } = await ask(answerHi, {
        stream: true,
        request: { ...hello, settings: { toolChoice } },
      });
      expect(calls[0]).not.toHaveProperty('toolChoice');
    },
  );

  it.each([
    ['anthropic.messages', { anthropic: { disableParallelToolUse: true } }],
    ['vertex.anthropic.messages', { anthropic: { disableParallelToolUse: true } }],
    ['openai.responses', { openai: { store: false, parallelToolCalls: false } }],
    ['azure.responses', { azure: { store: false, parallelToolCalls: false } }],
    ['openai.chat', { openai: { parallelToolCalls: false } }],
    ['groq.chat', { groq: { parallelToolCalls: false } }],
    ['mistral.chat', { mistral: { parallelToolCalls: false } }],
    ['xai.responses', { xai: { parallelToolCalls: false } }],
    ['openrouter', { openrouter: { parallel_tool_calls: false } }],
    ['own.chat', { own: { parallel_tool_calls: false } }],
  ])('request one call at a time in the form that %s uses', async (provider, providerOptions) => {
    expect(await collectSentOptions({ parallelToolCalls: false }, { provider })).toEqual({ providerOptions });
  });

  it('send the reasoning effort to OpenRouter in its own option', async () => {
    expect(await collectSentOptions({ reasoning: 'high' }, { provider: 'openrouter' })).toEqual({
      providerOptions: { openrouter: { reasoning: { effort: 'high' } } },
    });
  });

  it('turn off storage at OpenAI by default', async () => {
    const provider = 'openai.responses';
    expect(await collectSentOptions({}, { provider })).toEqual({
      providerOptions: { openai: { store: false } },
    });
    const said = { providerOptions: { openai: { store: true } } };
    expect(await collectSentOptions(said, { provider })).toEqual(said);
  });
});

it('do not request one call at a time without tools, because servers refuse it', async () => {
  const request = { ...hello, settings: { parallelToolCalls: false } };
  const { calls } = await ask(answerHi, { stream: true, provider: 'openai.chat', request });
  expect(calls.map(({ providerOptions }) => providerOptions)).toEqual([undefined]);
});

describe('an unsupported setting', () => {
  it.each<[string, ModelSettings, string]>([
    ['anthropic.messages', { seed: 1 }, 'seed'],
    ['openai.responses', { topK: 1 }, 'topK'],
    ['openai.responses', { seed: 1 }, 'seed'],
    ['openai.responses', { stop: ['x'] }, 'stop'],
    ['openai.chat', { topK: 1 }, 'topK'],
    ['own.chat', { topK: 1 }, 'topK'],
    ['deepseek.chat', { seed: 1 }, 'seed'],
    ['groq.chat', { topK: 1 }, 'topK'],
    ['mistral.chat', { topK: 1 }, 'topK'],
    ['xai.chat', { stop: ['x'] }, 'stop'],
    ['amazon-bedrock', { seed: 1 }, 'seed'],
    ['workersai.chat', { seed: 1 }, 'seed'],
    ['google.generative-ai', { parallelToolCalls: false }, 'parallelToolCalls'],
    ['fake', { parallelToolCalls: false }, 'parallelToolCalls'],
  ])('causes an error that shows its name before the request to %s: %j', async (provider, settings, name) => {
    const { calls, ...outcome } = await ask(answerHi, {
      stream: true,
      provider,
      request: { ...hello, settings },
    });
    expect(getFailure(outcome)).toMatchObject({
      failure: 'bad-request',
      message: `The model 'm-1' of '${provider}' cannot accept the setting '${name}'.`,
    });
    expect(calls).toEqual([]);
  });

  it('can be the reasoning effort in the older specification', async () => {
    const request = { ...hello, settings: { reasoning: 'low' } as const };
    const outcome = await ask(answerHi, { stream: true, version: 'v3', request });
    expect(getFailure(outcome)).toMatchObject({
      failure: 'bad-request',
      message: "The model 'm-1' of 'fake' cannot accept the setting 'reasoning'.",
    });
  });

  it('causes an error with the reason that the provider reports, and is not retried', async () => {
    const start = {
      type: 'stream-start',
      warnings: [
        { type: 'compatibility', feature: 'temperature', details: 'It is rounded.' },
        { type: 'unsupported', feature: 'seed' },
        { type: 'unsupported', feature: 'temperature', details: 'Not while it thinks.' },
      ],
    };
    const answer = () => createStreamedResult([start, createDelta('hi'), createFinish()]);
    const { calls, ...outcome } = await ask(answer, {
      stream: true,
      request: { ...hello, settings: { temperature: 0 } },
    });
    expect(getFailure(outcome)).toMatchObject({
      failure: 'bad-request',
      message: "The model 'm-1' of 'fake' cannot accept the setting 'temperature': Not while it thinks.",
      outputBegan: false,
    });
    expect([outcome.pieces, calls.length]).toEqual([[], 1]);
    // Without the setting, the request succeeds.
    expect(getReply(await ask(answer, { stream: true })).text).toBe('hi');
  });

  it('can be the temperature of a thinking model of Claude', async () => {
    const start = {
      type: 'message_start',
      message: { id: 'm', model: 'c', usage: { input_tokens: 1, output_tokens: 1 } },
    };
    const { model } = createWire(
      (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-opus-4-7'),
      [[start]],
    );
    const outcome = await settle(model, { request: { ...hello, settings: { temperature: 0.5 } } });
    expect(getFailure(outcome).message).toMatch(
      /^The model 'claude-opus-4-7' of 'anthropic\.messages' cannot accept the setting 'temperature': /,
    );
  });
});

describe('a provider-defined tool', () => {
  const search = {
    ...look,
    name: 'web_search',
    providerTool: { id: 'openai.web_search', args: { searchContextSize: 'low' } },
  } as const;
  const request: ModelRequest = { ...hello, tools: [look, search] };

  it('is sent together with the other tools', async () => {
    const { model, sent: bodies } = createWire(
      (fetch) => createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.5'),
      [[]],
    );
    await settle(model, { request });
    expect(bodies[0]?.tools).toMatchObject([
      { type: 'function', name: 'look' },
      { type: 'web_search', search_context_size: 'low' },
    ]);
  });

  it.each(['anthropic.messages', 'openai.chat', 'google.generative-ai', 'deepseek.chat'])(
    'causes an error that includes its name before the request if it belongs to a provider other than %s',
    async (provider) => {
      const { calls, ...outcome } = await ask(answerHi, { stream: true, provider, request });
      expect(getFailure(outcome)).toMatchObject({
        failure: 'bad-request',
        message: `The model 'm-1' of '${provider}' cannot run the tool 'web_search'.`,
      });
      expect(calls).toEqual([]);
    },
  );

  it('causes an error if the provider reports that it does not know the tool', async () => {
    const { model } = createWire(
      (fetch) => createOpenAICompatible({ name: 'own', baseURL: 'http://own.test/v1', fetch })('m'),
      [['[DONE]']],
    );
    expect(getFailure(await settle(model, { request }))).toMatchObject({
      failure: 'bad-request',
      message: "The model 'm' of 'own.chat' cannot run the tool 'web_search'.",
    });
  });
});
