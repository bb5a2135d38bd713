import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { listPaymentsTo, payments, WAIT_MS } from '../../../fixtures/clerk-agent.ts';
import {
  followToEnd,
  getSessionId,
  getSessionName,
  post,
  readAllEvents,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';
import { advanceClock } from './time.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const APPROVE = { decision: 'approve' };
const KEY = { 'idempotency-key': 'k1' };
const ASYNC_HEADERS = { prefer: 'respond-async' };
const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));
const listTypes = async (session: string): Promise<unknown[]> =>
  (await readJournal(session)).map(({ type }) => type);

describe('an approval', () => {
  it('runs the call once, and returns the same response as the message (AEA-12, DEC-18)', async () => {
    const wait = await startWaitingTurn(['pay']);
    const { session, turn, to } = wait;
    expect(wait.pending).toEqual([
      {
        call: `${turn}.3.0`,
        question: 1,
        tool: 'pay',
        input: { to, amount: 1 },
        for: 'decision',
        message: 'May I pay?',
        allows: ['approve', 'edit', 'reject', 'exit'],
        schema: {
          type: 'object',
          properties: { to: { type: 'string' }, amount: { type: 'number' } },
          required: ['to', 'amount'],
        },
        links: { approvals: `${session}/approvals/${turn}.3.0` },
      },
    ]);
    const response = await answer(getOnlyLink(wait), { ...APPROVE, reason: 'Fine.' });
    expect([response.status, response.headers.get('content-location')]).toEqual([
      200,
      `${session}/turns/${turn}`,
    ]);
    expect(await readJson(response)).toEqual({
      turn,
      loopId: turn,
      session: getSessionId(session),
      agent: 'clerk',
      outcome: 'completed',
      text: 'Done.',
      artifacts: [{ call: `${turn}.3.0`, tool: 'pay', value: { to, amount: 1 } }],
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
    expect(listPaymentsTo(to)).toEqual([1]);
    const answered = (await readJournal(session)).find(({ type }) => type === 'tool-call-answered');
    expect(answered).toMatchObject({
      call: `${turn}.3.0`,
      answer: { type: 'decision', decision: 'approve', reason: 'Fine.', by: 'local' },
    });
    expect((await readJson(await send(session))).pending).toEqual([]);
  });

  it('streams the turn to a client that asks for events', async () => {
    const wait = await startWaitingTurn(['pay']);
    const events = await readAllEvents(await answer(getOnlyLink(wait), APPROVE, { headers: SSE_HEADERS }));
    const kinds = events.filter(({ event }) => event !== 'text-delta').map(({ id, event }) => [id, event]);
    expect(kinds).toEqual([
      [2, 'turn-started'],
      [3, 'model-replied'],
      [4, 'tool-call-suspended'],
      [5, 'turn-resumed'],
      [6, 'tool-call-answered'],
      [7, 'tool-call-started'],
      [8, 'tool-call-ended'],
      [9, 'model-replied'],
      [10, 'turn-ended'],
      [undefined, 'answer'],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });

  it('resumes the turn in the background if the client does not want to wait', async () => {
    const wait = await startWaitingTurn(['pay']);
    const response = await answer(getOnlyLink(wait), APPROVE, { headers: ASYNC_HEADERS });
    expect([response.status, response.headers.get('location'), await readJson(response)]).toEqual([
      202,
      `${wait.session}/turns/${wait.turn}`,
      { turn: wait.turn, session: getSessionId(wait.session), agent: 'clerk', status: 'accepted' },
    ]);
    await followToEnd(wait.session);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });

  it.each([
    ['evicted', (session: string) => evictDurableObject(getStub(session))],
    ['aborted', () => abortAllDurableObjects()],
  ] as const)('is kept if the object is %s before the turn resumes (AEA-12)', async (_, disturb) => {
    const wait = await startWaitingTurn(['pay']);
    expect((await answer(getOnlyLink(wait), APPROVE, { headers: ASYNC_HEADERS })).status).toBe(202);
    await disturb(wait.session);
    await followToEnd(wait.session);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
    expect((await listTypes(wait.session)).filter((type) => type === 'tool-call-answered')).toHaveLength(1);
  });

  it('resumes the turn after its object was evicted', async () => {
    const wait = await startWaitingTurn(['pay']);
    await evictDurableObject(getStub(wait.session));
    expect(await readJson(await answer(getOnlyLink(wait), APPROVE))).toMatchObject({ outcome: 'completed' });
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });

  it('runs no call if another call waits, and the turn waits for the other decision', async () => {
    const { links, session, turn, to } = await startWaitingTurn(['pay', 'pay_plainly', 'pay_now']);
    expect(listPaymentsTo(to)).toEqual([3]);
    const first = await answer(links[1] ?? '', APPROVE);
    expect([first.status, first.headers.get('location')]).toEqual([202, `${session}/turns/${turn}`]);
    expect(await readJson(first)).toMatchObject({ turn, status: 'suspended', pending: [{ tool: 'pay' }] });
    expect(listPaymentsTo(to)).toEqual([3]);
    expect(await readJson(await answer(links[0] ?? '', APPROVE))).toMatchObject({ outcome: 'completed' });
    expect(listPaymentsTo(to).toSorted()).toEqual([1, 2, 3]);
  });

  it('ends its stream with the pending calls if the turn waits again', async () => {
    const wait = await startWaitingTurn(['pay_twice_asked']);
    const events = await readAllEvents(await answer(getOnlyLink(wait), APPROVE, { headers: SSE_HEADERS }));
    expect(events.at(-1)).toMatchObject({ event: 'suspended', data: { pending: [{ message: 'Really?' }] } });
    expect(listPaymentsTo(wait.to)).toEqual([]);
  });

  it('completes even if its client disconnects', async () => {
    const wait = await startWaitingTurn(['pay']);
    const client = new AbortController();
    const answering = answer(getOnlyLink(wait), APPROVE, { signal: client.signal }).catch(() => 'gone');
    await expect.poll(async () => (await listTypes(wait.session)).includes('tool-call-answered')).toBe(true);
    client.abort();
    await answering;
    await followToEnd(wait.session);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });
});

describe('another decision', () => {
  it('edit runs the call with the new input if it is valid, and otherwise changes no state (AEA-13)', async () => {
    const wait = await startWaitingTurn(['pay']);
    const edit = (input: unknown) => answer(getOnlyLink(wait), { decision: 'edit', input });
    const problems = [
      'input.amount: Instance type "string" is invalid. Expected "number".',
      'input: Instance does not have required property "to".',
    ];
    const refused = await readJson(await edit({ amount: 'all' }));
    expect(refused.type).toBe('urn:holdfast:problem:invalid-body');
    expect((refused.problems as string[]).toSorted()).toEqual(problems);
    expect(await readJson(await edit({ to: wait.to, amount: 50 }))).toMatchObject({
      outcome: 'completed',
      artifacts: [{ value: { to: wait.to, amount: 50 } }],
    });
    expect(listPaymentsTo(wait.to)).toEqual([50]);
  });

  it('reject informs the model, and does not run the call (DEC-18)', async () => {
    const wait = await startWaitingTurn(['pay']);
    const response = await answer(getOnlyLink(wait), { decision: 'reject', reason: 'Too much.' });
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', artifacts: [] });
    expect(wait.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: 'Error: Too much.' });
    expect(listPaymentsTo(wait.to)).toEqual([]);
  });

  it('exit ends the turn as cancelled', async () => {
    const wait = await startWaitingTurn(['pay']);
    const response = await answer(getOnlyLink(wait), { decision: 'exit', reason: 'Stop it.' });
    expect([response.status, await readJson(response)]).toEqual([
      200,
      expect.objectContaining({ outcome: 'cancelled', signal: { type: 'exit', reason: 'Stop it.' } }),
    ]);
    expect([listPaymentsTo(wait.to), wait.model.requests.length]).toEqual([[], 1]);
    expect(await readJson(await post(wait.session, { message: 'Next' }))).toMatchObject({
      outcome: 'completed',
    });
  });
});

describe('a retried decision', () => {
  it('returns the same response under its key, even after the end of the turn, and does not run the call again', async () => {
    const wait = await startWaitingTurn(['pay']);
    const both = await Promise.all([1, 2].map(() => answer(getOnlyLink(wait), APPROVE, { headers: KEY })));
    const [one, two] = await Promise.all(both.map(readJson));
    expect(one).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(two).toEqual(one);
    const later = await answer(getOnlyLink(wait), APPROVE, { headers: KEY });
    expect([later.status, await readJson(later)]).toEqual([200, one]);
    expect((await answer(getOnlyLink(wait), APPROVE, { headers: { ...KEY, ...ASYNC_HEADERS } })).status).toBe(
      202,
    );
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });

  it('is a new decision if its key or its body differs', async () => {
    const wait = await startWaitingTurn(['pay']);
    await answer(getOnlyLink(wait), APPROVE, { headers: KEY });
    const other = await answer(getOnlyLink(wait), APPROVE, { headers: { 'idempotency-key': 'k2' } });
    const changed = await answer(getOnlyLink(wait), { decision: 'reject' }, { headers: KEY });
    expect([other.status, changed.status]).toEqual([409, 409]);
    expect((await readJson(changed)).type).toBe('urn:holdfast:problem:already-answered');
  });
});

describe('a call that waits for a limited time', () => {
  it('is rejected by the alarm when its time is over (AEA-12)', async () => {
    const before = Date.now();
    const wait = await startWaitingTurn(['pay_soon']);
    const expiresAt = Number(wait.pending[0]?.expiresAt);
    expect([expiresAt >= before + WAIT_MS, expiresAt <= Date.now() + WAIT_MS]).toEqual([true, true]);
    await advanceClock(wait.session, WAIT_MS);
    const events = await followToEnd(wait.session);
    expect(events.find(({ type }) => type === 'tool-call-answered')).toMatchObject({
      answer: { type: 'decision', decision: 'reject', expired: true },
    });
    expect(listPaymentsTo(wait.to)).toEqual([]);
    const late = await answer(getOnlyLink(wait), APPROVE);
    const detail = `The question has expired, so this answer comes too late. GET ${wait.session} shows the state of the session.`;
    expect(await readJson(late)).toEqual(createProblem('approval-expired', 409, detail));
    expect((await readJson(await send(wait.session))).turn).toMatchObject({ outcome: 'completed' });
  });

  it('is not rejected after it was decided', async () => {
    const wait = await startWaitingTurn(['pay_soon']);
    await answer(getOnlyLink(wait), APPROVE);
    const events = (await readJournal(wait.session)).length;
    await advanceClock(wait.session, WAIT_MS);
    expect([(await readJournal(wait.session)).length, listPaymentsTo(wait.to)]).toEqual([events, [1]]);
  });
});

describe('payments', () => {
  it('have separate idempotency keys', async () => {
    const waits = [await startWaitingTurn(['pay', 'pay_now', 'pay_now']), await startWaitingTurn(['pay'])];
    for (const { links } of waits) await answer(links[0] ?? '', APPROVE);
    const made = waits.flatMap(({ to }) => payments.filter((payment) => payment.to === to));
    expect(made.map(({ amount }) => amount).toSorted()).toEqual([1, 1, 2, 3]);
    const keys = payments.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
