/** Replies of parts over HTTP: in the stream, in the journal and in the session. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import { type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { playModel } from '../../../fixtures/scripts.ts';
import { callTool, createEndpointApp, getTexts, getView } from '../mcp/server/talk.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionName,
  post,
  readAllEvents,
  readJournal,
  readJson,
  type SentEvent,
  SSE_HEADERS,
  send,
} from './client.ts';

const THOUGHT = 'I should record it.';

const thinkingParts: readonly ReplyPart[] = [
  { type: 'reasoning', text: THOUGHT, provider: { maker: { signature: 'sss' } } },
  { type: 'text', text: 'One moment.' },
  {
    type: 'tool-call',
    id: 'c1',
    name: 'record',
    input: '{"note":"of parts"}',
    provider: { maker: { id: 'fc' } },
  },
];
const doneParts: readonly ReplyPart[] = [
  { type: 'reasoning', text: 'Done it is.', provider: { maker: { signature: 'ttt' } } },
  { type: 'text', text: 'Done.' },
];

/** A script of a provider's model. `message` contains its key. */
function createScript(...replies: readonly ScriptedReply[]) {
  const { key, model } = playModel(scriptedModel(replies));
  return { model, message: `Go. #${key}` };
}

const pickData = (events: readonly SentEvent[], ...names: string[]) =>
  events.filter(({ event }) => names.includes(event)).map(({ event, data }) => ({ event, ...data }));

/** Returns the reply as every reader receives it: text and calls in addition to the parts. */
const createShownReply = (turn: unknown) => {
  const call = { id: `${turn}.3.0`, providerId: 'c1', name: 'record', input: '{"note":"of parts"}' };
  const [reasoning, text] = thinkingParts;
  return {
    text: 'One moment.',
    toolCalls: [call],
    parts: [reasoning, text, { type: 'tool-call', ...call, provider: { maker: { id: 'fc' } } }],
  };
};

describe('a reply of parts', () => {
  it('streams reasoning and text as separate events', async () => {
    const { message } = createScript({ parts: thinkingParts }, { parts: doneParts });
    const session = createSessionPath();
    const events = await readAllEvents(await post(session, { message }, { headers: SSE_HEADERS }));
    const deltas = pickData(events, 'reasoning-delta', 'text-delta');
    const text = deltas.filter(({ event }) => event === 'text-delta').map((one) => Object(one).text);
    expect(deltas.filter(({ event }) => event === 'reasoning-delta')).toEqual([
      { event: 'reasoning-delta', reply: '1.1', text: THOUGHT },
      { event: 'reasoning-delta', reply: '2.1', text: 'Done it is.' },
    ]);
    expect(text.join('')).toBe('One moment.Done.');
    expect(deltas[0]?.event).toBe('reasoning-delta');
    expect(events.filter(({ event }) => event.endsWith('-delta')).every(({ id }) => id === undefined)).toBe(
      true,
    );
    const [answer] = pickData(events, 'answer');
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(JSON.stringify(answer)).not.toContain('Done it is.');
  });

  it('has text and calls in addition to its parts on every read, but is stored as parts only', async () => {
    const { message } = createScript({ parts: thinkingParts }, { parts: doneParts });
    const session = createSessionPath();
    const events = await readAllEvents(await post(session, { message }, { headers: SSE_HEADERS }));
    const [streamed] = pickData(events, 'model-replied');
    const shown = createShownReply(Object(streamed).turn);
    expect(streamed).toMatchObject(shown);
    expect((await readJournal(session)).find(({ type }) => type === 'model-replied')).toMatchObject(shown);
    const { messages } = await readJson(await send(session));
    expect(Object(messages)[1]).toEqual({
      role: 'assistant',
      text: 'One moment.',
      toolCalls: [
        {
          id: shown.toolCalls[0]?.id,
          name: 'record',
          input: '{"note":"of parts"}',
          status: 'ended',
          result: 'Recorded.',
        },
      ],
      parts: shown.parts,
    });
    const page = await env.SESSIONS.getByName(getSessionName(session)).read({ from: 1 });
    const bodies =
      page?.rows.flatMap(({ type, body }) => (type === 'model-replied' ? [JSON.parse(body)] : [])) ?? [];
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expect(body).toHaveProperty('parts');
      expect(body).not.toHaveProperty('text');
      expect(body).not.toHaveProperty('toolCalls');
    }
  });

  it('is streamed from the journal with text and calls in addition to its parts', async () => {
    const { message } = createScript({ parts: thinkingParts }, { parts: doneParts });
    const session = createSessionPath();
    await post(session, { message }, { headers: { prefer: 'respond-async' } });
    const [, , reply] = await followToEnd(session);
    expect(reply).toMatchObject(createShownReply(Object(reply).turn));
  });

  it('is streamed again after an interruption, and clients are notified', async () => {
    let asked = 0;
    const whole = scriptedModel([{ parts: doneParts }]);
    const { key } = playModel({
      ...whole,
      ask(request, options) {
        asked += 1;
        if (asked > 1) return whole.ask(request, options);
        options.onReasoning?.('I sho');
        throw new ModelError('truncated', 'The reply broke off.', { outputBegan: true });
      },
    });
    const response = await post(createSessionPath(), { message: `Go. #${key}` }, { headers: SSE_HEADERS });
    const events = pickData(await readAllEvents(response), 'reasoning-delta', 'reply-restarted', 'answer');
    expect(events.slice(0, 3)).toEqual([
      { event: 'reasoning-delta', reply: '1.1', text: 'I sho' },
      { event: 'reply-restarted', reply: '1.2' },
      { event: 'reasoning-delta', reply: '1.2', text: 'Done it is.' },
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('is returned whole to its model, at any length, if the journal is read again', async () => {
    const long: readonly ReplyPart[] = [
      { type: 'reasoning', text: '', provider: { maker: { encrypted: 'é'.repeat(1_000_000) } } },
      { type: 'file', mediaType: 'image/png', data: 'A'.repeat(3_000_000) },
      { type: 'text', text: 'Drawn.' },
    ];
    const { message, model } = createScript({ parts: long }, 'Yes.');
    const session = createSessionPath();
    expect(await readJson(await post(session, { message }))).toMatchObject({ text: 'Drawn.' });
    expect(await readJson(await post(session, { message: 'Yes?' }))).toMatchObject({ text: 'Yes.' });
    const [, reply] = model.requests[1]?.messages.filter(({ role }) => role !== 'system') ?? [];
    expect(reply?.role === 'assistant' && JSON.stringify(reply.parts) === JSON.stringify(long)).toBe(true);
  });

  it('returns only its text to an MCP client', async () => {
    const { message } = createScript({ parts: thinkingParts }, { parts: doneParts });
    const answer = await callTool(createEndpointApp({ agents: ['scripted'] }), 'scripted', { message });
    expect(getTexts(answer)[0]).toBe('Done.');
    expect(getView(answer)).toMatchObject({ text: 'Done.' });
    expect(JSON.stringify(answer)).not.toMatch(/Done it is|sss|ttt/);
  });
});
