/** The address of one turn. */
import { describe, expect, it } from 'vitest';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createSessionPath, getSessionId, post, readJson, send } from './client.ts';
import { createManualSession } from './time.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const ASYNC_HEADERS = { prefer: 'respond-async' };
const getTurnPath = (session: string, turn: unknown): string => `${session}/turns/${turn}`;

describe('GET .../turns/{turn}', () => {
  it('returns the message’s response, even after later turns', async () => {
    const session = createSessionPath();
    const { message } = registerScript(
      { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      'Three.',
      'Next.',
    );
    const first = await readJson(await post(session, { message: message() }));
    await post(session, { message: 'Next' });
    const response = await send(getTurnPath(session, first.turn));
    expect([response.status, response.headers.get('content-location'), await readJson(response)]).toEqual([
      200,
      getTurnPath(session, first.turn),
      first,
    ]);
    expect((await send(getTurnPath(session, first.turn), { method: 'HEAD' })).status).toBe(200);
  });

  it('returns the problem of a turn that failed', async () => {
    const session = createSessionPath();
    const failed = await post(session, { message: registerScript().message() });
    const told = await readJson(failed);
    const response = await send(getTurnPath(session, told.turn));
    expect([response.status, response.headers.get('content-type'), await readJson(response)]).toEqual([
      502,
      'application/problem+json',
      told,
    ]);
  });

  it('shows that a turn runs, and then its answer', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Done.');
    const { turn } = await readJson(
      await post(session, { message: registerScript(reply.reply).message() }, { headers: ASYNC_HEADERS }),
    );
    await reply.asked();
    const response = await send(getTurnPath(session, turn));
    expect([response.status, response.headers.get('retry-after'), await readJson(response)]).toEqual([
      202,
      '1',
      { turn, session: getSessionId(session), agent: 'scripted', status: 'running' },
    ]);
    reply.release();
    await expect.poll(async () => (await send(getTurnPath(session, turn))).status).toBe(200);
  });

  it('shows the pending calls of a waiting turn, like the response to its message', async () => {
    const wait = await startWaitingTurn(['pay']);
    const response = await send(getTurnPath(wait.session, wait.turn));
    const told = await readJson(response);
    expect([response.status, response.headers.get('retry-after')]).toEqual([202, '5']);
    expect(told).toMatchObject({ turn: wait.turn, status: 'suspended', outcome: 'suspended' });
    expect(told.pending).toEqual(wait.pending);
    await answer(getOnlyLink(wait), { decision: 'approve' });
    expect((await send(getTurnPath(wait.session, wait.turn))).status).toBe(200);
  });

  it('shows that a turn waits in the queue, or for its scheduled time', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Done.');
    const answering = post(session, { message: registerScript(reply.reply, 'Second.').message() });
    await reply.asked();
    const queue = { method: 'POST', headers: { 'content-type': 'application/json', ...ASYNC_HEADERS } };
    const queued = await readJson(
      await send(`${session}/messages?whenBusy=queue`, { ...queue, body: '{"message":"Two"}' }),
    );
    const scheduled = await readJson(await post(session, { message: 'Later', delaySeconds: 86_400 }));
    const soon = await readJson(await post(session, { message: 'Sooner', delaySeconds: 100 }));
    for (const [one, least, most] of [
      [queued, 1, 1],
      [scheduled, 3600, 3600],
      [soon, 90, 100],
    ] as const) {
      const response = await send(getTurnPath(session, one.turn));
      expect([response.status, await readJson(response)]).toEqual([202, one]);
      const after = Number(response.headers.get('retry-after'));
      expect(after).toBeGreaterThanOrEqual(least);
      expect(after).toBeLessThanOrEqual(most);
    }
    reply.release();
    await (await answering).text();
  });

  it('links a message that steered to the turn that received it', async () => {
    const session = createManualSession();
    // The call's start is stored before it runs, and the response contains the messages posted meanwhile.
    const reply = createHeldReply({ calls: [{ name: 'record', input: { note: 'red' } }] });
    const answering = post(session, { message: registerScript(reply.reply, 'In blue.').message() });
    await reply.asked();
    const steered = await readJson(
      await send(`${session}/messages?whenBusy=steer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"message":"In blue?"}',
      }),
    );
    const waits = await send(getTurnPath(session, steered.turn));
    expect([waits.status, await readJson(waits)]).toEqual([202, steered]);
    reply.release();
    await (await answering).text();
    const response = await send(getTurnPath(session, steered.turn), { redirect: 'manual' });
    expect([response.status, response.headers.get('location'), await readJson(response)]).toEqual([
      303,
      getTurnPath(session, steered.into),
      { ...steered, status: 'steered' },
    ]);
    const followed = await send(getTurnPath(session, steered.turn));
    expect([followed.status, await readJson(followed)]).toMatchObject([
      200,
      { turn: steered.into, text: 'In blue.' },
    ]);
  });

  it('finds no turn of another id or session', async () => {
    const session = createSessionPath();
    const unknown = await send(getTurnPath(session, 'x'));
    expect([unknown.status, (await readJson(unknown)).type]).toEqual([
      404,
      'urn:holdfast:problem:unknown-session',
    ]);
    await post(session, { message: registerScript('Done.').message() });
    const long = 'y'.repeat(100);
    expect(await readJson(await send(getTurnPath(session, long)))).toEqual(
      createProblem(
        'unknown-turn',
        404,
        `There is no turn '${'y'.repeat(80)}' in this session. GET ${session} shows the last turn and the waiting ones.`,
      ),
    );
  });
});
