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
import { ask, createDelta, createFakeModel, createFinish, createStreamedResult } from './fake-model.ts';
import { createWire } from './wire.ts';

type JsonFields = Record<string, unknown>;
type ModelFactory = Parameters<typeof createWire>[0];

const createToolDefinition = (name: string) => ({
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
const createToolResult = (id: string, text = 'seen'): ModelMessage => ({
  role: 'tool',
  id,
  name: 'look',
  text,
});
const CACHE_KEY = 'ab'.repeat(32);

/** Returns a conversation with this number of replies, each with a call and its result. */
const createConversation = (replies: number, thought = false): ModelMessage[] => [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Go.' },
  ...Array.from({ length: replies }, (_, at) => [
    callMessage(`c${at}`, thought),
    createToolResult(`c${at}`, at === 1 ? '' : 'seen'),
  ]).flat(),
];

const createAutoMarks = (messages: readonly ModelMessage[]): CacheMarks => {
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return { key: CACHE_KEY, tools: true, system: true, messages: before < 0 ? [-1] : [-1, before] };
};

const createRequest = (messages: readonly ModelMessage[], cache: CacheMarks | undefined): ModelRequest => ({
  messages,
  tools: [createToolDefinition('look'), createToolDefinition('note')],
  ...(cache && { cache }),
});

async function getBody(
  make: ModelFactory,
  request: ModelRequest,
  settings?: ModelSettings,
): Promise<JsonFields> {
  const { model, sent } = createWire(make, [[]], settings && { settings });
  const merged = { ...request, ...(settings && { settings }) };
  // The server sends no reply, because only the request is checked.
  await model.ask(merged, { signal: new AbortController().signal }).catch(() => {});
  return sent[0] ?? {};
}

const createClaude: ModelFactory = (fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5');

/** Returns the path of each value with a cache mark, and the mark. */
const collectMarks = (value: unknown): JsonFields => Object.fromEntries(listPaths(value, '$'));

function listPaths(value: unknown, path: string): (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'cache_control' ? [[path, inner] as const] : listPaths(inner, `${path}.${key}`),
  );
}

/** Returns the same value without its cache marks. */
const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) => (key === 'cache_control' ? undefined : inner));

const CACHE_MARK = { type: 'ephemeral' };

describe('cache marks for Anthropic', () => {
  it('are set on the last tool, the system text, the end of this request and the end of the previous request', async () => {
    expect(
      collectMarks(
        await getBody(
          createClaude,
          createRequest(createConversation(2), createAutoMarks(createConversation(2))),
        ),
      ),
    ).toEqual({
      '$.tools.1': CACHE_MARK,
      '$.system.0': CACHE_MARK,
      '$.messages.2.content.0': CACHE_MARK,
      '$.messages.4.content.0': CACHE_MARK,
    });
    expect(
      collectMarks(
        await getBody(
          createClaude,
          createRequest(createConversation(0), createAutoMarks(createConversation(0))),
        ),
      ),
    ).toEqual({
      '$.tools.1': CACHE_MARK,
      '$.system.0': CACHE_MARK,
      '$.messages.0.content.0': CACHE_MARK,
    });
  });

  it('can move without a change of any other byte', async () => {
    for (const replies of [0, 1, 2, 3]) {
      const [one, next] = await Promise.all(
        [createConversation(replies, true), createConversation(replies + 1, true)].map((messages) =>
          getBody(createClaude, createRequest(messages, createAutoMarks(messages))),
        ),
      );
      const [{ messages: before, ...rest }, { messages: now, ...same }] = [one, next].map(
        (body) => withoutMarks(body) as { messages: unknown[] }, // In the format of the Anthropic API.
      ) as [{ messages: unknown[] }, { messages: unknown[] }];
      expect(JSON.stringify(same)).toBe(JSON.stringify(rest));
      expect(JSON.stringify(now.slice(0, before.length))).toBe(JSON.stringify(before));
      // The mark at the end of one request is where the next request reads the cache.
      const end = `$.messages.${before.length - 1}.content.0`;
      expect([collectMarks(one), collectMarks(next)]).toMatchObject([
        { [end]: CACHE_MARK },
        { [end]: CACHE_MARK },
      ]);
    }
  });

  it('last an hour if the request asks for it', async () => {
    const body = await getBody(
      createClaude,
      createRequest(createConversation(1), { system: true, ttl: '1h' }),
    );
    expect(collectMarks(body)).toEqual({ '$.system.0': { type: 'ephemeral', ttl: '1h' } });
  });

  it('are limited to the first four marks', async () => {
    const cache = { tools: true, system: true, messages: [1, 3, 5, 7] };
    expect(
      Object.keys(collectMarks(await getBody(createClaude, createRequest(createConversation(3), cache)))),
    ).toEqual(['$.system.0', '$.messages.0.content.0', '$.messages.2.content.0', '$.tools.1']);
    const many = { messages: [1, 3, -1, -1, 99, -99, 5, 7] };
    expect(
      Object.keys(collectMarks(await getBody(createClaude, createRequest(createConversation(3), many)))),
    ).toEqual([
      '$.messages.0.content.0',
      '$.messages.2.content.0',
      '$.messages.4.content.0',
      '$.messages.6.content.0',
    ]);
  });

  it('share the limit with a mark that the developer has set at the end of the request', async () => {
    const own = { providerOptions: { anthropic: { cacheControl: CACHE_MARK } } };
    const body = await getBody(
      createClaude,
      createRequest(createConversation(2), createAutoMarks(createConversation(2))),
      own,
    );
    expect(collectMarks(body)).toEqual({
      $: CACHE_MARK,
      '$.tools.1': CACHE_MARK,
      '$.system.0': CACHE_MARK,
      '$.messages.2.content.0': CACHE_MARK,
    });
    // A mark with a longer lifetime must not follow one with a shorter lifetime.
    const hour = { type: 'ephemeral', ttl: '1h' };
    const longer = { providerOptions: { anthropic: { cacheControl: hour } } };
    const marks = collectMarks(
      await getBody(
        createClaude,
        createRequest(createConversation(2), createAutoMarks(createConversation(2))),
        longer,
      ),
    );
    expect(Object.values(marks)).toEqual([hour, hour, hour, hour]);
    const many = createRequest(createConversation(3), { tools: true, system: true, messages: [1, 3, 5] });
    expect(Object.keys(collectMarks(await getBody(createClaude, many, own)))).toHaveLength(4);
  });

  it('are omitted from parts that cannot have marks: reasoning, empty texts, a missing system text and missing tools', async () => {
    const thought: ModelMessage = {
      role: 'assistant',
      text: '',
      toolCalls: [],
      parts: [{ type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 'c2lnbmVk' } } }],
    };
    const messages: ModelMessage[] = [{ role: 'user', text: 'Go.' }, thought, { role: 'user', text: ' ' }];
    const body = await getBody(createClaude, {
      messages,
      tools: [],
      cache: { tools: true, system: true, messages: [1] },
    });
    expect(collectMarks(body)).toEqual({ '$.messages.0.content.0': CACHE_MARK });
    const blank = await getBody(createClaude, { messages, tools: [], cache: { messages: [-1] } });
    expect(collectMarks(blank)).toEqual({ '$.messages.0.content.0': CACHE_MARK });
  });

  it('are added to the provider metadata of a marked part', async () => {
    const anthropic = { citations: [{ title: 'A page' }] };
    const said: ModelMessage = {
      role: 'assistant',
      text: 'So it is.',
      toolCalls: [],
      parts: [{ type: 'text', text: 'So it is.', provider: { anthropic } }],
    };
    const { calls } = await ask(() => createStreamedResult([createDelta('hi'), createFinish()]), {
      stream: true,
      provider: 'anthropic.messages',
      modelId: 'claude-sonnet-4-5',
      request: createRequest([...createConversation(0), said, { role: 'user', text: 'Why?' }], {
        messages: [2],
      }),
    });
    expect(calls[0]?.prompt[2]?.content).toEqual([
      {
        type: 'text',
        text: 'So it is.',
        providerOptions: { anthropic: { ...anthropic, cacheControl: CACHE_MARK } },
      },
    ]);
    // The metadata of the reply itself is unchanged.
    expect(anthropic).not.toHaveProperty('cacheControl');
  });

  it('are set before a message that announces new tools, even if that message is omitted', async () => {
    const told = { came: [createToolDefinition('late')], went: [] };
    const change: ModelMessage = { role: 'system', text: '', toolsChange: told };
    const messages = [...createConversation(1), change];
    const request = {
      ...createRequest(messages, createAutoMarks(messages)),
      tools: ['late', 'look'].map(createToolDefinition),
    };
    const createClaudeModel: ModelFactory = (fetch) =>
      createAnthropic({ apiKey: 'k', fetch })('claude-opus-5-5');
    for (const make of [createClaudeModel, createClaude]) {
      const body = await getBody(make, request);
      expect(collectMarks(body)).toMatchObject({
        '$.messages.0.content.0': CACHE_MARK,
        '$.messages.2.content.0': CACHE_MARK,
      });
      expect(Object.keys(collectMarks(body))).toHaveLength(4);
    }
  });

  it('are absent if the request asks for no caching', async () => {
    expect(
      collectMarks(await getBody(createClaude, createRequest(createConversation(1), undefined))),
    ).toEqual({});
    expect(
      collectMarks(await getBody(createClaude, createRequest(createConversation(1), { key: CACHE_KEY }))),
    ).toEqual({});
  });
});

it('OpenRouter receives cache marks for Anthropic models but not for others', async () => {
  const createRouterModel =
    (model: string): ModelFactory =>
    (fetch) =>
      createOpenRouter({ apiKey: 'k', fetch })(model);
  const request = createRequest(createConversation(2), createAutoMarks(createConversation(2)));
  expect(collectMarks(await getBody(createRouterModel('anthropic/claude-sonnet-4.5'), request))).toEqual({
    '$.messages.0.content.0': CACHE_MARK,
    '$.messages.3': CACHE_MARK,
    '$.messages.5': CACHE_MARK,
  });
  expect(collectMarks(await getBody(createRouterModel('openai/gpt-5.4'), request))).toEqual({});
});

describe('a cache key for OpenAI', () => {
  const createOpenAiModel =
    (wireOf: 'responses' | 'chat', model: string): ModelFactory =>
    (fetch) =>
      createOpenAI({ apiKey: 'k', fetch })[wireOf](model);

  it.each(['responses', 'chat'] as const)('is sent in requests to the %s API', async (wireOf) => {
    const request = createRequest(createConversation(1), createAutoMarks(createConversation(1)));
    const body = await getBody(createOpenAiModel(wireOf, 'gpt-5.4'), request);
    expect(body).toMatchObject({ prompt_cache_key: CACHE_KEY });
    const { cache: _, ...without } = request;
    const { prompt_cache_key: __, ...rest } = body;
    expect(JSON.stringify(rest)).toBe(
      JSON.stringify(await getBody(createOpenAiModel(wireOf, 'gpt-5.4'), without)),
    );
  });

  it('does not replace a key that the developer has set', async () => {
    const own = { providerOptions: { openai: { promptCacheKey: 'mine' } } };
    const body = await getBody(
      createOpenAiModel('responses', 'gpt-5.4'),
      createRequest(createConversation(1), { key: CACHE_KEY }),
      own,
    );
    expect(body).toMatchObject({ prompt_cache_key: 'mine', store: false });
  });

  it('is not sent to compatible servers, which may refuse unknown fields', async () => {
    const createCompatible: ModelFactory = (fetch) =>
      createOpenAICompatible({ name: 'some', baseURL: 'https://some.test/v1', fetch })('m-1');
    for (const make of [createOpenAiModel('chat', 'llama-3.3-70b'), createCompatible]) {
      const body = await getBody(
        make,
        createRequest(createConversation(1), createAutoMarks(createConversation(1))),
      );
      expect(body).not.toHaveProperty('prompt_cache_key');
      expect(collectMarks(body)).toEqual({});
    }
  });
});

describe('a provider without a cache type in the SDK', () => {
  const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
  const collectOptions = async (provider: string, modelId: string, cache: CacheMarks) => {
    const request = createRequest(createConversation(1), cache);
    const { calls } = await ask(answerHi, { stream: true, provider, modelId, request });
    return calls[0];
  };
  const claude = 'us.anthropic.claude-sonnet-4-5-v1:0';

  it('receives cache points on all marked parts except tools, for Bedrock', async () => {
    const { prompt = [], tools } =
      (await collectOptions('amazon-bedrock', claude, createAutoMarks(createConversation(1)))) ?? {};
    const providerOptions = { bedrock: { cachePoint: { type: 'default' } } };
    expect(tools?.filter((one) => 'providerOptions' in one)).toEqual([]);
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.', providerOptions },
      { role: 'user', content: [{ type: 'text', text: 'Go.', providerOptions }] },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', content: [expect.objectContaining({ toolCallId: 'c0', providerOptions })] },
    ]);
    const hour = await collectOptions('amazon-bedrock', claude, { system: true, ttl: '1h' });
    expect(hour?.prompt[0]?.providerOptions).toEqual({
      bedrock: { cachePoint: { type: 'default', ttl: '1h' } },
    });
  });

  it('receives the key in an option or a header, for Azure and xAI', async () => {
    const { providerOptions: azure } =
      (await collectOptions('azure.responses', 'mine', { key: CACHE_KEY })) ?? {};
    expect(azure).toEqual({ azure: { promptCacheKey: CACHE_KEY, store: false } });
    const { providerOptions: xai, headers } =
      (await collectOptions('xai.responses', 'grok-5', { key: CACHE_KEY })) ?? {};
    expect([xai, headers]).toEqual([{ xai: { promptCacheKey: CACHE_KEY } }, undefined]);
    const { headers: chat } = (await collectOptions('xai.chat', 'grok-5', { key: CACHE_KEY })) ?? {};
    expect(chat).toEqual({ 'x-grok-conv-id': CACHE_KEY });
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
    expect(fromAiSdk(createFakeModel([], { provider, modelId }).model).caches).toBe(caches);
  });
});
