import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelMessage, ModelSettings, ToolDefinition } from '../../../../../src/model/entry.ts';
import { ask, createDelta, createFakeModel, createFinish, createStreamedResult } from './fake-model.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
const createToolDefinition = (name: string, description = name): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const ANTHROPIC_MODEL = { provider: 'anthropic.messages', modelId: 'claude-opus-5-5' };
const OPENAI_MODEL = { provider: 'openai.responses', modelId: 'gpt-5.5' };
const BEDROCK_MODEL = { provider: 'amazon-bedrock', modelId: 'us.anthropic.claude-opus-5-5-v1:0' };

describe('the support of an SDK model for changed tools', () => {
  it.each([
    ['anthropic.messages', 'claude-opus-5-5', true, true],
    ['anthropic.messages', 'claude-sonnet-5.5', true, true],
    ['vertex.anthropic.messages', 'claude-haiku-5-5@20261001', true, true],
    ['anthropic.messages', 'claude-fable-5-1', true, true],
    ['anthropic.messages', 'claude-opus-6', true, true],
    ['anthropic.messages', 'claude-opus-5', false, false],
    ['anthropic.messages', 'claude-opus-4-20250514', false, false],
    ['anthropic.messages', 'claude-3-5-sonnet-20241022', false, false],
    ['amazon-bedrock', 'us.anthropic.claude-opus-5-5-v1:0', false, true],
    ['openrouter', 'anthropic/claude-opus-5.5', false, true],
    ['openai.responses', 'gpt-5.4', true, false],
    ['openai.responses', 'gpt-6-mini', true, false],
    ['openai.responses', 'gpt-5.3', false, false],
    ['openai.responses', 'gpt-5-mini', false, false],
    ['openai.chat', 'gpt-5.5', false, false],
    ['google.generative-ai', 'gemini-3-pro', false, false],
  ])('depends on the provider %s and the model name %s', (provider, modelId, tells, signs) => {
    const { showToolsChanges, signPrefix } = fromAiSdk(createFakeModel([], { provider, modelId }).model);
    expect([showToolsChanges !== undefined, signPrefix !== undefined]).toEqual([tells, signs]);
  });
});

type ToolChanges = Pick<Extract<ModelMessage, { role: 'system' }>, 'toolsChange'>['toolsChange'];

async function collectSentTools(
  model: { readonly provider: string; readonly modelId: string },
  changes: readonly ToolChanges[],
  tools: readonly ToolDefinition[],
) {
  const told = changes.map((toolsChange): ModelMessage => ({ role: 'system', text: '', toolsChange }));
  const request = { messages: [{ role: 'user', text: 'Go.' } as const, ...told], tools };
  const { calls } = await ask(answerHi, { stream: true, ...model, request });
  const { prompt = [], tools: offered = [] } = calls[0] ?? {};
  return { names: offered.map(({ name }) => name), told: prompt.slice(1), first: offered[0] };
}

describe('added and removed tools', () => {
  it('are announced to Claude in messages, while the list of tools stays the same', async () => {
    const [facade, guide] = [
      createToolDefinition('files', 'Opens.'),
      createToolDefinition('files', 'Is open.'),
    ];
    const change = {
      came: [createToolDefinition('read'), guide],
      went: [facade, createToolDefinition('old')],
    };
    const { names, told, first } = await collectSentTools(
      ANTHROPIC_MODEL,
      [change],
      [guide, createToolDefinition('look'), createToolDefinition('read')],
    );
    expect(names).toEqual(['files', 'look', 'old']);
    expect(first).toMatchObject({ description: 'Opens.' });
    const createAddition = (name: string, description: string) => ({
      type: 'tool_addition',
      tool: { type: 'function', name, description, inputSchema: { type: 'object' } },
    });
    expect(told).toEqual([
      {
        role: 'system',
        content: '',
        providerOptions: {
          anthropic: {
            toolChanges: [
              { type: 'tool_removal', toolName: 'old' },
              createAddition('read', 'read'),
              createAddition('files', 'Is open.'),
            ],
          },
        },
      },
    ]);
  });

  it('are additional tools for OpenAI, which keeps the old description of a replaced tool', async () => {
    const [facade, guide] = [
      createToolDefinition('files', 'Opens.'),
      createToolDefinition('files', 'Is open.'),
    ];
    const change = { came: [createToolDefinition('read'), guide], went: [facade] };
    const { names, told } = await collectSentTools(
      OPENAI_MODEL,
      [change],
      [guide, createToolDefinition('read')],
    );
    expect(names).toEqual(['files']);
    const read = { type: 'function', name: 'read', description: 'read', parameters: { type: 'object' } };
    expect(told).toEqual([
      { role: 'system', content: '', providerOptions: { openai: { additionalTools: [read] } } },
    ]);
  });

  it('are sent as a new list to OpenAI if a tool was removed, and later changes are announced after that list', async () => {
    const changes = [
      { came: [createToolDefinition('a')], went: [] },
      { came: [], went: [createToolDefinition('gone')] },
      { came: [createToolDefinition('b')], went: [] },
    ];
    const { names, told } = await collectSentTools(OPENAI_MODEL, changes, [
      createToolDefinition('a'),
      createToolDefinition('b'),
    ]);
    expect(names).toEqual(['a']);
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain('"name":"b"');
  });

  it('only change the list of tools for other models', async () => {
    const change = { came: [createToolDefinition('a')], went: [] };
    const google = { provider: 'google.generative-ai', modelId: 'gemini-3-pro' };
    expect(
      await collectSentTools(google, [change], [createToolDefinition('x'), createToolDefinition('a')]),
    ).toMatchObject({
      names: ['x', 'a'],
      told: [],
    });
  });
});

const signedReply = {
  role: 'assistant',
  text: 'Hi.',
  toolCalls: [],
  parts: [
    { type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 's' } } },
    { type: 'text', text: 'Hi.' },
  ],
} as const satisfies ModelMessage;

async function sendAfter(
  model: { readonly provider: string; readonly modelId: string },
  reply: ModelMessage,
  settings?: ModelSettings,
) {
  const request = { messages: [reply], tools: [], ...(settings && { settings }) };
  const { calls } = await ask(answerHi, { stream: true, ...model, request });
  const { prompt = [], providerOptions } = calls[0] ?? {};
  const content = prompt[0]?.content ?? '';
  const kinds = typeof content === 'string' ? [] : content.map(({ type }) => type);
  return { kinds, thinking: providerOptions?.anthropic?.thinking };
}

const movedReply = { ...signedReply, movedPrefix: true } as const;
const createThinking = (thinking: { readonly type: string }): ModelSettings => ({
  providerOptions: { anthropic: { thinking } },
});
const dropBlock = { blockBinding: { prefixMismatchBehavior: 'drop_block' } };

describe('reasoning after messages that may have changed', () => {
  it('is sent unchanged if the messages have not changed', async () => {
    expect(await sendAfter(ANTHROPIC_MODEL, signedReply)).toEqual({
      kinds: ['reasoning', 'text'],
      thinking: undefined,
    });
  });

  it.each([
    ['by default', undefined, dropBlock],
    ['with adaptive thinking', createThinking({ type: 'adaptive' }), { type: 'adaptive', ...dropBlock }],
    [
      'with a reasoning effort',
      { reasoning: 'high' } as const,
      { type: 'adaptive', display: 'summarized', ...dropBlock },
    ],
  ])('is sent to Claude, which drops it, %s', async (_, settings, thinking) => {
    expect(await sendAfter(ANTHROPIC_MODEL, movedReply, settings)).toEqual({
      kinds: ['reasoning', 'text'],
      thinking,
    });
  });

  it('is omitted from the request in a thinking mode in which Claude cannot drop it', async () => {
    const settings = createThinking({ type: 'between_tools' });
    expect(await sendAfter(ANTHROPIC_MODEL, movedReply, settings)).toEqual({
      kinds: ['text'],
      thinking: { type: 'between_tools' },
    });
  });

  it('is omitted from the request if another provider serves Claude', async () => {
    expect(await sendAfter(BEDROCK_MODEL, movedReply)).toEqual({ kinds: ['text'], thinking: undefined });
  });
});
