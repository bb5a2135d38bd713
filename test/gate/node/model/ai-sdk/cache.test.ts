/** Tests cache settings of a request in the form of each provider of the AI SDK. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type {
  CacheMarks,
  ModelMessage,
  ModelRequest,
  ModelSettings,
} from '../../../../../src/model/entry.ts';
import { ask, delta, fakeModel, finish, streamedResult } from './fake-model.ts';
import { wire } from './wire.ts';

type Json = Record<string, unknown>;
type Make = Parameters<typeof wire>[0];

const tool = (name: string) => ({
  name,
  description: 'Does.',
  inputSchema: { type: 'object', properties: {} },
});
const callMessage = (id: string, thought = false): ModelMessage => {
  const call = { type: 'tool-call', id, name: 'look', input: '{}' } as const;
  const anthropic = { signature: 'c2lnbmVk' };
  const parts = [{ type: 'reasoning', text: 'Hm.', provider: { anthropic } } as const, call];
  return { role: 'assistant', text: '', toolCalls: [call], ...(thought && { parts }) };
};
const result = (id: string, text = 'seen'): ModelMessage => ({ role: 'tool', id, name: 'look', text });
const KEY = 'ab'.repeat(32);

/** Returns a conversation with this number of replies, each with a call and its result. */
const conversationOf = (replies: number, thought = false): ModelMessage[] => [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Go.' },
  ...Array.from({ length: replies }, (_, at) => [
    callMessage(`c${at}`, thought),
    result(`c${at}`, at === 1 ? '' : 'seen'),
  ]).flat(),
];

const autoMarks = (messages: readonly ModelMessage[]): CacheMarks => {
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return { key: KEY, tools: true, system: true, messages: before < 0 ? [-1] : [-1, before] };
};

const requestOf = (messages: readonly ModelMessage[], cache: CacheMarks | undefined): ModelRequest => ({
  messages,
  tools: [tool('look'), tool('note')],
  ...(cache && { cache }),
});

async function bodyOf(make: Make, request: ModelRequest, settings?: ModelSettings): Promise<Json> {
  const { model, sent } = wire(make, [[]], settings && { settings });
  const merged = { ...request, ...(settings && { settings }) };
  // The server sends no reply, because only the request is checked.
  await model.ask(merged, { signal: new AbortController().signal }).catch(() => {});
  return sent[0] ?? {};
}

const createClaude: Make = (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');

/** Returns the path of each value with a cache mark, and the mark. */
const marksIn = (value: unknown): Json => Object.fromEntries(pathsIn(value, '$'));

function pathsIn(value: unknown, path: string): (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'cache_control' ? [[path, inner] as const] : pathsIn(inner, `${path}.${key}`),
  );
}

/** Returns the same value without its cache marks. */
const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) => (key === 'cache_control' ? undefined : inner));

const MARK = { type: 'ephemeral' };

describe('cache marks for Anthropic', () => {
  it('are set on the last tool, the system text, the end of this request and the end of the previous request', async () => {
    expect(
      marksIn(await bodyOf(createClaude, requestOf(conversationOf(2), autoMarks(conversationOf(2))))),
    ).toEqual({
      '$.tools.1': MARK,
      '$.system.0': MARK,
      '$.messages.2.content.0': MARK,
      '$.messages.4.content.0': MARK,
    });
    expect(
      marksIn(await bodyOf(createClaude, requestOf(conversationOf(0), autoMarks(conversationOf(0))))),
    ).toEqual({
      '$.tools.1': MARK,
      '$.system.0': MARK,
      '$.messages.0.content.0': MARK,
    });
  });

  it('can move without a change of any other byte', async () => {
    for (const replies of [0, 1, 2, 3]) {
      const [one, next] = await Promise.all(
        [conversationOf(replies, true), conversationOf(replies + 1, true)].map((messages) =>
          bodyOf(createClaude, requestOf(messages, autoMarks(messages))),
        ),
      );
      const [{ messages: before, ...rest }, { messages: now, ...same }] = [one, next].map(
        (body) => withoutMarks(body) as { messages: unknown[] }, // In the format of the Anthropic API.
      ) as [{ messages: unknown[] }, { messages: unknown[] }];
      expect(JSON.stringify(same)).toBe(JSON.stringify(rest));
      expect(JSON.stringify(now.slice(0, before.length))).toBe(JSON.stringify(before));
      // The mark at the end of one request is where the next request reads the cache.
      const end = `$.messages.${before.length - 1}.content.0`;
      expect([marksIn(one), marksIn(next)]).toMatchObject([{ [end]: MARK }, { [end]: MARK }]);
    }
  });

  it('last an hour if the request asks for it', async () => {
    const body = await bodyOf(createClaude, requestOf(conversationOf(1), { system: true, ttl: '1h' }));
    expect(marksIn(body)).toEqual({ '$.system.0': { type: 'ephemeral', ttl: '1h' } });
  });

  it('are limited to the first four marks', async () => {
    const cache = { tools: true, system: true, messages: [1, 3, 5, 7] };
    expect(Object.keys(marksIn(await bodyOf(createClaude, requestOf(conversationOf(3), cache))))).toEqual([
      '$.system.0',
      '$.messages.0.content.0',
      '$.messages.2.content.0',
      '$.tools.1',
    ]);
    const many = { messages: [1, 3, -1, -1, 99, -99, 5, 7] };
    expect(Object.keys(marksIn(await bodyOf(createClaude, requestOf(conversationOf(3), many))))).toEqual([
      '$.messages.0.content.0',
      '$.messages.2.content.0',
      '$.messages.4.content.0',
      '$.messages.6.content.0',
    ]);
  });

  it('share the limit with a mark that the developer has set at the end of the request', async () => {
    const own = { providerOptions: { anthropic: { cacheControl: MARK } } };
    const body = await bodyOf(createClaude, requestOf(conversationOf(2), autoMarks(conversationOf(2))), own);
    expect(marksIn(body)).toEqual({
      $: MARK,
      '$.tools.1': MARK,
      '$.system.0': MARK,
      '$.messages.2.content.0': MARK,
    });
    // A mark with a longer lifetime must not follow one with a shorter lifetime.
    const hour = { type: 'ephemeral', ttl: '1h' };
    const longer = { providerOptions: { anthropic: { cacheControl: hour } } };
    const marks = marksIn(
      await bodyOf(createClaude, requestOf(conversationOf(2), autoMarks(conversationOf(2))), longer),
    );
    expect(Object.values(marks)).toEqual([hour, hour, hour, hour]);
    const many = requestOf(conversationOf(3), { tools: true, system: true, messages: [1, 3, 5] });
    expect(Object.keys(marksIn(await bodyOf(createClaude, many, own)))).toHaveLength(4);
  });

  it('are omitted from parts that cannot have one: reasoning, empty texts, a missing system text and missing tools', async () => {
    const thought: ModelMessage = {
      role: 'assistant',
      text: '',
      toolCalls: [],
      parts: [{ type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 'c2lnbmVk' } } }],
    };
    const messages: ModelMessage[] = [{ role: 'user', text: 'Go.' }, thought, { role: 'user', text: ' ' }];
    const body = await bodyOf(createClaude, {
      messages,
      tools: [],
      cache: { tools: true, system: true, messages: [1] },
    });
    expect(marksIn(body)).toEqual({ '$.messages.0.content.0': MARK });
    const blank = await bodyOf(createClaude, { messages, tools: [], cache: { messages: [-1] } });
    expect(marksIn(blank)).toEqual({ '$.messages.0.content.0': MARK });
  });

  it('are added to the provider metadata of a marked part', async () => {
    const anthropic = { citations: [{ title: 'A page' }] };
    const said: ModelMessage = {
      role: 'assistant',
      text: 'So it is.',
      toolCalls: [],
      parts: [{ type: 'text', text: 'So it is.', provider: { anthropic } }],
    };
    const { calls } = await ask(() => streamedResult([delta('hi'), finish()]), {
      stream: true,
      provider: 'anthropic.messages',
      modelId: 'claude-sonnet-4-5',
      request: requestOf([...conversationOf(0), said, { role: 'user', text: 'Why?' }], { messages: [2] }),
    });
    expect(calls[0]?.prompt[2]?.content).toEqual([
      {
        type: 'text',
        text: 'So it is.',
        providerOptions: { anthropic: { ...anthropic, cacheControl: MARK } },
      },
    ]);
    // The metadata of the reply itself is unchanged.
    expect(anthropic).not.toHaveProperty('cacheControl');
  });

  it('are set before a message that announces new tools, even if that message is omitted', async () => {
    const told = { came: [tool('late')], went: [] };
    const change: ModelMessage = { role: 'system', text: '', toolsChange: told };
    const messages = [...conversationOf(1), change];
    const request = { ...requestOf(messages, autoMarks(messages)), tools: ['late', 'look'].map(tool) };
    const bound: Make = (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-opus-5-5');
    for (const make of [bound, createClaude]) {
      const body = await bodyOf(make, request);
      expect(marksIn(body)).toMatchObject({ '$.messages.0.content.0': MARK, '$.messages.2.content.0': MARK });
      expect(Object.keys(marksIn(body))).toHaveLength(4);
    }
  });

  it('are absent if the request asks for no caching', async () => {
    expect(marksIn(await bodyOf(createClaude, requestOf(conversationOf(1), undefined)))).toEqual({});
    expect(marksIn(await bodyOf(createClaude, requestOf(conversationOf(1), { key: KEY })))).toEqual({});
  });
});

it('OpenRouter receives cache marks for Anthropic models but not for others', async () => {
  const router =
    (model: string): Make =>
    (fetch) =>
      createOpenRouter({ apiKey: 'k', fetch })(model);
  const request = requestOf(conversationOf(2), autoMarks(conversationOf(2)));
  expect(marksIn(await bodyOf(router('anthropic/claude-sonnet-4.5'), request))).toEqual({
    '$.messages.0.content.0': MARK,
    '$.messages.3': MARK,
    '$.messages.5': MARK,
  });
  expect(marksIn(await bodyOf(router('openai/gpt-5.4'), request))).toEqual({});
});

describe('a cache key for OpenAI', () => {
  const made =
    (wireOf: 'responses' | 'chat', model: string): Make =>
    (fetch) =>
      createOpenAI({ apiKey: 'k', fetch })[wireOf](model);

  it.each(['responses', 'chat'] as const)('is sent in requests to the %s API', async (wireOf) => {
    const request = requestOf(conversationOf(1), autoMarks(conversationOf(1)));
    const body = await bodyOf(made(wireOf, 'gpt-5.4'), request);
    expect(body).toMatchObject({ prompt_cache_key: KEY });
    const { cache: _, ...without } = request;
    const { prompt_cache_key: __, ...rest } = body;
    expect(JSON.stringify(rest)).toBe(JSON.stringify(await bodyOf(made(wireOf, 'gpt-5.4'), without)));
  });

  it('does not replace a key that the developer has set', async () => {
    const own = { providerOptions: { openai: { promptCacheKey: 'mine' } } };
    const body = await bodyOf(made('responses', 'gpt-5.4'), requestOf(conversationOf(1), { key: KEY }), own);
    expect(body).toMatchObject({ prompt_cache_key: 'mine', store: false });
  });

  it('is not sent to compatible servers, which may refuse unknown fields', async () => {
    const compatible: Make = (fetch) =>
      createOpenAICompatible({ name: 'some', baseURL: 'https://some.test/v1', fetch })('m-1');
    for (const make of [made('chat', 'llama-3.3-70b'), compatible]) {
      const body = await bodyOf(make, requestOf(conversationOf(1), autoMarks(conversationOf(1))));
      expect(body).not.toHaveProperty('prompt_cache_key');
      expect(marksIn(body)).toEqual({});
    }
  });
});

describe('a provider without a cache type in the SDK', () => {
  const hi = () => streamedResult([delta('hi'), finish()]);
  const optionsOf = async (provider: string, modelId: string, cache: CacheMarks) => {
    const request = requestOf(conversationOf(1), cache);
    const { calls } = await ask(hi, { stream: true, provider, modelId, request });
    return calls[0];
  };
  const claude = 'us.anthropic.claude-sonnet-4-5-v1:0';

  it('receives cache points on all marked parts except tools, for Bedrock', async () => {
    const { prompt = [], tools } =
      (await optionsOf('amazon-bedrock', claude, autoMarks(conversationOf(1)))) ?? {};
    const providerOptions = { bedrock: { cachePoint: { type: 'default' } } };
    expect(tools?.filter((one) => 'providerOptions' in one)).toEqual([]);
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.', providerOptions },
      { role: 'user', content: [{ type: 'text', text: 'Go.', providerOptions }] },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', content: [expect.objectContaining({ toolCallId: 'c0', providerOptions })] },
    ]);
    const hour = await optionsOf('amazon-bedrock', claude, { system: true, ttl: '1h' });
    expect(hour?.prompt[0]?.providerOptions).toEqual({
      bedrock: { cachePoint: { type: 'default', ttl: '1h' } },
    });
  });

  it('receives the key in an option or a header, for Azure and xAI', async () => {
    const { providerOptions: azure } = (await optionsOf('azure.responses', 'mine', { key: KEY })) ?? {};
    expect(azure).toEqual({ azure: { promptCacheKey: KEY, store: false } });
    const { providerOptions: xai, headers } =
      (await optionsOf('xai.responses', 'grok-5', { key: KEY })) ?? {};
    expect([xai, headers]).toEqual([{ xai: { promptCacheKey: KEY } }, undefined]);
    const { headers: chat } = (await optionsOf('xai.chat', 'grok-5', { key: KEY })) ?? {};
    expect(chat).toEqual({ 'x-grok-conv-id': KEY });
  });

  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', true],
    ['vertex.anthropic.messages', 'claude-opus-5', true],
    ['bedrock.anthropic.messages', 'us.anthropic.claude-opus-5-v1:0', true],
    ['amazon-bedrock', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', true],
    ['amazon-bedrock', 'anthropic.claude-3-5-haiku-20241022-v1:0', true],
    ['amazon-bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', undefined],
    ['amazon-bedrock', 'meta.llama4-maverick-17b-instruct-v1:0', undefined],
    ['openrouter', 'anthropic/claude-opus-5', true],
    ['openrouter', 'google/gemini-3-pro', undefined],
    ['openai.responses', 'gpt-5.4', true],
    ['openai.chat', 'o4-mini', true],
    ['openai.chat', 'ft:gpt-5-mini:us::1', true],
    ['openai.chat', 'mistral-large', undefined],
    ['azure.chat', 'my-deployment', true],
    ['xai.responses', 'grok-5', true],
    ['xai.chat', 'grok-5', true],
    ['google.generative-ai', 'gemini-3-pro', undefined],
    ['deepseek.chat', 'deepseek-v4', undefined],
    ['workersai.chat', '@cf/meta/llama-4', undefined],
  ])('%s caches %s if its name says so', (provider, modelId, caches) => {
    expect(fromAiSdk(fakeModel([], { provider, modelId }).model).caches).toBe(caches);
  });
});
