/**
 * Tests SDK requests after another model's calls in the open turn, and the traits inferred from model names.
 */
import { describe, expect, it, vi } from 'vitest';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage, ModelRequest, ReplyPart } from '../../../../../src/model/entry.ts';
import { ask, createDelta, createFakeModel, createFinish, createStreamedResult } from './fake-model.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
const CLAUDE_MODEL = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
const COMPATIBLE_MODEL = { provider: 'someone.chat', modelId: 'some-model' };

const createCall = (id: string) => ({ id, name: 'look', input: '{"a":1}' });
const createToolResults = (...ids: readonly string[]): ModelMessage[] =>
  ids.map((id) => ({ role: 'tool', id, name: 'look', text: `seen ${id}` }));
const createUserMessage = (text: string): ModelMessage => ({ role: 'user', text });
const createForeignReply = (text: string, ...ids: readonly string[]): ModelMessage => ({
  role: 'assistant',
  text,
  toolCalls: ids.map(createCall),
});
const createOwnReply = (id: string, ...before: readonly ReplyPart[]): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: [createCall(id)],
  parts: [...before, { type: 'tool-call', ...createCall(id) }],
});
const THOUGHT_PART: ReplyPart = {
  type: 'reasoning',
  text: 'Hm.',
  provider: { anthropic: { signature: 's' } },
};

async function getPrompt(
  model: { readonly provider: string; readonly modelId: string },
  messages: readonly ModelMessage[],
  { settings, options }: { settings?: ModelRequest['settings']; options?: FromAiSdkOptions } = {},
) {
  const request = { messages, tools: [], ...(settings && { settings }) };
  const { calls } = await ask(answerHi, { stream: true, ...model, request, ...options });
  return (calls[0]?.prompt ?? []).map(({ role, content }) => [
    role,
    typeof content === 'string'
      ? content
      : content.map((part) =>
          'text' in part ? part.text : 'toolCallId' in part ? part.toolCallId : part.type,
        ),
  ]);
}

const CALLS_NOTE = 'You have called tools before this message, and they answered:';
const formatCallLine = (id: string) => `- look with the input {"a":1} answered: seen ${id}`;
const THINKING_REQUEST = { settings: { reasoning: 'medium' } } as const;

describe('Claude with a thinking budget', () => {
  const turn = [
    createUserMessage('Go.'),
    createOwnReply('a', THOUGHT_PART),
    ...createToolResults('a'),
    createForeignReply('Once more.', 'b', 'c'),
    ...createToolResults('b', 'c'),
  ];

  it('sees the calls of another model in the open turn, and their results, as text', async () => {
    expect(await getPrompt(CLAUDE_MODEL, turn, THINKING_REQUEST)).toEqual([
      ['user', ['Go.']],
      ['assistant', ['Hm.', 'a']],
      ['tool', ['a']],
      ['assistant', ['Once more.']],
      ['user', [`${CALLS_NOTE}\n${formatCallLine('b')}`]],
      ['user', [formatCallLine('c')]],
    ]);
  });

  it('sees the calls of another model unchanged in a later turn', async () => {
    const later = [
      ...turn,
      { role: 'assistant', text: 'Done.', toolCalls: [] } as const,
      createUserMessage('And?'),
    ];
    expect((await getPrompt(CLAUDE_MODEL, later, THINKING_REQUEST))[3]).toEqual([
      'assistant',
      ['Once more.', 'b', 'c'],
    ]);
  });

  it('sees its own calls unchanged if they follow its reasoning in the same turn', async () => {
    const more = [
      createUserMessage('Go.'),
      createOwnReply('a', THOUGHT_PART),
      ...createToolResults('a'),
      createOwnReply('b'),
      ...createToolResults('b'),
    ];
    expect((await getPrompt(CLAUDE_MODEL, more, THINKING_REQUEST))[3]).toEqual(['assistant', ['b']]);
    // This does not apply after text, which starts a new turn for the server.
    const behind = [...turn, createOwnReply('d'), ...createToolResults('d')];
    expect((await getPrompt(CLAUDE_MODEL, behind, THINKING_REQUEST)).at(-1)).toEqual([
      'user',
      [`${CALLS_NOTE}\n${formatCallLine('d')}`],
    ]);
  });

  it.each<[string, typeof CLAUDE_MODEL, ModelRequest['settings']]>([
    ['does not reason by default', CLAUDE_MODEL, {}],
    ['does not reason because of a setting', CLAUDE_MODEL, { reasoning: 'none' }],
    ['reasons without a budget', { ...CLAUDE_MODEL, modelId: 'claude-opus-4-6' }, { reasoning: 'high' }],
    ['signs its prefix', { ...CLAUDE_MODEL, modelId: 'claude-opus-5-5' }, { reasoning: 'high' }],
  ])('sees the calls of another model unchanged if it %s', async (_, model, settings) => {
    expect((await getPrompt(model, turn, { settings })).at(3)).toEqual([
      'assistant',
      ['Once more.', 'b', 'c'],
    ]);
  });

  it.each<[string, typeof CLAUDE_MODEL, ModelRequest['settings'], FromAiSdkOptions]>([
    ['by provider options', CLAUDE_MODEL, createEnabledOption('anthropic', 'thinking'), {}],
    [
      'as a model of Bedrock',
      { provider: 'amazon-bedrock', modelId: 'anthropic.claude-sonnet-4-5' },
      { reasoning: 'low' },
      {},
    ],
    [
      'as a model of Bedrock, by provider options',
      { provider: 'amazon-bedrock', modelId: 'anthropic.claude-sonnet-4-6' },
      createEnabledOption('bedrock', 'reasoningConfig'),
      {},
    ],
    ['under an alias', { ...CLAUDE_MODEL, modelId: 'ours' }, { reasoning: 'low' }, {}],
    ['by the option `wantsThoughts`', COMPATIBLE_MODEL, { reasoning: 'low' }, { wantsThoughts: 'budget' }],
  ])('is recognized %s', async (_, model, settings, options) => {
    expect((await getPrompt(model, turn, { settings, options })).at(-1)).toEqual([
      'user',
      [formatCallLine('c')],
    ]);
  });

  it('records the maker of each reply, so that other models are recognized', async () => {
    const { model } = createFakeModel([answerHi, answerHi], CLAUDE_MODEL);
    const { signal } = new AbortController();
    const asked = await fromAiSdk(model).ask({ messages: [createUserMessage('Go.')], tools: [] }, { signal });
    expect(asked).toMatchObject({ text: 'hi', provider: {} });
    const more = { role: 'assistant', text: 'Done.', toolCalls: [], provider: {} } as const;
    const { calls } = await ask(answerHi, {
      stream: true,
      ...CLAUDE_MODEL,
      request: { messages: [more, createUserMessage('And?')], tools: [] },
    });
    expect(calls[0]?.prompt[0]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] });
  });

  it('receives the reasoning of another Claude model of its provider, but not of other models', () => {
    const reads = fromAiSdk(createFakeModel([], CLAUDE_MODEL).model).readsThoughtsOf;
    const canReadThoughts = (provider: string, model: string) => reads?.({ provider, model });
    expect(canReadThoughts('anthropic.messages', 'claude-opus-4-5')).toBe(true);
    expect(canReadThoughts('anthropic.messages', 'kimi-k2')).toBe(false);
    expect(canReadThoughts('amazon-bedrock', 'anthropic.claude-opus-4-5')).toBe(false);
    expect(fromAiSdk(createFakeModel([], COMPATIBLE_MODEL).model).readsThoughtsOf).toBeUndefined();
  });
});

function createEnabledOption(provider: string, option: string): ModelRequest['settings'] {
  return { providerOptions: { [provider]: { [option]: { type: 'enabled', budgetTokens: 2_000 } } } };
}

describe('a chat completions server', () => {
  const turn = [createUserMessage('Go.'), createForeignReply('', 'a', 'b'), ...createToolResults('a', 'b')];
  const blank = ['assistant', [' ', 'a', 'b']];

  it.each<[string, typeof COMPATIBLE_MODEL, FromAiSdkOptions, readonly ModelMessage[]]>([
    ['whose model is Kimi', { ...COMPATIBLE_MODEL, modelId: 'kimi-k2.6' }, {}, []],
    ['with the option `wantsThoughts`', COMPATIBLE_MODEL, { wantsThoughts: 'field' }, []],
    [
      'that has sent reasoning',
      COMPATIBLE_MODEL,
      {},
      [createOwnReply('z', THOUGHT_PART), ...createToolResults('z')],
    ],
  ])('%s receives blank reasoning with the calls of another model', async (_, model, options, before) => {
    expect(await getPrompt(model, [...before, ...turn], { options })).toContainEqual(blank);
  });

  it('receives no reasoning if it has not sent any', async () => {
    expect(await getPrompt(COMPATIBLE_MODEL, turn)).toContainEqual(['assistant', ['a', 'b']]);
    const thinking = { ...COMPATIBLE_MODEL, modelId: 'kimi-k2.6' };
    expect(await getPrompt(thinking, turn, { options: { wantsThoughts: false } })).toContainEqual([
      'assistant',
      ['a', 'b'],
    ]);
  });

  it.each<[string, string, FromAiSdkOptions]>([
    ['whose model is Gemini', 'gemini-3-pro', {}],
    ['with the option `like` for Gemini', 'ours', { like: 'gemini-3-pro' }],
    ['with the option `wantsThoughts`', 'ours', { wantsThoughts: 'signature' }],
  ])(
    '%s receives the placeholder of Google with the first call of another model',
    async (_, modelId, options) => {
      const request = { messages: turn, tools: [] };
      const { calls } = await ask(answerHi, {
        stream: true,
        ...COMPATIBLE_MODEL,
        modelId,
        request,
        ...options,
      });
      const { content = [] } = calls[0]?.prompt.find(({ role }) => role === 'assistant') ?? {};
      expect(Array.isArray(content) && content.map(({ providerOptions }) => providerOptions)).toEqual([
        { google: { thoughtSignature: 'skip_thought_signature_validator' } },
        undefined,
      ]);
    },
  );
});

describe('a trait that the developer declares', () => {
  const getTraits = (provider: string, modelId: string, options: FromAiSdkOptions = {}) => {
    const { showToolsChanges, signPrefix, wantsThoughts, caches } = fromAiSdk(
      createFakeModel([], { provider, modelId }).model,
      options,
    );
    return { tells: !!showToolsChanges, signs: !!signPrefix, wantsThoughts, caches };
  };

  it('takes precedence over the name of the model', () => {
    const plain = { tells: false, signs: false, wantsThoughts: 'budget', caches: true };
    const newest = { tells: true, signs: true, wantsThoughts: undefined, caches: true };
    expect(getTraits('anthropic.messages', 'ours')).toEqual(plain);
    expect(getTraits('anthropic.messages', 'ours', { like: 'claude-opus-5-5' })).toEqual(newest);
    expect(getTraits('anthropic.messages', 'ours', { signsPrefix: true })).toMatchObject({
      tells: true,
      signs: true,
    });
    expect(getTraits('amazon-bedrock', 'arn:ours', { signsPrefix: true })).toMatchObject({
      tells: false,
      signs: true,
    });
    expect(getTraits('anthropic.messages', 'claude-opus-5-5', { signsPrefix: false })).toMatchObject({
      signs: false,
    });
    expect(getTraits('bedrock.anthropic.messages', 'arn:ours', { like: 'claude-opus-5-5' })).toEqual(newest);
  });

  it.each([
    ['anthropic.messages', 'ours', {}, true],
    ['azure.responses', 'our-deployment', {}, true],
    ['anthropic.messages', 'ours', { like: 'claude-opus-5-5' }, false],
    ['anthropic.messages', 'ours', { signsPrefix: false }, false],
    ['azure.responses', 'our-deployment', { like: 'gpt-5.4' }, false],
    ['azure.responses', 'gpt-5.4', {}, false],
    ['anthropic.messages', 'claude-opus-5-5', {}, false],
    ['openai.responses', 'something', {}, false],
  ])(
    'is requested once in the log for a model of %s named %s with %o: %s',
    async (provider, modelId, options, isMissed) => {
      const { model } = createFakeModel([answerHi, answerHi], { provider, modelId });
      const asked = fromAiSdk(model, options);
      const warn = vi.fn();
      for (let times = 0; times < 2; times += 1)
        await asked.ask(
          { messages: [createUserMessage('Go.')], tools: [] },
          { signal: new AbortController().signal, warn },
        );
      const words =
        `the name '${modelId}' does not identify a model of '${provider}', so the requirements of that model are not known. ` +
        "Name the model, as in fromAiSdk(model, { like: 'claude-opus-5-5' })";
      expect(warn.mock.calls).toEqual(isMissed ? [[words]] : []);
    },
  );

  it.each<[string, object, string]>([
    [
      'wantsThoughts',
      { wantsThoughts: 'all' },
      "'wantsThoughts' must be 'budget', 'field', 'signature' or false.",
    ],
    ['signsPrefix', { signsPrefix: 'yes' }, "'signsPrefix' must be true or false."],
    ['like', { like: '' }, "'like' must be the name of a model."],
  ])('throws if it is invalid: %s', (_, options, message) => {
    expect(() => fromAiSdk(createFakeModel([], CLAUDE_MODEL).model, options)).toThrow(new TypeError(message));
  });
});
