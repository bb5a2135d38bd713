/** Tests which requests the replay server accepts and which it refuses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChance } from './chance.ts';
import type { AssistantMessage, Message, Recording } from './recording.ts';
import { API_KEY, flipByte, type ReplayServer, startReplayServer } from './replay-server.ts';
import { splitBytes } from './stream-reply.ts';

const askingMessage: AssistantMessage = {
  role: 'assistant',
  content: 'Ich schaue nach … 🔎',
  tool_calls: [
    {
      id: 'call_1',
      type: 'function',
      function: { name: 'look_up', arguments: '{"order": "Zürich", "deep": {"b": 1, "a": [2]}}' },
    },
  ],
};
const recording: Recording = {
  system: 'Be brief.',
  conversations: [
    {
      id: '1',
      messages: [
        { role: 'user', content: 'Where is it?' },
        askingMessage,
        { role: 'tool', tool_call_id: 'call_1', name: 'look_up', content: '{"at": "Tromsø"}' },
        { role: 'assistant', content: 'In Tromsø.' },
      ],
    },
    {
      id: '2',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
      ],
    },
  ],
};

const system: Message = { role: 'system', content: 'Be brief.' };
const user: Message = { role: 'user', content: 'Where is it?' };
const output: Message = { role: 'tool', tool_call_id: 'call_1', content: '{"at": "Tromsø"}' };
const [recordedCall] = askingMessage.tool_calls ?? [];
const withCall = (change: object): unknown => ({
  ...askingMessage,
  tool_calls: [{ ...recordedCall, ...change }],
});

let server: ReplayServer;
beforeAll(async () => {
  server = await startReplayServer(recording);
});
afterAll(() => server.stop());

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify(body),
  });
const ask = (messages: readonly unknown[]): Promise<Response> =>
  post('/v1/chat/completions', { model: 'gpt-4o', messages, tools: [] });
const fetchOutput = (tool: string, input: unknown): Promise<Response> =>
  post('/tools', { conversation: '1', tool, input, idempotencyKey: 'key' });

describe('the replay server', () => {
  it('returns the next recorded reply for a recorded history', async () => {
    const response = await ask([system, user]);
    expect(await response.json()).toMatchObject({
      choices: [{ message: askingMessage, finish_reason: 'tool_calls' }],
    });
    const next = await ask([system, user, askingMessage, output]);
    expect(await next.json()).toMatchObject({
      choices: [{ message: { content: 'In Tromsø.' }, finish_reason: 'stop' }],
    });
  });

  it.each<[string, readonly unknown[]]>([
    ['another system message', [{ role: 'system', content: 'Be brief' }, user]],
    ['no system message', [user]],
    ['another text', [system, { role: 'user', content: 'Where is it? ' }]],
    [
      'another text next to the call',
      [system, user, { ...askingMessage, content: 'Ich schaue nach.' }, output],
    ],
    ['another call id', [system, user, withCall({ id: 'call_2' }), output]],
    [
      'another tool',
      [system, user, withCall({ function: { ...recordedCall?.function, name: 'look' } }), output],
    ],
    [
      'another argument',
      [system, user, withCall({ function: { ...recordedCall?.function, arguments: '{}' } }), output],
    ],
    ['another output', [system, user, askingMessage, { ...output, content: flipByte(output.content) }]],
    ['an output of another call', [system, user, askingMessage, { ...output, tool_call_id: 'call_2' }]],
    ['a missing message', [system, user, output]],
    [
      'an additional message',
      [system, user, askingMessage, output, { role: 'assistant', content: 'In Tromsø.' }],
    ],
    ['a history without the last tool result', [system, user, askingMessage]],
    ['nothing', []],
  ])('refuses %s', async (_, messages) => {
    const before = server.differences.length;
    expect((await ask(messages)).status).toBe(409);
    expect(server.differences).toHaveLength(before + 1);
  });

  it('returns the output only for the call that was just requested', async () => {
    await ask([system, user]);
    const response = await fetchOutput('look_up', { deep: { a: [2], b: 1 }, order: 'Zürich' });
    expect(await response.json()).toEqual({ output: '{"at": "Tromsø"}' });
    expect((await fetchOutput('look_up', { order: 'Zürich' })).status).toBe(409);
    expect((await fetchOutput('cancel', { order: 'Zürich', deep: { b: 1, a: [2] } })).status).toBe(409);
    await ask([system, user, askingMessage, output]);
    expect((await fetchOutput('look_up', { deep: { a: [2], b: 1 }, order: 'Zürich' })).status).toBe(409);
  });

  it('cuts a stream at any byte, even inside multi-byte characters', () => {
    const bytes = new TextEncoder().encode('data: Grüße, 世界! 🌊\n\n'.repeat(50));
    for (let seed = 0; seed < 20; seed += 1) {
      const pieces = splitBytes(bytes, createChance(seed));
      expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
      expect(pieces.some((piece) => /[^\uFFFD][ü世🌊]/u.test(new TextDecoder().decode(piece)))).toBe(false);
    }
  });
});
