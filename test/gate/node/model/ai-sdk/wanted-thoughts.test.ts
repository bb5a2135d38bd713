/**
 * Tests the requests to a model of the SDK if another model has made calls in the open turn, and the traits
 * that names of models imply.
 */
import { describe, expect, it, vi } from 'vitest';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage, ModelRequest, ReplyPart } from '../../../../../src/model/entry.ts';
import { ask, delta, fakeModel, finish, streamedResult } from './fake-model.ts';

const answerHi = () => streamedResult([delta('hi'), finish()]);
const CLAUDE = { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' };
const COMPATIBLE = { provider: 'someone.chat', modelId: 'some-model' };

const call = (id: string) => ({ id, name: 'look', input: '{"a":1}' });
const results = (...ids: readonly string[]): ModelMessage[] =>
  ids.map((id) => ({ role: 'tool', id, name: 'look', text: `seen ${id}` }));
const user = (text: string): ModelMessage => ({ role: 'user', text });
const foreignReply = (text: string, ...ids: readonly string[]): ModelMessage => ({
  role: 'assistant',
  text,
  toolCalls: ids.map(call),
});
const ownReply = (id: string, ...before: readonly ReplyPart[]): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: [call(id)],
  parts: [...before, { type: 'tool-call', ...call(id) }],
});
const THOUGHT: ReplyPart = { type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 's' } } };

async function promptOf(
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

const TOLD = 'You have called tools before this message, and they answered:';
const line = (id: string) => `- look with the input {"a":1} answered: seen ${id}`;
const THINKS = { settings: { reasoning: 'medium' } } as const;

describe('Claude with a thinking budget', () => {
  const turn = [
    user('Go.'),
    ownReply('a', THOUGHT),
    ...results('a'),
    foreignReply('Once more.', 'b', 'c'),
    ...results('b', 'c'),
  ];

  it('sees the calls of another model in the open turn, and their results, as text', async () => {
    expect(await promptOf(CLAUDE, turn, THINKS)).toEqual([
      ['user', ['Go.']],
      ['assistant', ['Hm.', 'a']],
      ['tool', ['a']],
      ['assistant', ['Once more.']],
      ['user', [`${TOLD}\n${line('b')}`]],
      ['user', [line('c')]],
    ]);
  });

  it('sees the calls of another model unchanged in a later turn', async () => {
    const later = [...turn, { role: 'assistant', text: 'Done.', toolCalls: [] } as const, user('And?')];
    expect((await promptOf(CLAUDE, later, THINKS))[3]).toEqual(['assistant', ['Once more.', 'b', 'c']]);
  });

  it('sees its own calls unchanged if they follow its reasoning in the same turn', async () => {
    const more = [user('Go.'), ownReply('a', THOUGHT), ...results('a'), ownReply('b'), ...results('b')];
    expect((await promptOf(CLAUDE, more, THINKS))[3]).toEqual(['assistant', ['b']]);
    // This does not apply after text, which starts a new turn for its server.
    const behind = [...turn, ownReply('d'), ...results('d')];
    expect((await promptOf(CLAUDE, behind, THINKS)).at(-1)).toEqual(['user', [`${TOLD}\n${line('d')}`]]);
  });

  it.each<[string, typeof CLAUDE, ModelRequest['settings']]>([
    ['does not reason by default', CLAUDE, {}],
    ['does not reason because of a setting', CLAUDE, { reasoning: 'none' }],
    ['reasons without a budget', { ...CLAUDE, modelId: 'claude-opus-4-6' }, { reasoning: 'high' }],
    ['signs its prefix', { ...CLAUDE, modelId: 'claude-opus-5-5' }, { reasoning: 'high' }],
  ])('sees the calls of another model unchanged if it %s', async (_, model, settings) => {
    expect((await promptOf(model, turn, { settings })).at(3)).toEqual([
      'assistant',
      ['Once more.', 'b', 'c'],
    ]);
  });

  it.each<[string, typeof CLAUDE, ModelRequest['settings'], FromAiSdkOptions]>([
    ['by provider options', CLAUDE, enableOption('anthropic', 'thinking'), {}],
    [
      'as a model of Bedrock',
      { provider: 'amazon-bedrock', modelId: 'anthropic.claude-sonnet-4-5' },
      { reasoning: 'low' },
      {},
    ],
    [
      'as a model of Bedrock, by provider options',
      { provider: 'amazon-bedrock', modelId: 'anthropic.claude-sonnet-4-6' },
      enableOption('bedrock', 'reasoningConfig'),
      {},
    ],
    ['under an alias', { ...CLAUDE, modelId: 'ours' }, { reasoning: 'low' }, {}],
    ['by the option `wantsThoughts`', COMPATIBLE, { reasoning: 'low' }, { wantsThoughts: 'budget' }],
  ])('is recognized %s', async (_, model, settings, options) => {
    expect((await promptOf(model, turn, { settings, options })).at(-1)).toEqual(['user', [line('c')]]);
  });

  it('records the maker of each reply, so that other models are recognized', async () => {
    const { model } = fakeModel([answerHi, answerHi], CLAUDE);
    const { signal } = new AbortController();
    const asked = await fromAiSdk(model).ask({ messages: [user('Go.')], tools: [] }, { signal });
    expect(asked).toMatchObject({ text: 'hi', provider: {} });
    const more = { role: 'assistant', text: 'Done.', toolCalls: [], provider: {} } as const;
    const { calls } = await ask(answerHi, {
      stream: true,
      ...CLAUDE,
      request: { messages: [more, user('And?')], tools: [] },
    });
    expect(calls[0]?.prompt[0]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] });
  });

  it('reads the reasoning of another Claude model of its provider, and of no other model', () => {
    const reads = fromAiSdk(fakeModel([], CLAUDE).model).readsThoughtsOf;
    const maker = (provider: string, model: string) => reads?.({ provider, model });
    expect(maker('anthropic.messages', 'claude-opus-4-5')).toBe(true);
    expect(maker('anthropic.messages', 'kimi-k2')).toBe(false);
    expect(maker('amazon-bedrock', 'anthropic.claude-opus-4-5')).toBe(false);
    expect(fromAiSdk(fakeModel([], COMPATIBLE).model).readsThoughtsOf).toBeUndefined();
  });
});

function enableOption(provider: string, option: string): ModelRequest['settings'] {
  return { providerOptions: { [provider]: { [option]: { type: 'enabled', budgetTokens: 2_000 } } } };
}

describe('a chat completions server', () => {
  const turn = [user('Go.'), foreignReply('', 'a', 'b'), ...results('a', 'b')];
  const blank = ['assistant', [' ', 'a', 'b']];

  it.each<[string, typeof COMPATIBLE, FromAiSdkOptions, readonly ModelMessage[]]>([
    ['whose model is Kimi', { ...COMPATIBLE, modelId: 'kimi-k2.6' }, {}, []],
    ['with the option `wantsThoughts`', COMPATIBLE, { wantsThoughts: 'field' }, []],
    ['that has sent reasoning', COMPATIBLE, {}, [ownReply('z', THOUGHT), ...results('z')]],
  ])('%s receives blank reasoning with the calls of another model', async (_, model, options, before) => {
    expect(await promptOf(model, [...before, ...turn], { options })).toContainEqual(blank);
  });

  it('receives no reasoning if it has sent none', async () => {
    expect(await promptOf(COMPATIBLE, turn)).toContainEqual(['assistant', ['a', 'b']]);
    const thinking = { ...COMPATIBLE, modelId: 'kimi-k2.6' };
    expect(await promptOf(thinking, turn, { options: { wantsThoughts: false } })).toContainEqual([
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
      const { calls } = await ask(answerHi, { stream: true, ...COMPATIBLE, modelId, request, ...options });
      const { content = [] } = calls[0]?.prompt.find(({ role }) => role === 'assistant') ?? {};
      expect(Array.isArray(content) && content.map(({ providerOptions }) => providerOptions)).toEqual([
        { google: { thoughtSignature: 'skip_thought_signature_validator' } },
        undefined,
      ]);
    },
  );
});

describe('a trait that the developer declares', () => {
  const traits = (provider: string, modelId: string, options: FromAiSdkOptions = {}) => {
    const { showToolsChanges, signPrefix, wantsThoughts, caches } = fromAiSdk(
      fakeModel([], { provider, modelId }).model,
      options,
    );
    return { tells: !!showToolsChanges, signs: !!signPrefix, wantsThoughts, caches };
  };

  it('takes precedence over the name of the model', () => {
    const plain = { tells: false, signs: false, wantsThoughts: 'budget', caches: true };
    const newest = { tells: true, signs: true, wantsThoughts: undefined, caches: true };
    expect(traits('anthropic.messages', 'ours')).toEqual(plain);
    expect(traits('anthropic.messages', 'ours', { like: 'claude-opus-5-5' })).toEqual(newest);
    expect(traits('anthropic.messages', 'ours', { signsPrefix: true })).toMatchObject({
      tells: true,
      signs: true,
    });
    expect(traits('amazon-bedrock', 'arn:ours', { signsPrefix: true })).toMatchObject({
      tells: false,
      signs: true,
    });
    expect(traits('anthropic.messages', 'claude-opus-5-5', { signsPrefix: false })).toMatchObject({
      signs: false,
    });
    expect(traits('bedrock.anthropic.messages', 'arn:ours', { like: 'claude-opus-5-5' })).toEqual(newest);
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
      const { model } = fakeModel([answerHi, answerHi], { provider, modelId });
      const asked = fromAiSdk(model, options);
      const warn = vi.fn();
      for (let times = 0; times < 2; times += 1)
        await asked.ask(
          { messages: [user('Go.')], tools: [] },
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
    expect(() => fromAiSdk(fakeModel([], CLAUDE).model, options)).toThrow(new TypeError(message));
  });
});
