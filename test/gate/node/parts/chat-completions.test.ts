/** Tests a loop with servers that refuse a changed copy of their own reply. */
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

const createCall = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{"x": 1}' },
  ...more,
});

/**
 * Returns a server that gives these replies in turn, streamed or whole. It refuses a request that does not
 * contain all earlier replies byte for byte.
 */
function createStrictServer(replies: readonly object[], form: 'stream' | 'json') {
  let asked = 0;
  const refusals: string[] = [];
  const fetch = async (_: string, { body }: RequestInit): Promise<Response> => {
    const { messages } = JSON.parse(String(body));
    const back = messages.filter(({ role }: { role: string }) => role === 'assistant');
    const expected = replies.slice(0, asked).map((reply) => ({ role: 'assistant', ...reply }));
    for (const [index, reply] of expected.entries()) {
      const fields = Object.entries(reply).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(back[index]?.[field]),
      );
      if (fields.length > 0) refusals.push(`request ${asked}, reply ${index}: ${JSON.stringify(fields)}`);
    }
    const message = replies[asked++] ?? { content: 'Done.' };
    const reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
    if (form === 'json') return Response.json({ choices: [{ message, finish_reason: reason }] });
    const events = [message, {}].map((delta, index) =>
      JSON.stringify({ choices: [{ delta, finish_reason: index === 1 ? reason : null }] }),
    );
    return new Response(events.map((event) => `data: ${event}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  return { fetch, refusals, asked: () => asked };
}

const details = [{ type: 'reasoning.encrypted', data: 'gAAAA', id: 'rs_1', format: 'x', index: 0 }];
const extra_content = { google: { thought_signature: 'c2ln' } };

const WIRES: readonly (readonly [string, object, object])[] = [
  ['reasoning_content', { reasoning_content: 'I look.' }, {}],
  ['an empty reasoning_content', { reasoning_content: '' }, {}],
  ['reasoning', { reasoning: 'I look.' }, {}],
  ['reasoning_details', { reasoning: null, reasoning_details: details }, {}],
  ['empty reasoning_details', { reasoning_details: [] }, {}],
  ['extra_content', { extra_content }, { extra_content }],
];

describe('a reply of a chat completions server', () => {
  it.each(WIRES.flatMap((wire) => [[...wire, 'stream'] as const, [...wire, 'json'] as const]))(
    'is sent back complete with %s (%#), in the same turn and in the next one',
    async (_, kept, ofCall, form) => {
      const given = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
      const createCallingMessage = (n: number) => ({
        content: null,
        ...given,
        tool_calls: [createCall(`a${n}`, ofCall), createCall(`b${n}`)],
      });
      const replies = [
        createCallingMessage(1),
        createCallingMessage(2),
        { content: 'One.', ...given },
        createCallingMessage(3),
        { content: 'Two.', ...given },
      ];
      const server = createStrictServer(replies, form);
      const model = openaiCompatible({ baseURL: 'https://model.test/v1', model: 'm', fetch: server.fetch });
      const agent = defineAgent({
        name: 'looker',
        description: 'Looks.',
        instructions: '',
        tools: [look],
        model,
      });
      const session = createTestSession(agent, { model });
      expect(await session.send('Look.')).toMatchObject({ text: 'One.' });
      expect(await session.send('Again.')).toMatchObject({ text: 'Two.' });
      expect([server.asked(), server.refusals]).toEqual([5, []]);
    },
  );
});
