/** Several calls of a turn, answered in one request. */
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
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
import { answer, createProblem, startWaitingTurn } from './waiting.ts';

type Headers = Readonly<Record<string, string>>;

/** Sends answers to a session. */
const postAnswers = (session: string, list: unknown, more: { headers?: Headers; via?: Send } = {}) =>
  answer(`${session}/answers`, { answers: list }, more);

/** The ids of the pending calls. */
const getCallIds = ({ pending }: { readonly pending: readonly Record<string, unknown>[] }): string[] =>
  pending.map(({ call }) => String(call));

const createApproval = (call: string) => ({ call, decision: 'approve' });

const listAnswers = async (session: string) =>
  (await readJournal(session)).filter(({ type }) => type === 'tool-call-answered').map(({ call }) => call);

const createInvalidBody = (...problems: string[]) =>
  createProblem('invalid-body', 422, `The body is not valid: ${problems.join('; ')}.`, { problems });

describe('several answers in one request', () => {
  it('can be two decisions, after which the turn resumes', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const [yes = '', no = ''] = getCallIds(wait);
    const response = await postAnswers(wait.session, [
      createApproval(yes),
      { call: no, decision: 'reject', reason: 'Twice.' },
    ]);
    expect(response.status).toBe(200);
    expect(await readJson(response)).toMatchObject({ turn: wait.turn, outcome: 'completed', text: 'Done.' });
    expect(response.headers.get('content-location')).toBe(`${wait.session}/turns/${wait.turn}`);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
    expect(await listAnswers(wait.session)).toEqual([yes, no]);
  });

  it('can be a decision and the result of a tool that the caller runs', async () => {
    const wait = await startWaitingTurn(['pay', 'look_up']);
    const [pay = '', look = ''] = getCallIds(wait);
    const list = [
      { call: look, result: { total: 7 } },
      { call: pay, decision: 'edit', input: { to: wait.to, amount: 9 } },
    ];
    expect((await postAnswers(wait.session, list)).status).toBe(200);
    expect(listPaymentsTo(wait.to)).toEqual([9]);
    expect(wait.model.requests.at(-1)?.messages.flatMap(({ text }) => text)).toEqual(
      expect.arrayContaining(['Paid 9.', '{"total":7}']),
    );
  });

  it('can answer only some of the pending calls, and the turn waits for the others', async () => {
    const wait = await startWaitingTurn(['pay', 'pay', 'look_up']);
    const [one = '', two = '', look = ''] = getCallIds(wait);
    const response = await postAnswers(wait.session, [createApproval(one), createApproval(two)]);
    expect(response.status).toBe(202);
    expect(await readJson(response)).toMatchObject({
      status: 'suspended',
      pending: [{ call: look, for: 'result' }],
    });
  });

  it('cannot answer a question of a call before it is asked', async () => {
    const wait = await startWaitingTurn(['pay_twice_asked']);
    const [call = ''] = getCallIds(wait);
    const both = await postAnswers(wait.session, [
      createApproval(call),
      { ...createApproval(call), question: 2 },
    ]);
    expect([both.status, await readJson(both)]).toEqual([
      409,
      createProblem(
        'not-waiting',
        409,
        `Call ${call} is not waiting for this answer. It has not asked 2 questions.`,
      ),
    ]);
    expect(await listAnswers(wait.session)).toEqual([]);
    expect((await postAnswers(wait.session, [{ ...createApproval(call), question: 1 }])).status).toBe(202);
    expect((await postAnswers(wait.session, [{ ...createApproval(call), question: 2 }])).status).toBe(200);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });

  it('run in the background if the client prefers that', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const headers = { prefer: 'respond-async' };
    const response = await postAnswers(wait.session, getCallIds(wait).map(createApproval), { headers });
    expect(response.status).toBe(202);
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    expect(await readJson(response)).toMatchObject({ turn: wait.turn, status: 'accepted' });
    expect((await followToEnd(wait.session)).at(-1)).toMatchObject({ outcome: 'completed' });
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 2]);
  });

  it('are streamed with only the new events', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const before = (await readJournal(wait.session)).at(-1)?.seq;
    const response = await postAnswers(wait.session, getCallIds(wait).map(createApproval), {
      headers: SSE_HEADERS,
    });
    const events = await readAllEvents(response);
    expect(events.at(-1)?.event).toBe('answer');
    const after = await readAllEvents(
      await send(`${wait.session}/turns/${wait.turn}?after=${before}`, { headers: SSE_HEADERS }),
    );
    expect(events.flatMap(({ id }) => id ?? []).at(-1)).toBe(after.flatMap(({ id }) => id ?? []).at(-1));
  });

  it('are accepted only once under a key, which refuses another body', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const list = getCallIds(wait).map(createApproval);
    const headers = { 'idempotency-key': 'k1' };
    const first = await readJson(await postAnswers(wait.session, list, { headers }));
    expect(await readJson(await postAnswers(wait.session, list, { headers }))).toEqual(first);
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 2]);
    const other = await postAnswers(
      wait.session,
      list.map((one) => ({ ...one, decision: 'reject' })),
      { headers },
    );
    expect(other.status).toBe(409);
    expect(await readJson(other)).toMatchObject({ type: 'urn:holdfast:problem:already-answered' });
    const without = await postAnswers(wait.session, list);
    expect(without.status).toBe(409);
  });

  it('continue after a single answer that was sent under the same key', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const [one = '', two = ''] = getCallIds(wait);
    const headers = { 'idempotency-key': 'k1' };
    await answer(`${wait.session}/approvals/${one}`, { decision: 'approve' }, { headers });
    // The first answer was accepted earlier. This request continues where that one stopped.
    expect(
      (await postAnswers(wait.session, [createApproval(one), createApproval(two)], { headers })).status,
    ).toBe(200);
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 2]);
  });
});

describe('a list of answers, before any is accepted', () => {
  it.each<[string, (calls: readonly string[]) => unknown[], number, (calls: readonly string[]) => object]>([
    [
      'an invalid decision',
      ([one = '', two = '']) => [createApproval(one), { call: two, decision: 'perhaps' }],
      422,
      () => createInvalidBody('answers[1].decision: must be approve, edit, reject or exit'),
    ],
    [
      'an answer without a decision or a result',
      ([one = '', two = '']) => [createApproval(one), { call: two }],
      422,
      () => createInvalidBody('answers[1]: must have a decision, or one of result, text and error'),
    ],
    [
      'two results for one call',
      ([one = '', two = '']) => [createApproval(one), { call: two, text: 'Yes.', error: 'No.' }],
      422,
      () => createInvalidBody('answers[1]: must have exactly one of result, text and error'),
    ],
    [
      'a decision together with a result',
      ([one = '', two = '']) => [createApproval(one), { ...createApproval(two), text: 'Yes.' }],
      422,
      () => createInvalidBody('answers[1].text: is not known here'),
    ],
    [
      'an edit that the tool does not accept',
      ([one = '', two = '']) => [createApproval(one), { call: two, decision: 'edit', input: { to: 7 } }],
      422,
      () =>
        expect.objectContaining({
          title: 'invalid body',
          problems: expect.arrayContaining([expect.stringMatching(/^answers\[1\]\.input/)]),
        }),
    ],
    [
      'an unknown call',
      ([one = '']) => [createApproval(one), createApproval('0000000000000000.3.0')],
      404,
      () => expect.objectContaining({ title: 'unknown call' }),
    ],
    [
      'a result for a call that waits for a decision',
      ([one = '', two = '']) => [createApproval(one), { call: two, text: 'Paid.' }],
      409,
      () => expect.objectContaining({ title: 'wrong answer' }),
    ],
    [
      'two answers to one call',
      ([one = '']) => [createApproval(one), { call: one, decision: 'reject' }],
      422,
      () => createInvalidBody('answers[1].call: is answered twice'),
    ],
  ])('is refused with %s', async (_, list, status, told) => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const calls = getCallIds(wait);
    const response = await postAnswers(wait.session, list(calls));
    expect([response.status, await readJson(response)]).toEqual([status, told(calls)]);
    expect(await listAnswers(wait.session)).toEqual([]);
    expect(listPaymentsTo(wait.to)).toEqual([]);
    // No answer was accepted, so a corrected list can be sent.
    expect((await postAnswers(wait.session, calls.map(createApproval))).status).toBe(200);
  });

  it('cannot contain calls of two turns', async () => {
    const to = crypto.randomUUID();
    const pay = { calls: [{ name: 'pay', input: { to, amount: 1 } }] };
    const session = createSessionPath('clerk');
    const { message } = registerScript(pay, 'Done.', pay, 'Done.');
    const getWaitingCall = async (text: string) => {
      const { pending } = await readJson(await post(session, { message: text }));
      return getCallIds({ pending: pending as Record<string, unknown>[] })[0] ?? '';
    };
    const old = await getWaitingCall(message());
    expect((await postAnswers(session, [createApproval(old)])).status).toBe(200);
    const open = await getWaitingCall('Again.');
    for (const list of [
      [open, old],
      [old, open],
    ]) {
      const response = await postAnswers(session, list.map(createApproval));
      expect(await readJson(response)).toEqual(
        createInvalidBody('answers[1].call: must be of the same turn as the first'),
      );
    }
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('causes one read of the turn for any number of calls', async () => {
    const wait = await startWaitingTurn(['pay', 'pay', 'pay']);
    const reads: unknown[] = [];
    let posted = false;
    const SESSIONS = wrapObjects((stub) => ({
      read(query: Parameters<typeof stub.read>[0]) {
        if (!posted) reads.push(query);
        return stub.read(query);
      },
      post(...message: Parameters<typeof stub.post>) {
        posted = true;
        return stub.post(...message);
      },
    }));
    const via = createTestApp({ agents: [clerk] }, { SESSIONS });
    expect((await postAnswers(wait.session, getCallIds(wait).map(createApproval), { via })).status).toBe(200);
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 2, 3]);
    expect(reads.map((query) => Object(query).turn)).toEqual([undefined, wait.turn]);
  });

  it('is refused with the accepted answers if another client has decided one of the calls', async () => {
    const wait = await startWaitingTurn(['pay', 'pay', 'pay']);
    const [one = '', two = '', three = ''] = getCallIds(wait);
    let posted = 0;
    const SESSIONS = wrapObjects((stub) => ({
      async post(...message: Parameters<typeof stub.post>) {
        posted += 1;
        const isSecond = posted === 2;
        if (isSecond)
          await answer(
            `${wait.session}/approvals/${two}`,
            { decision: 'reject' },
            { headers: { prefer: 'respond-async' } },
          );
        return stub.post(...message);
      },
    }));
    const response = await postAnswers(
      wait.session,
      [createApproval(one), createApproval(two), createApproval(three)],
      {
        via: createTestApp({ agents: [clerk] }, { SESSIONS }),
      },
    );
    const detail =
      `The answer of call ${two} was not accepted: This question has already been answered. ` +
      `GET ${wait.session} shows the state of the session. The answers of ${one} were.`;
    expect([response.status, await readJson(response)]).toEqual([
      409,
      createProblem('already-answered', 409, detail, { taken: [one] }),
    ]);
    expect((await postAnswers(wait.session, [createApproval(three)])).status).toBe(200);
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 3]);
  });

  it('is refused with a call that was answered earlier in a turn that has resumed', async () => {
    const wait = await startWaitingTurn(['pay', 'pay']);
    const [one = '', two = ''] = getCallIds(wait);
    await postAnswers(wait.session, [createApproval(one)]);
    const response = await postAnswers(wait.session, [createApproval(two), createApproval(one)]);
    expect(response.status).toBe(409);
    const body = await readJson(response);
    expect(body).toMatchObject({ title: 'already answered' });
    expect({ body, answered: await listAnswers(wait.session) }).toMatchObject({ answered: [one] });
  });
});

describe('a body of answers', () => {
  const many = Array.from({ length: 129 }, (_, place) => createApproval(`c${place}`));

  it.each<[string, unknown, string[]]>([
    ['no answers', {}, ['answers: must be a list of 1 to 128']],
    ['an object', { answers: {} }, ['answers: must be a list of 1 to 128']],
    ['an empty list', { answers: [] }, ['answers: must be a list of 1 to 128']],
    ['too many', { answers: many }, ['answers: must be a list of 1 to 128']],
    [
      'an unknown key',
      { answers: [], decision: 'approve' },
      ['answers: must be a list of 1 to 128', 'decision: is not known here'],
    ],
    [
      'several mistakes',
      {
        answers: [
          7,
          null,
          { text: '' },
          { call: 7, question: 0 },
          { call: 'c', question: 1.5 },
          { call: 'c', question: '1' },
        ],
        more: 1,
      },
      [
        'more: is not known here',
        'answers[0]: must be a JSON object',
        'answers[1]: must be a JSON object',
        'answers[2].call: must be the id of a call',
        'answers[3].call: must be the id of a call',
        'answers[3].question: must be a whole number of at least 1',
        'answers[3]: must have a decision, or one of result, text and error',
        'answers[4].question: must be a whole number of at least 1',
        'answers[4]: must have a decision, or one of result, text and error',
        'answers[5].question: must be a whole number of at least 1',
        'answers[5]: must have a decision, or one of result, text and error',
      ],
    ],
  ])('is refused with every problem if it is invalid: %s', async (_, body, problems) => {
    const response = await answer(`${createSessionPath('clerk')}/answers`, body);
    expect([response.status, await readJson(response)]).toEqual([422, createInvalidBody(...problems)]);
  });

  it('for an unknown session is refused', async () => {
    const response = await postAnswers(createSessionPath('clerk'), [createApproval('c')]);
    expect([response.status, (await readJson(response)).title]).toEqual([404, 'unknown session']);
  });

  it('is accepted by POST only', async () => {
    const response = await send(`${createSessionPath('clerk')}/answers`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('the permission to answer is checked for each call', () => {
  it('against its required role', async () => {
    const wait = await startWaitingTurn(['pay', 'pay_as_manager']);
    const [own = '', managers = ''] = getCallIds(wait);
    const response = await postAnswers(wait.session, [createApproval(own), createApproval(managers)]);
    expect(response.status).toBe(403);
    expect(await readJson(response)).toMatchObject({ title: 'role required', role: 'manager' });
    expect(await listAnswers(wait.session)).toEqual([]);
    const as = (roles: readonly string[]) =>
      createTestApp({ agents: [clerk], auth: () => ({ id: 'local', roles }) });
    expect(
      (
        await postAnswers(wait.session, [createApproval(own), createApproval(managers)], {
          via: as(['manager']),
        })
      ).status,
    ).toBe(200);
    expect(listPaymentsTo(wait.to).toSorted()).toEqual([1, 2]);
  });

  it('against the rule that excludes its requester', async () => {
    const burn = defineTool({ name: 'burn', description: 'Burns.', run: () => 'Burnt.' });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Burns.',
      instructions: '',
      tools: [
        askFirst({ ...burn, name: 'burn' }),
        askFirst({ ...burn, name: 'burn_by_another' }, { by: 'boss', notBy: 'requester' }),
      ],
      model: modelBySession,
    });
    const createAppFor = (id: string) =>
      createTestApp({ agents: [agent], auth: () => ({ id, tenant: 't', roles: ['boss'] }) });
    const session = createSessionPath('clerk');
    const { message } = registerScript({ calls: [{ name: 'burn' }, { name: 'burn_by_another' }] }, 'Done.');
    const asked = await readJson(await post(session, { message: message() }, { via: createAppFor('ann') }));
    const calls = getCallIds({ pending: asked.pending as Record<string, unknown>[] });
    const own = await postAnswers(session, calls.map(createApproval), { via: createAppFor('ann') });
    expect([own.status, (await readJson(own)).title]).toEqual([403, 'another person required']);
    expect((await postAnswers(session, calls.map(createApproval), { via: createAppFor('bob') })).status).toBe(
      200,
    );
  });
});
