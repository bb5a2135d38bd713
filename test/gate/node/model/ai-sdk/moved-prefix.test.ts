/** Tests the newest Claude models, which refuse reasoning whose preceding messages have changed. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest, ModelSettings } from '../../../../../src/model/entry.ts';
import { ask, createDelta, createFinish, createStreamedResult } from './fake-model.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
const thoughtPart = { type: 'reasoning', text: 'Hm.', provider: { anthropic: { signature: 's' } } } as const;
const textPart = { type: 'text', text: 'Yes.' } as const;

/** Returns the messages that Claude receives if those before a reply have changed. */
async function collectSentMessages(settings: ModelSettings) {
  const request: ModelRequest = {
    messages: [
      { role: 'user', text: 'Well?' },
      { role: 'assistant', text: 'Yes.', toolCalls: [], parts: [thoughtPart, textPart], movedPrefix: true },
      { role: 'user', text: 'And?' },
    ],
    tools: [],
    settings,
  };
  const claude = { provider: 'anthropic.messages', modelId: 'claude-opus-5-5' };
  const { calls } = await ask(answerHi, { stream: true, ...claude, request });
  const [{ prompt, reasoning, providerOptions } = { prompt: [] }] = calls;
  const content = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  return {
    parts: content.map(({ type }) => type),
    reasoning,
    thinking: providerOptions?.anthropic?.thinking,
  };
}

const dropBlock = { blockBinding: { prefixMismatchBehavior: 'drop_block' } };

describe('a reply whose preceding messages have changed', () => {
  it('keeps its reasoning, which the server drops, and the thinking mode of the model', async () => {
    expect(await collectSentMessages({})).toEqual({
      parts: ['reasoning', 'text'],
      reasoning: undefined,
      thinking: dropBlock,
    });
    expect(
      await collectSentMessages({ providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } }),
    ).toEqual({
      parts: ['reasoning', 'text'],
      reasoning: undefined,
      thinking: { type: 'adaptive', ...dropBlock },
    });
  });

  it('keeps the visible reasoning that the SDK requests with an effort', async () => {
    expect(await collectSentMessages({ reasoning: 'high' })).toEqual({
      parts: ['reasoning', 'text'],
      reasoning: 'high',
      thinking: { type: 'adaptive', display: 'summarized', ...dropBlock },
    });
  });

  it.each<ModelSettings>([
    { reasoning: 'none' },
    { providerOptions: { anthropic: { thinking: { type: 'disabled' } } } },
    { providerOptions: { anthropic: { thinking: { type: 'between_tools' } } } },
  ])('loses its reasoning with the settings %j, which stay unchanged', async (settings) => {
    expect(await collectSentMessages(settings)).toEqual({
      parts: ['text'],
      reasoning: settings.reasoning,
      thinking: settings.providerOptions ? expect.not.objectContaining(dropBlock) : undefined,
    });
  });
});
