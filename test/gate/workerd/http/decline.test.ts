import { describe, expect, it } from 'vitest';
import { clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  followToEnd,
  post,
  readAllEvents,
  readJournal,
  readJson,
  type Send,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createProblem, startWaitingTurn } from './waiting.ts';

const postDecline = (
  session: string,
  body: unknown,
  { headers = {}, via = send }: { headers?: Readonly<Record<string, string>>; via?: Send } = {},
): Promise<Response> =>
  via(`${session}/messages?pending=decline`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const listOutcomes = async (session: string, via?: Send): Promise<unknown[]> =>
  (await readJournal(session, via)).filter(({ type }) => type === 'turn-ended').map(({ outcome }) => outcome);
const countMessages = async (session: string): Promise<number> =>
  (await readJournal(session)).filter(({ type }) => type === 'turn-started').length;

describe('a message with ?pending=decline', () => {
  it('declines the pending calls, ends that turn, and is accepted', async () => {
    const { session, turn, to, model } = await startWaitingTurn(['pay', 'look_up'], {
      replies: ['Hello again.'],
    });
    const response = await postDecline(session, { message: 'Never mind.' });
    expect([response.status, await readJson(response)]).toEqual([
      200,
      expect.objectContaining({
        outcome: 'completed',
        text: 'Hello again.',
        turn: expect.not.stringMatching(turn),
      }),
    ]);
    expect(model.requests.length).toBe(2);
    expect(model.requests[1]?.messages.slice(2)).toMatchObject([
      {
        role: 'tool',
        text: "Error: This call of 'pay' was declined and did not run. Reason: A new message came instead.",
      },
      {
        role: 'tool',
        text: "Error: No result of 'look_up' was sent: a new message came instead. It may have run or not.",
      },
      { role: 'user', text: 'Never mind.' },
    ]);
    expect([await listOutcomes(session), listPaymentsTo(to)]).toEqual([['cancelled', 'completed'], []]);
    const answered = (await readJournal(session)).filter(({ type }) => type === 'tool-call-answered');
    expect(answered).toMatchObject([
      { turn, answer: { decision: 'reject', by: 'local' } },
      { turn, answer: { type: 'result', by: 'local' } },
    ]);
  });

  it('can be streamed, or left to the background', async () => {
    const first = await startWaitingTurn(['pay'], { replies: ['Streamed.', 'Later.'] });
    const events = await readAllEvents(
      await postDecline(first.session, { message: 'Stream.' }, { headers: SSE_HEADERS }),
    );
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { text: 'Streamed.' } });
    const second = await startWaitingTurn(['pay'], { replies: ['Later.'] });
    const response = await postDecline(
      second.session,
      { message: 'Later.' },
      { headers: { prefer: 'respond-async' } },
    );
    expect(response.status).toBe(202);
    await expect.poll(() => listOutcomes(second.session)).toEqual(['cancelled', 'completed']);
  });

  it('is an ordinary message if no calls are pending', async () => {
    const session = createSessionPath('clerk');
    expect(
      await readJson(await postDecline(session, { message: registerScript('Hello.').message() })),
    ).toMatchObject({
      text: 'Hello.',
    });
    expect(await readJson(await postDecline(session, { message: 'Again' }))).toMatchObject({
      outcome: 'failed',
    });
  });

  it('does not decline if its sender lacks a role, or the message is not valid', async () => {
    const via = createTestApp({ agents: [clerk], auth: () => ({ id: 'ann' }) });
    const { session, turn, to, pending } = await startWaitingTurn(['pay', 'pay_as_manager'], { via });
    const refused = await postDecline(session, { message: 'Never mind.' }, { via });
    const detail = `Call ${turn}.3.1 must be answered by a person with the role 'manager'. Send the token of a person with this role.`;
    expect(await readJson(refused)).toEqual(createProblem('role-required', 403, detail, { role: 'manager' }));
    expect((await postDecline(session, { message: '' }, { via })).status).toBe(422);
    expect((await readJson(await via(session))).pending).toEqual(pending);
    expect([await listOutcomes(session, via), listPaymentsTo(to)]).toEqual([[], []]);
  });

  it('is accepted only once under a key', async () => {
    const { session } = await startWaitingTurn(['pay'], { replies: ['Hello again.'] });
    const headers = { 'idempotency-key': 'k' };
    const body = { message: 'Never mind.' };
    const both = await Promise.all([1, 2].map(() => postDecline(session, body, { headers })));
    const codes = both.map(({ status }) => status).toSorted((x, y) => x - y);
    expect(codes).toEqual([200, expect.toBeOneOf([200, 409])]); // a concurrent request is refused, and may be retried
    const later = await postDecline(session, body, { headers });
    expect(await readJson(later)).toMatchObject({ outcome: 'completed', text: 'Hello again.' });
    expect([await countMessages(session), await listOutcomes(session)]).toEqual([
      2,
      ['cancelled', 'completed'],
    ]);
  });

  const refuse = () => Promise.reject(Object.assign(new Error('cut off'), { overloaded: true }));
  it.each(['post', 'resume'] as const)(
    'is not accepted if it is lost on the way (at %s), and is accepted when it is sent again',
    async (lost) => {
      const { session, to } = await startWaitingTurn(['pay'], { replies: ['Hello again.'] });
      const headers = { 'idempotency-key': 'k' };
      const body = { message: 'Never mind.' };
      const via = createTestApp({ agents: [clerk] }, { SESSIONS: wrapObjects(() => ({ [lost]: refuse })) });
      expect((await postDecline(session, body, { headers, via })).status).toBe(503);
      expect(await countMessages(session)).toBe(1);
      if (lost === 'resume') await followToEnd(session);
      expect(await readJson(await postDecline(session, body, { headers }))).toMatchObject({
        text: 'Hello again.',
      });
      expect([await listOutcomes(session), listPaymentsTo(to)]).toEqual([['cancelled', 'completed'], []]);
    },
  );

  it('is refused with another value of pending', async () => {
    const session = createSessionPath('clerk');
    const response = await send(`${session}/messages?pending=approve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Hello"}',
    });
    const detail = 'pending must be one of decline.';
    expect(await readJson(response)).toEqual(createProblem('invalid-query', 400, detail));
    expect((await send(session)).status).toBe(404);
  });
});

describe('a message without ?pending', () => {
  it('is refused, with the address to answer each call', async () => {
    const { session, pending } = await startWaitingTurn(['pay', 'look_up']);
    const response = await post(session, { message: 'Never mind.' });
    expect([response.status, await readJson(response)]).toEqual([409, expect.objectContaining({ pending })]);
  });
});
