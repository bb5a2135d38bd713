import { describe, expect, it } from 'vitest';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionId,
  getSessionName,
  post,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';

const ASYNC_HEADERS = { prefer: 'respond-async' };

describe('a message for the background', () => {
  it('returns 202 with the address of its turn, which ends in the background', async () => {
    const session = createSessionPath();
    const { message } = registerScript({ calls: [{ name: 'record', input: { note: 'bg' } }] }, 'Done.');
    const response = await post(session, { message: message() }, { headers: ASYNC_HEADERS });
    expect(response.status).toBe(202);
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    const accepted = await readJson(response);
    expect(response.headers.get('location')).toBe(`${session}/turns/${accepted.turn}`);
    expect(accepted).toEqual({
      turn: expect.stringMatching(/^[0-9a-f]{16}$/),
      session: getSessionId(session),
      agent: 'scripted',
      status: 'accepted',
    });
    const events = await followToEnd(session);
    expect(events.map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    expect((await readJson(await send(session))).turn).toMatchObject({ turn: accepted.turn, text: 'Done.' });
    const name = getSessionName(session);
    expect(handOvers.filter((one) => one.name === name)).toEqual([{ name, turn: accepted.turn }]);
  });

  it.each(['respond-async', 'RESPOND-ASYNC; x=1', 'wait=10, respond-async'])(
    'is requested by Prefer: %s, even with Accept: text/event-stream',
    async (prefer) => {
      const session = createSessionPath();
      const response = await post(
        session,
        { message: registerScript('Done.').message() },
        { headers: { ...SSE_HEADERS, prefer } },
      );
      expect(response.status).toBe(202);
      await followToEnd(session);
    },
  );

  it('is refused if it is not valid', async () => {
    const session = createSessionPath();
    const response = await post(session, { message: '' }, { headers: ASYNC_HEADERS });
    expect(response.status).toBe(422);
    expect((await send(session)).status).toBe(404);
  });
});
