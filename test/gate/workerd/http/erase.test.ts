import { describe, expect, it } from 'vitest';
import { retain } from '../../../../src/modules/app/entry.ts';
import { recordings, scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  getSessionId,
  post,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
} from './client.ts';
import { advanceClock, createManualSession, deliverToHolders } from './time.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const erase = (session: string, via = send): Promise<Response> => via(session, { method: 'DELETE' });

describe('DELETE of a session', () => {
  it('returns 204 without a body, even for an unknown session, and then GET returns 404', async () => {
    const session = createSessionPath();
    await (await post(session, { message: registerScript('Hello.').message() })).text();
    for (let i = 0; i < 2; i += 1) {
      const erased = await erase(session);
      expect([erased.status, await erased.text()]).toEqual([204, '']);
    }
    const gone = await send(session);
    expect(await readJson(gone)).toEqual(
      createProblem(
        'unknown-session',
        404,
        `There is no session '${getSessionId(session)}'. POST ${session}/messages starts it.`,
      ),
    );
    expect((await send(`${session}/events`)).status).toBe(404);
    expect((await send(`${session}/cancel`, { method: 'POST' })).status).toBe(404);
  });

  it.each([
    [
      '/agents/nobody/sessions/s1',
      404,
      'unknown-agent',
      "There is no agent 'nobody'. GET /agents lists the agents.",
    ],
    [
      '/agents/scripted/sessions/%20',
      400,
      'invalid-session-id',
      'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
    ],
  ])('refuses an invalid session name: %s', async (path, status, type, detail) => {
    const refused = await erase(path);
    expect(await readJson(refused)).toEqual(createProblem(type, status, detail));
  });

  it('erases a session whose agent is no longer deployed', async () => {
    const session = createSessionPath('scripted');
    await (await post(session, { message: registerScript('Hello.').message() })).text();
    const without = createTestApp({ agents: [{ ...scripted, name: 'other' }] });
    expect((await erase(session, without)).status).toBe(204);
    expect((await send(session)).status).toBe(404);
    expect((await erase(session, without)).status).toBe(404);
  });

  it('returns 204 for a session without a deployed agent, even if the first call to its object was lost', async () => {
    const session = createSessionPath('scripted');
    await (await post(session, { message: registerScript('Hello.').message() })).text();
    let words = 0;
    const SESSIONS = wrapObjects((stub) => ({
      erase: async () => {
        const existed = await stub.erase();
        words += 1;
        if (words === 1) throw new Error('internal error; reference = abc123');
        return existed;
      },
    }));
    const without = createTestApp({ agents: [{ ...scripted, name: 'other' }] }, { SESSIONS });
    expect([(await erase(session, without)).status, words]).toEqual([204, 2]);
    expect((await send(session)).status).toBe(404);
  });

  it('does not erase another owner’s session with the same name', async () => {
    const ofB = createTestApp({ auth: () => ({ id: 'b' }) });
    const session = createSessionPath();
    await (await post(session, { message: registerScript('For a.').message() })).text();
    await (await post(session, { message: registerScript('For b.').message() }, { via: ofB })).text();
    expect((await erase(session, ofB)).status).toBe(204);
    expect((await ofB(session)).status).toBe(404);
    expect((await send(session)).status).toBe(200);
    expect((await erase(session, createTestApp({ auth: () => null }))).status).toBe(401);
    expect((await send(session)).status).toBe(200);
  });
});

describe('a session that is erased while it is in use', () => {
  it('ends a client’s wait for its answer, and stores no more of the turn', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Never.');
    const answering = post(session, { message: registerScript(reply.reply).message() });
    await reply.asked();
    expect((await erase(session)).status).toBe(204);
    deliverToHolders();
    const answered = await answering;
    expect(await readJson(answered)).toEqual(
      createProblem('session-erased', 410, 'The session was erased, and the turn with it.'),
    );
    expect(reply.aborted()).toBe(true);
    expect((await send(session)).status).toBe(404);
  });

  it('ends the stream of a turn and the stream of a follower', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Never.');
    const streaming = await post(
      session,
      { message: registerScript(reply.reply).message() },
      { headers: SSE_HEADERS },
    );
    await reply.asked();
    const following = await send(`${session}/events`, { headers: SSE_HEADERS });
    const followed = readSentEvents(following);
    await readUntil(followed, 'turn-started');
    await erase(session);
    deliverToHolders();
    expect(await readUntil(followed)).toEqual([{ event: 'erased', data: {} }]);
    const last = (await readUntil(readSentEvents(streaming))).at(-1);
    expect(last).toEqual({ event: 'erased', data: { turn: expect.any(String) } });
  });

  it('notifies a follower even if another session with its name begins immediately', async () => {
    const session = createManualSession();
    await (await post(session, { message: registerScript('Hello.').message() })).text();
    const followed = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    await readUntil(followed, 'turn-ended');
    await erase(session);
    await (await post(session, { message: registerScript('Anew.').message() })).text();
    // The follower's stream can end before the other session exists, or continue with its events.
    expect((await followed.next()).value).toEqual({ event: 'erased', data: {} });
    await followed.return(undefined);
  });

  it('stops a turn before its next call, and completed calls are not undone', async () => {
    const session = createManualSession();
    const note = crypto.randomUUID();
    const second = createHeldReply({ calls: [{ name: 'record', input: { note: `${note} again` } }] });
    const { message } = registerScript({ calls: [{ name: 'record', input: { note } }] }, second.reply);
    const answering = post(session, { message: message() });
    await second.asked();
    await erase(session);
    second.release();
    expect((await answering).status).toBe(410);
    expect(recordings.filter((one) => one.note.startsWith(note))).toHaveLength(1);
  });

  it('refuses an answer for a call that waited', async () => {
    const scene = await startWaitingTurn(['pay']);
    const link = getOnlyLink(scene);
    await erase(scene.session);
    const late = await answer(link, { decision: 'approve' });
    expect(late.status).toBe(404);
    expect((await readJson(late)).type).toBe('urn:holdfast:problem:unknown-session');
    expect((await send(scene.session)).status).toBe(404);
  });

  it('accepts the message that recreates it under other keys', async () => {
    const session = createSessionPath();
    const note = crypto.randomUUID();
    const replies = [{ calls: [{ name: 'record', input: { note } }] }, 'Recorded.'] as const;
    for (let i = 0; i < 2; i += 1) {
      const { message } = registerScript(...replies);
      const answered = await post(
        session,
        { message: message() },
        { headers: { 'idempotency-key': 'same' } },
      );
      expect(answered.status).toBe(200);
      await erase(session);
    }
    const keys = recordings.filter((one) => one.note === note).map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('retention', () => {
  it('erases a session without activity after the period of the app or its agent', async () => {
    const briefly = retain({ days: 1 });
    const forever = retain('forever');
    const byApp = createTestApp({ use: [briefly] });
    const byAgent = createTestApp({ agents: [{ ...scripted, uses: [briefly] }], use: [forever] });
    const notByAgent = createTestApp({ agents: [{ ...scripted, uses: [forever] }], use: [briefly] });
    const runTalk = async (via: typeof send): Promise<string> => {
      const session = createSessionPath();
      await (await post(session, { message: registerScript('Hello.').message() }, { via })).text();
      expect((await send(session)).status).toBe(200);
      return session;
    };
    const [one, other, kept] = [await runTalk(byApp), await runTalk(byAgent), await runTalk(notByAgent)];
    for (const session of [one, other, kept]) await advanceClock(session, 24 * 3_600_000);
    const statuses = [one, other, kept].map(async (session) => (await send(session)).status);
    expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
  });

  it.each([
    [{ days: 0 }, '{"days":0}'],
    [{ days: -1 }, '{"days":-1}'],
    [{ days: '1' }, '{"days":"1"}'],
    [{ ms: 1 }, '{"ms":1}'],
    [null, 'null'],
    [{ days: 40_000 }, '{"days":40000}'],
    [{}, '{}'],
    ['soon', '"soon"'],
  ])('refuses a retention that is not a duration: %j', (retention, said) => {
    expect(() => retain(retention as never)).toThrow(
      `The retention is ${said}. Use 'forever', or { days }, { fileDays } or both, with more than 0 and at most 36525.`,
    );
  });
});
