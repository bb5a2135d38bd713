import { describe, expect, it } from 'vitest';
import {
  defineTool,
  fallback,
  type HistoryMessage,
  type LoopTransformer,
  type ReplyPart,
} from '../../../../src/index.ts';
import { type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { memoryApp } from '../session/memory-app.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

/** A reply that thinks, writes and calls, with what its provider keeps beside each part. */
const thinking: readonly ReplyPart[] = [
  { type: 'reasoning', text: 'I should look.', provider: { maker: { signature: 'a'.repeat(64) } } },
  { type: 'text', text: 'One moment.', provider: { maker: { id: 'msg_1' } } },
  { type: 'tool-call', id: 'call_1', name: 'look', input: '{"x": 1}', provider: { maker: { id: 'fc_1' } } },
  { type: 'reasoning', text: '', provider: { maker: { redacted: 'b' } } },
  { type: 'tool-call', id: 'call_2', name: 'look', input: '{}' },
];

const kept = {
  role: 'assistant',
  text: 'One moment.',
  parts: thinking,
  provider: { maker: { whole: true } },
};

function app(replies: readonly ScriptedReply[], transformers: readonly LoopTransformer[] = []) {
  const one = memoryApp({ tools: [look], replies, modelOptions: { provider: 'maker' }, transformers });
  return { model: one.model, app: one };
}

describe('a reply of parts', () => {
  it('goes back to its model as it came, with its results behind it', async () => {
    const { model, app: one } = app([
      { parts: thinking, provider: { maker: { whole: true } } },
      'Seen.',
      'Again.',
    ]);
    await one.say('Go.');
    await one.say('And?');
    for (const request of model.requests.slice(1)) {
      expect(request.messages.slice(1, 4)).toEqual([
        {
          ...kept,
          toolCalls: [
            { id: 'call_1', name: 'look', input: '{"x": 1}' },
            { id: 'call_2', name: 'look', input: '{}' },
          ],
          madeBy: { provider: 'maker', model: 'scripted' },
        },
        { role: 'tool', id: 'call_1', name: 'look', text: 'seen' },
        { role: 'tool', id: 'call_2', name: 'look', text: 'seen' },
      ]);
    }
  });

  it('goes back whole through a transformer that copies the conversation', async () => {
    const copies = { name: 'copies', messages: (all: readonly HistoryMessage[]) => structuredClone(all) };
    const { model, app: one } = app(
      [{ parts: thinking, provider: { maker: { whole: true } } }, 'Seen.'],
      [copies],
    );
    await one.say('Go.');
    expect(model.requests[1]?.messages[1]).toMatchObject(kept);
  });

  it('is told in words when a transformer changes its parts', async () => {
    const forgets = (message: HistoryMessage): HistoryMessage =>
      message.role === 'user' ? message : { ...message, parts: message.parts?.slice(1) };
    const { model, app: one } = app(
      [{ parts: thinking }, 'Seen.'],
      [{ name: 'forgets', messages: (all) => all.map(forgets) }],
    );
    await one.say('Go.');
    expect(model.requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: 'One moment.', toolCalls: [] },
      {
        role: 'user',
        text:
          'You have called tools before this message, and they answered:\n' +
          '- look with the input {"x": 1} answered: seen\n- look with the input {} answered: seen',
      },
    ]);
  });
});

describe('a reply without words in which the provider ran a tool', () => {
  const searched: readonly ReplyPart[] = [
    { type: 'tool-call', id: 's', name: 'search', input: '{}', ranBy: 'provider' },
    { type: 'tool-result', id: 's', name: 'search', result: ['kelp'] },
  ];

  it('goes back with what it found when the model is asked to go on', async () => {
    const { model, app: one } = app([{ parts: searched }, 'Kelp.']);
    await one.say('Go.');
    expect(model.requests[1]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: '',
        toolCalls: [],
        parts: searched,
        madeBy: { provider: 'maker', model: 'scripted' },
      },
      { role: 'user', text: expect.stringContaining('Your previous turn produced no response.') },
    ]);
  });
});

describe('a file', () => {
  it('is named to a model that has not made it', async () => {
    const parts: readonly ReplyPart[] = [
      { type: 'file', mediaType: 'image/png', data: 'AA==' },
      { type: 'file', mediaType: 'image/webp', data: 'AA==', ofReasoning: true },
    ];
    const other = scriptedModel(['Nice.'], { name: 'other' });
    const madeBy = { provider: 'maker', model: 'painter' };
    await fallback([other, scriptedModel([])]).ask(
      { messages: [{ role: 'assistant', text: '', toolCalls: [], parts, madeBy }], tools: [] },
      { signal: new AbortController().signal },
    );
    expect(other.requests[0]?.messages).toEqual([
      { role: 'assistant', text: "(It made a file of the type 'image/png'.)", toolCalls: [] },
    ]);
  });
});
