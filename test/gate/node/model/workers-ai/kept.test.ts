/** Tests reasoning of Workers AI models, which is read from either field and sent back in one. */
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import {
  createBodyStream,
  createChoiceDelta,
  createCompletion,
  hello,
  toSseText,
} from '../openai-compatible/fake-server.ts';
import { getReply } from '../settle.ts';
import { ask } from './fake-binding.ts';

const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x": 1}' } };

const sendBack = async ({ text, toolCalls, parts, provider }: ModelReply) => {
  const reply = { role: 'assistant' as const, text, toolCalls, parts, provider };
  const request = { messages: [...hello.messages, reply], tools: [] };
  const { runs } = await ask(() => ({ response: 'hi' }), { request });
  return Object(runs[0]?.inputs.messages)[1];
};

describe('reasoning', () => {
  it.each(['reasoning', 'reasoning_content'])(
    'is stored as a part, streamed and sent back as `reasoning` if it arrives in %s',
    async (field) => {
      const whole = await ask(
        () => createCompletion({ content: null, [field]: 'Look.', tool_calls: [call] }),
        {
          stream: true,
        },
      );
      const events = [
        createChoiceDelta({ content: '', [field]: 'Lo' }),
        createChoiceDelta({ [field]: 'ok.' }),
        createChoiceDelta({ tool_calls: [{ ...call, index: 0 }] }, 'tool_calls'),
      ];
      const streamed = await ask(() => createBodyStream([toSseText(...events, '[DONE]')]), { stream: true });
      const reply = getReply(whole);
      expect(reply.parts).toEqual([
        { type: 'reasoning', text: 'Look.', provider: { chatCompletions: { fields: [field] } } },
        { type: 'tool-call', id: 'a', name: 'look', input: '{"x": 1}' },
      ]);
      expect(getReply(streamed)).toEqual(reply);
      expect([whole.thoughts, streamed.thoughts]).toEqual([['Look.'], ['Lo', 'ok.']]);
      expect(await sendBack(reply)).toEqual({
        role: 'assistant',
        content: '',
        reasoning: 'Look.',
        tool_calls: [call],
      });
    },
  );

  it('is also read from a reply in the native format', async () => {
    const reply = getReply(await ask(() => ({ response: 'hi', reasoning_content: 'Look.' })));
    expect(await sendBack(reply)).toEqual({ role: 'assistant', content: 'hi', reasoning: 'Look.' });
  });

  it('is sent back empty if it is empty', async () => {
    const reply = getReply(await ask(() => createCompletion({ content: 'hi', reasoning_content: '' })));
    expect(await sendBack(reply)).toEqual({ role: 'assistant', content: 'hi', reasoning: '' });
  });
});
