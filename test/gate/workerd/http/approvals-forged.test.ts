import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/create-holdfast.ts';
import { changedClerk, clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { createTestApp } from './app.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionId,
  getSessionName,
  readJournal,
  readJson,
  type Send,
  send,
} from './client.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

const APPROVE = { decision: 'approve' };

const sendAs = (caller: Caller): Send => createTestApp({ agents: [clerk], auth: () => caller });
/** Two callers of one team, and one of another. */
const ann = sendAs({ id: 'ann', tenant: 'acme', roles: ['clerk'] });
const max = sendAs({ id: 'max', tenant: 'acme', roles: ['clerk', 'manager'] });
const eve = sendAs({ id: 'eve', tenant: 'evil', roles: ['clerk', 'manager'] });

/** Counts the accepted answers. */
const countAnswers = async (session: string, via?: Send): Promise<number> =>
  (await readJournal(session, via)).filter(({ type }) => type === 'tool-call-answered').length;

const formatLookAdvice = (session: string) => `GET ${session} shows the state of the session.`;
const createAnsweredProblem = (session: string) =>
  createProblem(
    'already-answered',
    409,
    `This question has already been answered. ${formatLookAdvice(session)}`,
  );

async function expectProblem(response: Response, expected: ReturnType<typeof createProblem>): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect([response.status, await readJson(response)]).toEqual([expected.status, expected]);
}

describe('a decision about a call without a question', () => {
  const createUnknownCall = (call: string, session: string) =>
    createProblem(
      'unknown-call',
      404,
      `There is no call '${call}' in this session. GET ${session} shows what the session waits for.`,
    );

  it.each([
    ['another index', (turn: string) => `${turn}.3.1`],
    ['another reply', (turn: string) => `${turn}.4.0`],
    ['a padded index', (turn: string) => `${turn}.3.00`],
    ['another turn', () => '0123456789abcdef.3.0'],
    ['the turn itself', (turn: string) => turn],
    ['the name of the tool', () => 'pay'],
    ['a property of every object', () => '__proto__'],
    ['no turn', () => '.1.0'],
  ])('returns 404: %s', async (_, callOf) => {
    const { session, turn, to } = await startWaitingTurn(['pay']);
    const call = callOf(turn);
    await expectProblem(
      await answer(`${session}/approvals/${call}`, APPROVE),
      createUnknownCall(call, session),
    );
    expect([await countAnswers(session), listPaymentsTo(to)]).toEqual([0, []]);
  });

  it('returns 404 in another session of the same owner', async () => {
    const [one, two] = [await startWaitingTurn(['pay']), await startWaitingTurn(['pay'])];
    const call = `${one.turn}.3.0`;
    await expectProblem(
      await answer(`${two.session}/approvals/${call}`, APPROVE),
      createUnknownCall(call, two.session),
    );
    expect([listPaymentsTo(one.to), listPaymentsTo(two.to)]).toEqual([[], []]);
  });

  it('is truncated in the response if its id is long', async () => {
    const { session } = await startWaitingTurn(['pay']);
    const response = await answer(`${session}/approvals/${'x'.repeat(500)}`, APPROVE);
    await expectProblem(response, createUnknownCall('x'.repeat(80), session));
  });

  it('returns 404 for an unknown session, and does not create it', async () => {
    const session = createSessionPath('clerk');
    const response = await answer(`${session}/approvals/a.3.0`, APPROVE);
    const name = getSessionId(session);
    const detail = `There is no session '${name}'. POST ${session}/messages starts it.`;
    await expectProblem(response, createProblem('unknown-session', 404, detail));
    expect((await send(session)).status).toBe(404);
  });
});

describe('a decision by another caller', () => {
  it('does not reach the session of another owner', async () => {
    const wait = await startWaitingTurn(['pay'], { via: ann });
    const response = await answer(getOnlyLink(wait), APPROVE, { via: eve });
    expect([response.status, (await readJson(response)).type]).toEqual([
      404,
      'urn:holdfast:problem:unknown-session',
    ]);
    expect([await countAnswers(wait.session, ann), listPaymentsTo(wait.to)]).toEqual([0, []]);
  });

  it('is refused without the role and changes no state, and is accepted with the role', async () => {
    const wait = await startWaitingTurn(['pay_as_manager'], { via: ann });
    expect(wait.pending[0]).toMatchObject({ by: 'manager' });
    const call = `${wait.turn}.3.0`;
    const detail = `Call ${call} must be answered by a person with the role 'manager'. Send the token of a person with this role.`;
    const refused = createProblem('role-required', 403, detail, { role: 'manager' });
    const tries = [APPROVE, { decision: 'reject' }, { decision: 'edit', input: { amount: 'much' } }];
    for (const body of tries)
      await expectProblem(await answer(getOnlyLink(wait), body, { via: ann }), refused);
    expect([await countAnswers(wait.session, ann), listPaymentsTo(wait.to)]).toEqual([0, []]);
    expect(await readJson(await answer(getOnlyLink(wait), APPROVE, { via: max }))).toMatchObject({
      outcome: 'completed',
    });
    const answered = (await readJournal(wait.session, ann)).find(({ type }) => type === 'tool-call-answered');
    expect(answered).toMatchObject({ answer: { by: 'max' } });
    await expectProblem(await answer(getOnlyLink(wait), APPROVE, { via: ann }), refused);
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });
});

describe('a replayed decision', () => {
  it('is refused before and after the end of the turn, with any content', async () => {
    const { links, session, to } = await startWaitingTurn(['pay', 'pay_plainly']);
    const [first = '', second = ''] = links;
    await answer(first, { decision: 'reject' });
    await expectProblem(await answer(first, APPROVE), createAnsweredProblem(session));
    await answer(second, APPROVE);
    await expectProblem(await answer(first, APPROVE), createAnsweredProblem(session));
    await expectProblem(await answer(second, APPROVE), createAnsweredProblem(session));
    expect([await countAnswers(session), listPaymentsTo(to)]).toEqual([2, [2]]);
  });

  it('is refused according to the journal if the object no longer stores the earlier request', async () => {
    const { links, session, to } = await startWaitingTurn(['pay', 'pay_plainly']);
    const [first = '', second = ''] = links;
    await answer(first, { decision: 'reject' });
    const name = getSessionName(session);
    await runInDurableObject(env.SESSIONS.getByName(name), (_, { storage }) => {
      storage.sql.exec("DELETE FROM requests WHERE key LIKE 'answer %'");
    });
    await expectProblem(await answer(first, APPROVE), createAnsweredProblem(session));
    await answer(second, APPROVE);
    expect(listPaymentsTo(to)).toEqual([2]);
  });

  it('is accepted once if it is sent ten times concurrently', async () => {
    const wait = await startWaitingTurn(['pay']);
    const responses = await Promise.all(Array.from({ length: 10 }, () => answer(getOnlyLink(wait), APPROVE)));
    const codes = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(codes).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect([await countAnswers(wait.session), listPaymentsTo(wait.to)]).toEqual([1, [1]]);
  });

  it('with another caller’s key does not return that caller’s result', async () => {
    const wait = await startWaitingTurn(['pay'], { via: ann });
    const headers = { 'idempotency-key': 'k' };
    expect((await answer(getOnlyLink(wait), APPROVE, { headers, via: ann })).status).toBe(200);
    const response = await answer(getOnlyLink(wait), APPROVE, { headers, via: max });
    await expectProblem(response, createAnsweredProblem(wait.session));
  });

  it('is not accepted for the next question of the same call', async () => {
    const wait = await startWaitingTurn(['pay_twice_asked']);
    const next = await readJson(await answer(getOnlyLink(wait), APPROVE));
    const second = `${getOnlyLink(wait)}?question=2`;
    expect(next.pending).toMatchObject([{ message: 'Really?', links: { approvals: second } }]);
    await expectProblem(await answer(getOnlyLink(wait), APPROVE), createAnsweredProblem(wait.session));
    expect(listPaymentsTo(wait.to)).toEqual([]);
    expect(await readJson(await answer(second, APPROVE))).toMatchObject({ outcome: 'completed' });
    expect(listPaymentsTo(wait.to)).toEqual([1]);
  });
});

describe('an outdated decision', () => {
  it('is void if the tool has changed since: the call is not run, and the model receives the reason', async () => {
    const wait = await startWaitingTurn(['pay']);
    const later = createTestApp({ agents: [changedClerk] });
    const response = await answer(getOnlyLink(wait), APPROVE, { via: later });
    await expectProblem(
      response,
      createProblem(
        'approval-void',
        409,
        "Tool 'pay' has changed since this was asked, so this answer no longer applies. " +
          'The model sees this and can ask again.',
      ),
    );
    // The alarm resumes the turn in the old deployment, where the answer is void too.
    await followToEnd(wait.session);
    expect(listPaymentsTo(wait.to)).toEqual([]);
    expect(wait.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      text: 'Error: The tool has changed since this was asked.',
    });
    await expectProblem(await answer(getOnlyLink(wait), APPROVE), createAnsweredProblem(wait.session));
  });

  it('is refused if its turn was cancelled in the meantime', async () => {
    const wait = await startWaitingTurn(['pay']);
    await send(`${wait.session}/cancel`, { method: 'POST' });
    await followToEnd(wait.session);
    const detail = `The turn of this call has ended without an answer. ${formatLookAdvice(wait.session)}`;
    await expectProblem(await answer(getOnlyLink(wait), APPROVE), createProblem('turn-over', 409, detail));
    expect(listPaymentsTo(wait.to)).toEqual([]);
  });

  it('is refused for a call that did not ask, and for an unknown question', async () => {
    const { session, turn, links } = await startWaitingTurn(['pay', 'pay_now']);
    const never = await answer(`${session}/approvals/${turn}.3.1`, APPROVE);
    const detail = `Call ${turn}.3.1 is not waiting for this answer. It did not ask.`;
    await expectProblem(never, createProblem('not-waiting', 409, detail));
    const third = await answer(`${links[0]}?question=3`, APPROVE);
    const text = `Call ${turn}.3.0 is not waiting for this answer. It has not asked 3 questions.`;
    await expectProblem(third, createProblem('not-waiting', 409, text));
  });
});

describe('an invalid decision', () => {
  const createInvalidBody = (...problems: string[]) =>
    createProblem('invalid-body', 422, `The body is not valid: ${problems.join('; ')}.`, { problems });
  const rule = 'decision: must be approve, edit, reject or exit';

  it.each([
    ['an empty object', '{}', createInvalidBody('decision: is missing')],
    ['an unknown decision', '{"decision":"yes"}', createInvalidBody(rule)],
    ['a decision that is not text', '{"decision":true}', createInvalidBody(rule)],
    ['an edit without input', '{"decision":"edit"}', createInvalidBody('input: is missing')],
    [
      'an edit with a list',
      '{"decision":"edit","input":[]}',
      createInvalidBody('input: must be a JSON object'),
    ],
    [
      'input with an approval',
      '{"decision":"approve","input":{}}',
      createInvalidBody('input: is for the decision edit only'),
    ],
    [
      'several mistakes',
      '{"decision":"yes","input":1,"reason":2,"by":"eve"}',
      createInvalidBody(
        rule,
        'input: must be a JSON object',
        'reason: must be text of at most 2000 characters',
        'by: is not known here',
      ),
    ],
    [
      'a long reason',
      JSON.stringify({ ...APPROVE, reason: 'x'.repeat(2001) }),
      createInvalidBody('reason: must be text of at most 2000 characters'),
    ],
    [
      'a deeply nested edit',
      `{"decision":"edit","input":{"to":${'['.repeat(9_000)}${']'.repeat(9_000)},"amount":1}}`,
      createInvalidBody('input: is nested too deeply'),
    ],
    ['invalid JSON', '{', createProblem('bad-json', 400, 'The body is not JSON.')],
  ])('is refused with every problem: %s', async (_, body, expected) => {
    const wait = await startWaitingTurn(['pay']);
    await expectProblem(await answer(getOnlyLink(wait), body), expected);
    expect(await countAnswers(wait.session)).toBe(0);
  });

  it('is refused with the decisions that this call allows', async () => {
    const wait = await startWaitingTurn(['pay_plainly']);
    expect(wait.pending[0]).toMatchObject({ allows: ['approve', 'reject'] });
    expect(wait.pending[0]).not.toHaveProperty('schema');
    const response = await answer(getOnlyLink(wait), { decision: 'exit' });
    await expectProblem(response, createInvalidBody('decision: must be approve or reject here'));
    expect(await countAnswers(wait.session)).toBe(0);
  });

  it('is refused with the addresses for a result and for a decision', async () => {
    const { session, turn, links } = await startWaitingTurn(['pay', 'look_up']);
    const [decided = '', sent = ''] = links;
    const createWrongAnswer = (call: number, what: string, link: string) =>
      createProblem('wrong-answer', 409, `Call ${turn}.3.${call} waits for ${what}. POST it to ${link}.`);
    await expectProblem(
      await answer(`${session}/approvals/${turn}.3.1`, APPROVE),
      createWrongAnswer(1, 'the result of its tool', sent),
    );
    await expectProblem(
      await answer(`${session}/results/${turn}.3.0`, { text: 'Paid.' }),
      createWrongAnswer(0, 'a decision', decided),
    );
    expect(await countAnswers(session)).toBe(0);
  });

  it.each(['0', '-1', '1.5', 'x', '', '9999999'])(
    'returns 400 if it names a question by %j instead of its number, starting at 1',
    async (which) => {
      const wait = await startWaitingTurn(['pay']);
      const response = await answer(`${getOnlyLink(wait)}?question=${which}`, APPROVE);
      const detail = 'question must be the number of a question of the call, starting at 1.';
      await expectProblem(response, createProblem('invalid-query', 400, detail));
    },
  );

  it('must be sent by POST', async () => {
    const response = await send(`${createSessionPath('clerk')}/approvals/a.3.0`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
