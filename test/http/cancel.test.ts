import { describe, expect, it } from 'vitest';
import { withLease } from '../fixtures/lease-terms.ts';
import { held, script } from '../fixtures/scripts.ts';
import { allEvents, ended, journal, json, newSession, post, SSE, send } from './client.ts';

/** A holder that waits for its model hears of a note when it renews: after a third of its lease. */
const renewingSession = (): string => newSession('scripted', withLease(1_000));

const cancel = (session: string): Promise<Response> => send(`${session}/cancel`, { method: 'POST' });

describe('cancel', () => {
  it('stops a turn while its model thinks, and its client gets the outcome', async () => {
    const session = renewingSession();
    const answer = held('Never.');
    const answering = post(session, { message: script(answer.reply).message() });
    await answer.asked();
    const response = await cancel(session);
    expect([response.status, response.headers.get('location')]).toEqual([202, session]);
    const { turn } = await json(response);
    const answered = await answering;
    expect(answered.status).toBe(200);
    expect(await json(answered)).toMatchObject({ turn, outcome: 'cancelled', text: '', iterations: 0 });
    expect(answer.aborted()).toBe(true);
    expect((await journal(session)).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'cancel-requested',
      'turn-ended',
    ]);
  });

  it('ends a streamed turn with its outcome', async () => {
    const session = renewingSession();
    const answer = held('Never.');
    const streaming = await post(session, { message: script(answer.reply).message() }, { headers: SSE });
    await answer.asked();
    await (await cancel(session)).text();
    expect((await allEvents(streaming)).at(-1)).toMatchObject({
      event: 'answer',
      data: { outcome: 'cancelled' },
    });
  });

  it('stops a turn of the background', async () => {
    const session = renewingSession();
    const answer = held('Never.');
    await post(
      session,
      { message: script(answer.reply).message() },
      { headers: { prefer: 'respond-async' } },
    );
    await answer.asked();
    expect((await cancel(session)).status).toBe(202);
    expect((await ended(session)).at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'cancelled' });
  });

  it('leaves the session to the next message', async () => {
    const session = renewingSession();
    const answer = held('Never.');
    const answering = post(session, { message: script(answer.reply, 'Next.').message() });
    await answer.asked();
    await cancel(session);
    await (await answering).text();
    expect(await json(await post(session, { message: 'Go on' }))).toMatchObject({ text: 'Next.' });
  });

  it('does not wait for a model that does not listen', async () => {
    const answer = held('Never.', { deaf: true });
    const session = renewingSession();
    const answering = post(session, { message: script(answer.reply).message() });
    await answer.asked();
    await cancel(session);
    expect(await json(await answering)).toMatchObject({ outcome: 'cancelled' });
  });

  it('twice is cancelling once', async () => {
    const session = renewingSession();
    const answer = held('Never.');
    const answering = post(session, { message: script(answer.reply).message() });
    await answer.asked();
    const both = await Promise.all([cancel(session), cancel(session)]);
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    await (await answering).text();
    expect((await journal(session)).filter(({ type }) => type === 'turn-ended').length).toBe(1);
  });

  it('of a session in which nothing runs says so', async () => {
    const session = renewingSession();
    await post(session, { message: script('Done.').message() });
    const response = await cancel(session);
    expect(response.status).toBe(409);
    expect(await json(response)).toEqual({
      type: 'urn:holdfast:problem:no-open-turn',
      title: 'no open turn',
      status: 409,
      detail: 'No turn is open, so there is nothing to cancel.',
    });
  });
});
