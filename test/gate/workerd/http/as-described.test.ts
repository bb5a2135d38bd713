/** Tests the check for undescribed responses that all route tests use. */
import { describe, expect, it } from 'vitest';
import { checkResponses } from './as-described.ts';
import { readAllEvents } from './client.ts';

const SESSION = '/agents/scripted/sessions/s1';
const sendAnswer = (body: unknown, status = 200, type = 'application/json') =>
  checkResponses(
    async () => new Response(JSON.stringify(body), { status, headers: { 'content-type': type } }),
  );

const usage = { inputTokens: 1, outputTokens: 1 };
const answer = {
  ...{ turn: 't', loopId: 't', session: 's1', agent: 'scripted', outcome: 'completed', text: 'Done.' },
  ...{ artifacts: [], usage, iterations: 1, toolCalls: 0, model: 'scripted' },
};
const createProblem = (type: string) => ({
  ...{ type: `urn:holdfast:problem:${type}`, title: type, status: 404, detail: 'Look elsewhere.' },
});

describe('a response', () => {
  it('is passed through if it matches its description', async () => {
    const response = await sendAnswer(answer)(`${SESSION}/messages`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([200, answer]);
  });

  it.each<[string, unknown, number, string, string]>([
    ['an undescribed property', { ...answer, news: 1 }, 200, 'application/json', '"news" does not match'],
    ['a missing property', { ...answer, text: undefined }, 200, 'application/json', 'property "text"'],
    ['an undescribed value', { ...answer, outcome: 'done' }, 200, 'application/json', '#/outcome'],
    ['an undescribed status', answer, 418, 'application/json', 'it has no such status'],
    ['an undescribed media type', answer, 200, 'text/plain', 'it has no such content'],
    [
      'an undescribed problem',
      createProblem('unknown-file'),
      404,
      'application/problem+json',
      'unknown-file is not among',
    ],
    ['an unknown problem', createProblem('lost'), 404, 'application/problem+json', '#/type'],
  ])('with %s fails', async (_, body, status, type, told) => {
    const asked = sendAnswer(body, status, type)(`${SESSION}/messages`, { method: 'POST' });
    await expect(asked).rejects.toThrow(told);
  });

  it('with an event of an unknown type fails', async () => {
    const event = { seq: 1, at: 1, type: 'turn-wished', turn: 't' };
    const asked = sendAnswer({ events: [event], head: 1, next: null })(`${SESSION}/events`);
    await expect(asked).rejects.toThrow('#/events');
  });
});

describe('an event in a stream', () => {
  const checkStreamEvent = (event: string, data: object, id?: number) =>
    checkResponses(async () => {
      const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    })(`${SESSION}/messages`, { method: 'POST' });
  const ended = { seq: 9, at: 1, type: 'turn-ended', turn: 't', outcome: 'completed' };

  it('is passed through unchanged if it matches its description', async () => {
    expect(await readAllEvents(await checkStreamEvent('turn-ended', ended, 9))).toMatchObject([
      { id: 9, data: ended },
    ]);
    expect(await (await checkStreamEvent('text-delta', { reply: 'r', text: 'Do' })).text()).toContain('Do');
  });

  it.each<[string, string, object, number?]>([
    ['of the journal with an undescribed property', 'turn-ended', { ...ended, news: 1 }, 9],
    ['of the journal without its sequence number', 'turn-ended', ended],
    ['of an unknown type', 'whispered', { text: 'Do' }],
    ['with a missing property', 'text-delta', { text: 'Do' }],
  ])('%s fails for every reader of the stream', async (_, event, data, id) => {
    await expect(checkStreamEvent(event, data, id).then(readAllEvents)).rejects.toThrow(
      'does not match its description',
    );
    await expect(checkStreamEvent(event, data, id).then((one) => one.text())).rejects.toThrow(event);
  });
});
