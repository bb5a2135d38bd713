import { describe, expect, it } from 'vitest';
import { held, script } from '../fixtures/scripts.ts';
import { allEvents, json, newSession, post, SSE } from './client.ts';

describe('a message answered as JSON', () => {
  it('gets the turn in full after two iterations', async () => {
    const session = newSession();
    const { message } = script({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    const response = await post(session, { message: message() });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-location')).toBe(session);
    const turn = expect.stringMatching(/^[0-9a-f]{16}$/);
    const answer = await json(response);
    expect(answer).toEqual({
      turn,
      loopId: answer.turn,
      session: session.split('/').at(-1),
      agent: 'scripted',
      outcome: 'completed',
      text: 'Three.',
      artifacts: [],
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
  });
  it('x', async () => {
    const session = newSession();
    const { message } = script({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    console.log(JSON.stringify(await allEvents(await post(session, { message: message() }, { headers: SSE })), null, 1));
  });
  it('abort', async () => {
    const session = newSession();
    const model = held('x');
    const { message } = script(model.reply, 'Three.');
    const c = new AbortController();
    const p = post(session, { message: message() }, { signal: c.signal });
    const s = await model.asked;
    console.log('asked', s.aborted);
    c.abort();
    await p.catch((e) => console.log('ERR', String(e)));
    await new Promise((r) => setTimeout(r, 1000));
    console.log('after', s.aborted);
  });
});
