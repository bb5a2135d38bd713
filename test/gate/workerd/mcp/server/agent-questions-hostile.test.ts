import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { changedClerk, clerk, listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { type Questions, sendModernRequest } from './asking.ts';
import { createEndpointApp, createSessionId, getTexts, getView } from './talk.ts';

/** Reads the caller from `x-user`: an id, then an optional tenant and role. */
const auth = ({ headers }: Request): Caller => {
  const [id = '', tenant, role] = (headers.get('x-user') ?? 'ann').split(' ');
  return { id, ...(tenant && { tenant }), ...(role && { roles: [role] }) };
};

const createUserHeader = (user: string) => ({ headers: { 'x-user': user } });

const [pay] = clerk.tools;
const carefulAgent = defineAgent({
  name: 'careful',
  description: 'Has another person decide.',
  instructions: '',
  model: modelBySession,
  tools: pay ? [requireApproval(pay, 'Pay?', { notBy: 'requester' })] : [],
});

const agents = [clerk, carefulAgent];
const via = createEndpointApp(
  { agents: [clerk, { agent: 'clerk', as: 'teller' }, carefulAgent] },
  { agents, auth },
);

const INVALID_STATE_ERROR = {
  error: {
    code: -32602,
    message:
      '`requestState` does not belong to this request. Send it back unchanged, with the `name` and `arguments` ' +
      'of the first request, or omit it to start again.',
  },
};

const approve = { action: 'accept', content: { decision: 'approve' } };

interface Params {
  readonly name: string;
  readonly arguments: { readonly message: string; readonly session?: string };
}

interface RetryOptions extends Partial<Params> {
  readonly by?: string;
  readonly state?: unknown;
}

/** A call of the clerk that asks for permission to pay. */
async function askAgent(user = 'ann', replies: Parameters<typeof registerScript> = ['Paid.'], tool = 'pay') {
  const to = crypto.randomUUID();
  const { message, model } = registerScript(
    { calls: [{ name: tool, input: { to, amount: 5 } }] },
    ...replies,
  );
  const session = createSessionId();
  const params: Params = { name: 'clerk', arguments: { message: message(), session } };
  const { result } = await sendModernRequest(via, 'tools/call', { ...params }, createUserHeader(user));
  const { requestState, inputRequests } = result as Questions;
  const [key = ''] = Object.keys(inputRequests);
  const retryWith = (answer: unknown, { by = user, state = requestState, ...more }: RetryOptions = {}) =>
    sendModernRequest(
      via,
      'tools/call',
      { ...params, requestState: state, inputResponses: { [key]: answer }, ...more },
      createUserHeader(by),
    );
  return { to, model, session, params, key, state: requestState, again: retryWith };
}

/** Changes the content of a state. */
const forgeRequestState = (state: string, change: Readonly<Record<string, unknown>>): string =>
  `holdfast-1.${btoa(JSON.stringify({ ...JSON.parse(atob(state.slice('holdfast-1.'.length))), ...change }))}`;

describe('an answer to a pending question', () => {
  it('decides only once, even if it is sent repeatedly', async () => {
    const { to, model, again } = await askAgent();
    const results = await Promise.all([again(approve), again(approve), again(approve)]);
    for (const { result } of results)
      expect([getTexts(result), getView(result).outcome]).toEqual([['Paid.'], 'completed']);
    expect(getTexts((await again(approve)).result)).toEqual(['Paid.']);
    expect([listPaymentsTo(to), model.requests.length]).toEqual([[5], 2]);
  });

  it('is refused after another answer, and its sender sees the outcome', async () => {
    const { to, session, again } = await askAgent();
    expect(getTexts((await again(approve)).result)).toEqual(['Paid.']);
    const { result } = await again({ action: 'decline' });
    expect(getTexts(result)).toEqual([
      'Paid.',
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(listPaymentsTo(to)).toEqual([5]);
  });

  it('is accepted once in a request, even if the request state repeats the question', async () => {
    const { to, session, key, state, again } = await askAgent();
    const many = forgeRequestState(state, { asked: Array.from({ length: 1_000 }, () => key) });
    expect(getTexts((await again(approve, { state: many })).result)).toEqual(['Paid.']);
    const { result } = await again({ action: 'decline' }, { state: many });
    expect(getTexts(result)).toEqual([
      'Paid.',
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(listPaymentsTo(to)).toEqual([5]);
  });

  it('finds a turn that was decided over HTTP in the meantime', async () => {
    const { to, session, key, again } = await askAgent();
    const [call] = key.split('#');
    const decided = await via(`/agents/clerk/sessions/${session}/approvals/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...createUserHeader('ann').headers },
      body: JSON.stringify({ decision: 'reject' }),
    });
    expect(decided.status).toBe(200);
    const { result } = await again(approve);
    expect(getTexts(result)).toEqual([
      'Paid.', // as scripted
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('answers only its own question, and no later question', async () => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const more = { calls: [{ name: 'pay', input: { to: second, amount: 7 } }] };
    const { key, state, params, again } = await askAgent('ann', [more, `Paid ${first}.`]);
    const { result } = await again(approve);
    const [later = ''] = Object.keys((result as Questions).inputRequests);
    expect(later).not.toBe(key);
    const sent = { ...params, requestState: state, inputResponses: { [key]: approve, [later]: approve } };
    const repeated = await sendModernRequest(via, 'tools/call', sent, createUserHeader('ann'));
    expect(repeated.result).toEqual(result);
    expect(listPaymentsTo(second)).toEqual([]);
  });

  it('is refused from a caller who does not own the session, as if the session did not exist', async () => {
    const { to, again } = await askAgent();
    expect(await again(approve, { by: 'eve' })).toEqual(INVALID_STATE_ERROR);
    expect(await again(approve, { by: 'ann tenant' })).toEqual(INVALID_STATE_ERROR);
    const tenants = await askAgent('ann red');
    expect(await tenants.again(approve, { by: 'ann blue' })).toEqual(INVALID_STATE_ERROR);
    expect(await tenants.again(approve, { by: 'ann' })).toEqual(INVALID_STATE_ERROR);
    expect([listPaymentsTo(to), listPaymentsTo(tenants.to)]).toEqual([[], []]);
    // A caller who shares the session can decide, as over HTTP.
    expect(getTexts((await tenants.again(approve, { by: 'bob red' })).result)).toEqual(['Paid.']);
  });

  it.each([
    ['another session', () => ({ session: createSessionId() })],
    ['another turn', () => ({ turn: '0123456789abcdef' })],
    ['an invalid session', () => ({ session: 'a b' })],
    ['a session that is too long', () => ({ session: 's'.repeat(200) })],
    ['a turn that is not text', () => ({ turn: 5 })],
    ['a key that is not text', () => ({ asked: [5] })],
    ['too many keys', () => ({ asked: new Array(1_001).fill('k') })],
    ['another call', () => ({ call: '00' })],
    ['additional fields', () => ({ more: 1 })],
    ['too few fields', () => ({ asked: undefined })],
  ])('is refused with a request state that names %s', async (what, change) => {
    const { to, state, again } = await askAgent();
    const refused = await again(approve, { state: forgeRequestState(state, change()) });
    const odd = 'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';
    const isOdd = what === 'an invalid session';
    expect(refused).toEqual(isOdd ? { error: { code: -32602, message: odd } } : INVALID_STATE_ERROR);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('has no effect with a request state that names a question of another turn, or an unknown one', async () => {
    const other = await askAgent();
    const { to, state, params } = await askAgent();
    for (const key of [other.key, 'nothing#0', '__proto__']) {
      const sent = {
        ...params,
        requestState: forgeRequestState(state, { asked: [key] }),
        inputResponses: { [key]: approve },
      };
      const { result } = await sendModernRequest(via, 'tools/call', sent, createUserHeader('ann'));
      expect(Object(result).resultType).toBe('input_required');
    }
    expect([listPaymentsTo(to), listPaymentsTo(other.to)]).toEqual([[], []]);
  });

  it('is refused without a request state, with an invalid one, and with another input', async () => {
    const { to, key, state, params, again } = await askAgent();
    const responses = { inputResponses: { [key]: approve } };
    expect(
      await sendModernRequest(via, 'tools/call', { ...params, ...responses }, createUserHeader('ann')),
    ).toEqual({
      error: {
        code: -32602,
        message: '`inputResponses` need the `requestState` of their questions.',
      },
    });
    for (const bad of [5, null, {}, [state], '', 'holdfast-1.', `${state}-TAMPERED`, 'x'.repeat(500_000)]) {
      expect(await again(approve, { state: bad })).toEqual(INVALID_STATE_ERROR);
    }
    const changes: readonly Partial<Params>[] = [
      { arguments: { ...params.arguments, message: 'Something else.' } },
      { arguments: { message: params.arguments.message } },
      { name: 'teller' },
      { name: 'careful' },
    ];
    for (const change of changes) expect(await again(approve, { ...change })).toEqual(INVALID_STATE_ERROR);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('is refused if its session was erased', async () => {
    const { to, session, again } = await askAgent();
    await via(`/agents/clerk/sessions/${session}`, { method: 'DELETE', ...createUserHeader('ann') });
    expect(await again(approve)).toEqual(INVALID_STATE_ERROR);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('is void if the tool has changed since', async () => {
    const { to, session, params, state, key } = await askAgent();
    const later = createEndpointApp({ agents: ['clerk'] }, { agents: [changedClerk], auth });
    const sent = { ...params, requestState: state, inputResponses: { [key]: approve } };
    const { result } = await sendModernRequest(later, 'tools/call', sent, createUserHeader('ann'));
    expect(getTexts(result).at(-1)).toBe(
      "An answer was not accepted. Tool 'pay' has changed since this was asked, so this answer no longer applies. The model sees " +
        'this and can ask again.',
    );
    expect([listPaymentsTo(to), getView(result).session]).toEqual([[], session]);
  });

  it('is requested and accepted only from callers with the permission', async () => {
    const to = crypto.randomUUID();
    const call = { calls: [{ name: 'pay_as_manager', input: { to, amount: 5 } }] };
    const params = {
      name: 'clerk',
      arguments: { message: registerScript(call, 'Paid.').message(), session: createSessionId() },
    };
    const words = await sendModernRequest(via, 'tools/call', params, createUserHeader('bob red'));
    expect(getView(words.result).outcome).toBe('suspended');
    const boss = await askAgent('ann red manager', ['Paid.'], 'pay_as_manager');
    const { result } = await boss.again(approve, { by: 'bob red' });
    const [id] = boss.key.split('#');
    expect([getView(result).outcome, getTexts(result).at(-1)]).toEqual([
      'suspended',
      `An answer was not accepted. Call ${id} must be answered by a person with the role 'manager'. Send the token of a person with this role.`,
    ]);
    expect(listPaymentsTo(boss.to)).toEqual([]);
    expect(getTexts((await boss.again(approve)).result)).toEqual(['Paid.']);
  });

  it('is not requested from the requester if another person must decide', async () => {
    const call = { calls: [{ name: 'pay', input: { to: 'nobody', amount: 5 } }] };
    const { message } = registerScript(call);
    const params = { name: 'careful', arguments: { message: message(), session: createSessionId() } };
    const { result } = await sendModernRequest(via, 'tools/call', params, createUserHeader('ann red'));
    expect(getView(result).outcome).toBe('suspended');
  });
});
