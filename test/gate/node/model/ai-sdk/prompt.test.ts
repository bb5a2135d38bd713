import { describe, expect, it } from 'vitest';
import type { ModelMessage, ReplyPart } from '../../../../../src/model/entry.ts';
import { ask, createDelta, createFinish, createStreamedResult } from './fake-model.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);

/** Returns the prompt that a model receives for a reply with these parts. */
const getPrompt = async (
  parts: readonly ReplyPart[],
  more: {
    readonly provider?: string;
    readonly version?: string;
    readonly behind?: readonly ModelMessage[];
  } = {},
) => {
  const { provider, version, behind = [] } = more;
  const reply = { role: 'assistant', text: '', toolCalls: [], parts } as const;
  const request = { messages: [reply, ...behind], tools: [] };
  const { calls } = await ask(answerHi, { stream: true, provider, version, request });
  return calls[0]?.prompt;
};
const getSentContent = async (...given: Parameters<typeof getPrompt>) =>
  (await getPrompt(...given))?.[0]?.content;

const createProviderData = (id: string) => ({ maker: { id } });

describe('an earlier reply', () => {
  it('is sent back in order, with the metadata of each part', async () => {
    expect(
      await getSentContent([
        { type: 'reasoning', text: 'Hm.', provider: createProviderData('r') },
        { type: 'text', text: '', provider: createProviderData('e') },
        {
          type: 'tool-call',
          id: 's',
          name: 'search',
          input: '{"q":1}',
          ranBy: 'provider',
          provider: createProviderData('c'),
        },
        { type: 'tool-result', id: 's', name: 'search', result: [1], provider: createProviderData('s') },
        { type: 'tool-result', id: 's', name: 'search', result: 'no', isError: true },
        { type: 'source', id: '1', url: 'https://a.test', provider: createProviderData('o') },
        { type: 'custom', kind: 'maker.thing', provider: createProviderData('x') },
        {
          type: 'file',
          mediaType: 'image/png',
          data: 'aGk=',
          ofReasoning: true,
          provider: createProviderData('f'),
        },
        { type: 'file', mediaType: 'image/png', data: 'https://a.test/b.png' },
        { type: 'tool-call', id: 'a', name: 'look', input: '{"x": 1}', provider: createProviderData('l') },
      ]),
    ).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions: createProviderData('r') },
      { type: 'text', text: '', providerOptions: createProviderData('e') },
      {
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'search',
        input: { q: 1 },
        providerExecuted: true,
        providerOptions: createProviderData('c'),
      },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'search',
        output: { type: 'json', value: [1] },
        providerOptions: createProviderData('s'),
      },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'search',
        output: { type: 'error-json', value: 'no' },
      },
      { type: 'custom', kind: 'maker.thing', providerOptions: createProviderData('x') },
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        data: { type: 'data', data: 'aGk=' },
        providerOptions: createProviderData('f'),
      },
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'url', url: new URL('https://a.test/b.png'), originalUrl: 'https://a.test/b.png' },
      },
      {
        type: 'tool-call',
        toolCallId: 'a',
        toolName: 'look',
        input: { x: 1 },
        providerOptions: createProviderData('l'),
      },
    ]);
  });

  it('is sent back in the parts of the older specification', async () => {
    expect(
      await getSentContent(
        [
          { type: 'reasoning', text: 'Hm.', provider: createProviderData('r') },
          { type: 'custom', kind: 'maker.thing' },
          { type: 'file', mediaType: 'image/png', data: 'aGk=', ofReasoning: true },
          { type: 'file', mediaType: 'image/png', data: 'aGk=', provider: createProviderData('f') },
          { type: 'file', mediaType: 'image/png', data: 'https://a.test/b.png' },
          { type: 'tool-result', id: 's', name: 'search', result: [1] },
        ],
        { version: 'v3' },
      ),
    ).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions: createProviderData('r') },
      { type: 'file', mediaType: 'image/png', data: 'aGk=', providerOptions: createProviderData('f') },
      { type: 'file', mediaType: 'image/png', data: new URL('https://a.test/b.png') },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'json', value: [1] } },
    ]);
  });

  it('is sent back without text if its provider has stored metadata with it', async () => {
    const provider = { openrouter: { reasoning_details: [] } };
    const messages = [{ role: 'assistant', text: '', toolCalls: [], provider } as const];
    const { calls } = await ask(answerHi, { stream: true, request: { messages, tools: [] } });
    expect(calls[0]?.prompt).toEqual([{ role: 'assistant', content: [], providerOptions: provider }]);
  });
});

describe('the input of an earlier call', () => {
  const input = ' {"x": 1, "1": 2} ';
  const call: ReplyPart = { type: 'tool-call', id: 'a', name: 'look', input };
  const getSentInput = async (part: ReplyPart, provider: string) =>
    (await getSentContent([part], { provider }))?.[0];

  it.each(['openai.responses', 'openai.chat', 'azure.responses', 'groq.chat', 'mistral.chat'])(
    'is sent as the original text if %s passes it on unchanged',
    async (provider) => {
      expect(await getSentInput(call, provider)).toMatchObject({ input });
      // The server would refuse this text.
      expect(await getSentInput({ ...call, input: '{"x":' }, provider)).toMatchObject({ input: {} });
    },
  );

  it.each([
    'anthropic.messages',
    'deepseek.chat',
    'xai.responses',
    'openrouter',
    'workersai.chat',
    'own.chat',
  ])('is sent as an object if %s would encode text again', async (provider) => {
    expect(await getSentInput(call, provider)).toMatchObject({ input: { x: 1, 1: 2 } });
  });
});

describe('the container of code that the provider runs', () => {
  const provider = { anthropic: { container: { id: 'c1' } } };
  const reply: ModelMessage = {
    role: 'assistant',
    text: '',
    toolCalls: [{ id: 'a', name: 'look', input: '{}' }],
    provider,
  };
  const result: ModelMessage = { role: 'tool', id: 'a', name: 'look', text: 'seen' };

  it('is included when the reply that opened it continues, unless a setting specifies another container', async () => {
    const getSentOptions = async (messages: readonly ModelMessage[], settings = {}) =>
      (await ask(answerHi, { stream: true, request: { messages, tools: [], settings } })).calls[0]
        ?.providerOptions;
    expect(await getSentOptions([reply, result])).toEqual(provider);
    expect(await getSentOptions([reply, result, { role: 'user', text: 'And?' }])).toBeUndefined();
    const other = { anthropic: { container: { id: 'c2' } } };
    expect(await getSentOptions([reply, result], { providerOptions: other })).toEqual(other);
  });
});
