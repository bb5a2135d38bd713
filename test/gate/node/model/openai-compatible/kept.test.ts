/** Tests reply data other than text and calls: it is read whole or streamed, and sent back unchanged. */
import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelReply } from '../../../../../src/model/entry.ts';
import {
  ask,
  createChoiceDelta,
  createCompletion,
  createStreamResponse,
  hello,
  toSseText,
} from './fake-server.ts';

const createWireCall = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{"x": 1}' },
  ...more,
});
const createLookCall = (id: string) => ({ type: 'tool-call' as const, id, name: 'look', input: '{"x": 1}' });
const createReasoningPart = (text: string, ...fields: string[]) => ({
  type: 'reasoning' as const,
  text,
  provider: { chatCompletions: { fields } },
});

/** Returns a reply and everything that was streamed. */
const askForReply = async (...answers: Parameters<typeof ask>) => {
  const outcome = await ask(...answers);
  if ('error' in outcome) throw outcome.error;
  return outcome;
};
const askForWholeReply = (message: object) =>
  askForReply(() => Response.json(createCompletion(message)), { stream: true });
const askForStreamedReply = (...deltas: readonly object[]) =>
  askForReply(
    () =>
      createStreamResponse(
        toSseText(
          ...deltas.map((fields) => createChoiceDelta(fields)),
          createChoiceDelta({}, 'stop'),
          '[DONE]',
        ),
      ),
    {
      stream: true,
    },
  );

/** Returns the message in which a reply is sent back. */
const sendBack = async (
  { text, toolCalls, parts, provider }: ModelReply,
  options: Parameters<typeof ask>[1] = {},
) => {
  const reply: ModelMessage = { role: 'assistant', text, toolCalls, parts, provider };
  const results = toolCalls.map(({ id, name }): ModelMessage => ({ role: 'tool', id, name, text: 'seen' }));
  const request = { messages: [...hello.messages, reply, ...results], tools: [] };
  const { requests } = await ask(() => Response.json(createCompletion({ content: 'hi' })), {
    ...options,
    request,
  });
  const { messages } = Object(requests[0]?.body);
  return messages[1];
};

describe('reasoning', () => {
  it.each(['reasoning_content', 'reasoning'])(
    'becomes a part, is streamed, and is sent back in the same field: %s',
    async (field) => {
      const expected = {
        text: 'One.',
        parts: [
          createReasoningPart('I should look.', field),
          { type: 'text', text: 'One.' },
          createLookCall('a'),
          createLookCall('b'),
        ],
        finish: 'tool-calls',
      };
      const tool_calls = [createWireCall('a'), createWireCall('b')];
      const one = await askForWholeReply({ content: 'One.', [field]: 'I should look.', tool_calls });
      expect(one.reply).toMatchObject(expected);
      expect([one.pieces, one.thoughts]).toEqual([['One.'], ['I should look.']]);
      const other = await askForStreamedReply(
        { role: 'assistant', content: null, [field]: '' },
        { content: null, [field]: 'I should' },
        { [field]: ' look.' },
        { content: 'One.', [field]: null },
        {
          tool_calls: [
            { ...createWireCall('a'), index: 0 },
            { ...createWireCall('b'), index: 1 },
          ],
        },
      );
      expect(other.reply).toEqual(one.reply);
      expect([other.pieces, other.thoughts]).toEqual([['One.'], ['I should', ' look.']]);
      expect(await sendBack(one.reply)).toEqual({
        role: 'assistant',
        content: 'One.',
        [field]: 'I should look.',
        tool_calls,
      });
    },
  );

  it('is sent back empty if it is empty', async () => {
    const message = { content: null, reasoning_content: '', tool_calls: [createWireCall('a')] };
    const { reply, thoughts } = await askForWholeReply(message);
    expect(reply.parts).toEqual([createReasoningPart('', 'reasoning_content'), createLookCall('a')]);
    expect(thoughts).toEqual([]);
    expect(await sendBack(reply)).toEqual({ role: 'assistant', ...message });
  });

  it('is streamed and stored once if it is in both fields, and is sent back in both', async () => {
    const message = { content: 'x', reasoning: 'Hm.', reasoning_content: 'Hm.' };
    for (const { reply, thoughts } of [await askForWholeReply(message), await askForStreamedReply(message)]) {
      expect(reply.parts?.[0]).toEqual(createReasoningPart('Hm.', 'reasoning_content', 'reasoning'));
      expect(thoughts).toEqual(['Hm.']);
      expect(await sendBack(reply)).toEqual({ role: 'assistant', ...message });
    }
    const { reply } = await askForWholeReply({ ...message, reasoning: 'Short.' });
    expect(await sendBack(reply)).toEqual({ role: 'assistant', ...message, reasoning: 'Short.' });
  });

  it.each([null, 7, { text: 'x' }, ['x']])('is ignored if it is %j', async (reasoning) => {
    const { reply } = await askForWholeReply({ content: 'x', reasoning });
    expect(reply).toEqual({ text: 'x', toolCalls: [], finish: 'stop', usage: undefined });
  });

  it('counts as output if the request has a listener', async () => {
    const streamCutReply = () => createStreamResponse(toSseText(createChoiceDelta({ reasoning: 'Hm.' })));
    const deaf = await ask(streamCutReply);
    expect([deaf.requests.length, Object(deaf).error.outputBegan]).toEqual([3, false]);
    const listening = await ask(streamCutReply, { stream: true });
    expect([listening.requests.length, Object(listening).error.outputBegan]).toEqual([1, true]);
  });

  it('is sent blank with the calls of another model to a server that requires it', async () => {
    const toolCalls = [{ id: 'a', name: 'look', input: '{}' }];
    const bare: ModelReply = { text: '', toolCalls, finish: 'tool-calls' };
    const wants = { wantsThoughts: 'field' } as const;
    expect(await sendBack(bare, wants)).toMatchObject({ content: null, reasoning_content: ' ' });
    // The URL has no effect.
    expect(await sendBack(bare, { baseURL: 'https://api.deepseek.com' })).not.toHaveProperty(
      'reasoning_content',
    );
    const words = await sendBack({ ...bare, text: 'x', toolCalls: [] }, wants);
    expect(words).toEqual({ role: 'assistant', content: 'x' });
  });
});

describe('reasoning_details', () => {
  const summary = {
    type: 'reasoning.summary',
    summary: '**Look** at it.',
    format: 'openai-responses-v1',
    index: 0,
  };
  const blob = {
    type: 'reasoning.encrypted',
    data: 'gAAAA',
    id: 'rs_1',
    format: 'openai-responses-v1',
    index: 0,
  };
  const signed = {
    type: 'reasoning.text',
    text: 'Then this.',
    signature: 'Eqo',
    format: 'anthropic',
    index: 1,
  };
  const details = [summary, blob, signed];
  const message = {
    content: null,
    reasoning: 'All of it.',
    reasoning_details: details,
    tool_calls: [createWireCall('a')],
  };

  it('are sent back unchanged and in order if the reply was not streamed', async () => {
    const twice = { ...message, reasoning_details: [...details, ...details] };
    const { reply } = await askForWholeReply(twice);
    expect(reply.provider).toEqual({ chatCompletions: { reasoning_details: twice.reasoning_details } });
    expect(JSON.stringify((await sendBack(reply)).reasoning_details)).toBe(
      JSON.stringify(twice.reasoning_details),
    );
  });

  it('are merged by type and index if the reply was streamed', async () => {
    const { reply, thoughts } = await askForStreamedReply(
      { reasoning: 'All', reasoning_details: [{ ...summary, summary: '**Look**' }] },
      { reasoning: ' of it.', reasoning_details: [{ ...summary, summary: ' at it.' }] },
      { reasoning_details: [blob] },
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'Then', signature: null, format: 'anthropic', index: 1 },
        ],
      },
      { reasoning_details: [{ type: 'reasoning.text', text: ' this.', index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 'Eqo', index: 1 }] },
      { tool_calls: [{ ...createWireCall('a'), index: 0 }] },
    );
    expect(await sendBack(reply)).toEqual({ role: 'assistant', ...message });
    expect(thoughts).toEqual(['All', ' of it.']);
  });

  it('keep encrypted entries separate, because each of them is complete', async () => {
    const reasoning_details = [blob, { ...blob, id: 'rs_2' }, { ...blob, data: 'gBBBB' }];
    const { reply } = await askForStreamedReply(
      ...reasoning_details.map((one) => ({ reasoning_details: [one] })),
    );
    expect((await sendBack(reply)).reasoning_details).toEqual(reasoning_details);
  });

  it('are streamed if the reply has no other reasoning', async () => {
    const { reply, thoughts } = await askForStreamedReply(
      { reasoning_details: [{ ...summary, summary: '**Look**' }] },
      { reasoning_details: [{ ...summary, summary: ' at it.' }, signed] },
      { content: 'x' },
    );
    expect(thoughts).toEqual(['**Look**', ' at it.', 'Then this.']);
    expect(reply.parts).toEqual([
      { type: 'reasoning', text: '**Look** at it.Then this.' },
      { type: 'text', text: 'x' },
    ]);
    expect((await askForWholeReply({ content: 'x', reasoning_details: [summary, signed] })).reply).toEqual(
      reply,
    );
  });

  it('are sent back empty if they are empty', async () => {
    for (const { reply } of [
      await askForWholeReply({ content: 'x', reasoning_details: [] }),
      await askForStreamedReply({ content: 'x', reasoning_details: [] }),
    ]) {
      expect(reply.parts).toBeUndefined();
      expect(await sendBack(reply)).toEqual({ role: 'assistant', content: 'x', reasoning_details: [] });
    }
  });
});

describe('extra_content', () => {
  const createGoogleExtra = (thought_signature: string) => ({ google: { thought_signature } });

  it('is sent back on the call and the message on which it arrived', async () => {
    const message = {
      content: 'Look.',
      extra_content: createGoogleExtra('m'),
      tool_calls: [createWireCall('a', { extra_content: createGoogleExtra('a') }), createWireCall('b')],
    };
    const one = await askForWholeReply(message);
    const other = await askForStreamedReply(
      { content: 'Lo' },
      { content: 'ok.', extra_content: createGoogleExtra('m') },
      { tool_calls: [{ ...message.tool_calls[0], index: 0 }] },
      { tool_calls: [{ ...message.tool_calls[1], index: 1 }] },
    );
    expect(other.reply).toEqual(one.reply);
    expect(one.reply.parts).toEqual([
      { type: 'text', text: 'Look.' },
      { ...createLookCall('a'), provider: { chatCompletions: { extra_content: createGoogleExtra('a') } } },
      createLookCall('b'),
    ]);
    expect(await sendBack(one.reply)).toEqual({ role: 'assistant', ...message });
  });
});

describe('content in a list of chunks', () => {
  const createThinkingChunk = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });

  it('is sent back in chunks if a chunk is not text', async () => {
    const reference = { type: 'reference', reference_ids: [1] };
    const content = [
      createThinkingChunk('Two and two.'),
      { type: 'text', text: 'It is 4' },
      reference,
      { type: 'text', text: '.' },
    ];
    const one = await askForWholeReply({ content });
    const other = await askForStreamedReply(
      { content: [createThinkingChunk('Two and')] },
      { content: [createThinkingChunk(' two.')] },
      { content: [{ type: 'text', text: 'It is' }] },
      { content: ' 4' },
      { content: [reference] },
      { content: '.' },
    );
    expect(other.reply).toEqual(one.reply);
    expect(one.reply.text).toBe('It is 4.');
    expect(one.reply.parts?.[0]).toEqual({ type: 'reasoning', text: 'Two and two.' });
    expect(other.thoughts).toEqual(['Two and', ' two.']);
    expect(await sendBack(one.reply)).toEqual({ role: 'assistant', content });
  });

  it('becomes one text if all chunks are text', async () => {
    const { reply } = await askForWholeReply({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    });
    expect(reply).toEqual({ text: 'ab', toolCalls: [], finish: 'stop', usage: undefined });
  });
});
