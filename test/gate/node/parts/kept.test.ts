import { describe, expect, it } from 'vitest';
import { defineTool, type LoopTransformer, type ReplyPart } from '../../../../src/index.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
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
});
