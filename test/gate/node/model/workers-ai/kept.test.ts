/** Tests reasoning of models of Workers AI, which is read from either field and sent back in one. */
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import { completion, delta, hello, sseText, streamBody } from '../openai-compatible/fake-server.ts';
import { replyIn } from '../settle.ts';
import { ask } from './fake-binding.ts';

const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x": 1}' } };

const givenBack = async ({ text, toolCalls, parts, provider }: ModelReply) => {
  const reply = { role: 'assistant' as const, text, toolCalls, parts, provider };
  const request = { messages: [...hello.messages, reply], tools: [] };
  const { runs } = await ask(() => ({ response: 'hi' }), { request });
  return Object(runs[0]?.inputs.messages)[1];
};

describe('reasoning', () => {
  it.each(['reasoning', 'reasoning_content'])(
    'becomes a part, is streamed, and is sent back as `reasoning`, if it arrives in %s',
    async (field) => {
      const whole = await ask(() => completion({ content: null, [field]: 'Look.', tool_calls: [call] }), {
        stream: true,
      });
      const events = [
        delta({ content: '', [field]: 'Lo' }),
        delta({ [field]: 'ok.' }),
        delta({ tool_calls: [{ ...call, index: 0 }] }, 'tool_calls'),
      ];
      const streamed = await ask(() => streamBody([sseText(...events, '[DONE]')]), { stream: true });
      const reply = replyIn(whole);
      expect(reply.parts).toEqual([
        { type: 'reasoning', text: 'Look.', provider: { chatCompletions: { fields: [field] } } },
        { type: 'tool-call', id: 'a', name: 'look', input: '{"x": 1}' },
      ]);
      expect(replyIn(streamed)).toEqual(reply);
      expect([whole.thoughts, streamed.thoughts]).toEqual([['Look.'], ['Lo', 'ok.']]);
      expect(await givenBack(reply)).toEqual({
        role: 'assistant',
        content: '',
        reasoning: 'Look.',
        tool_calls: [call],
      });
    },
  );

  it('is also read from a reply in the native format', async () => {
    const reply = replyIn(await ask(() => ({ response: 'hi', reasoning_content: 'Look.' })));
    expect(await givenBack(reply)).toEqual({ role: 'assistant', content: 'hi', reasoning: 'Look.' });
  });

  it('is sent back empty if it is empty', async () => {
    const reply = replyIn(await ask(() => completion({ content: 'hi', reasoning_content: '' })));
    expect(await givenBack(reply)).toEqual({ role: 'assistant', content: 'hi', reasoning: '' });
  });
});
