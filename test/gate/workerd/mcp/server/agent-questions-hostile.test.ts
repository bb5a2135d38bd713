import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { changedClerk, clerk, paidTo } from '../../../../fixtures/clerk-agent.ts';
import { modelBySession, script } from '../../../../fixtures/scripts.ts';
import { type Questions, requestWith } from './asking.ts';
import { appWithEndpoint, newId, textsOf, viewOf } from './talk.ts';

/** Reads the caller from `x-user`: an id, then an optional tenant and role. */
const auth = ({ headers }: Request): Caller => {
  const [id = '', tenant, role] = (headers.get('x-user') ?? 'ann').split(' ');
  return { id, ...(tenant && { tenant }), ...(role && { roles: [role] }) };
};

const userHeader = (user: string) => ({ headers: { 'x-user': user } });

const [pay] = clerk.tools;
const carefulAgent = defineAgent({
  name: 'careful',
  description: 'Has another person decide.',
  instructions: '',
  model: modelBySession,
  tools: pay ? [requireApproval(pay, 'Pay?', { notBy: 'requester' })] : [],
});

const agents = [clerk, carefulAgent];
const via = appWithEndpoint(
  { agents: [clerk, { agent: 'clerk', as: 'teller' }, carefulAgent] },
  { agents, auth },
);

const INVALID_STATE = {
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

/** A call of the clerk that asks whether it can pay. */
async function askAgent(user = 'ann', replies: Parameters<typeof script> = ['Paid.'], tool = 'pay') {
  const to = crypto.randomUUID();
  const { message, model } = script({ calls: [{ name: tool, input: { to, amount: 5 } }] }, ...replies);
  const session = newId();
  const params: Params = { name: 'clerk', arguments: { message: message(), session } };
  const { result } = await requestWith(via, 'tools/call', { ...params }, userHeader(user));
  const { requestState, inputRequests } = result as Questions;
  const [key = ''] = Object.keys(inputRequests);
  const again = (answer: unknown, { by = user, state = requestState, ...more }: RetryOptions = {}) =>
    requestWith(
      via,
      'tools/call',
      { ...params, requestState: state, inputResponses: { [key]: answer }, ...more },
      userHeader(by),
    );
  return { to, model, session, params, key, state: requestState, again };
}

/** Changes the content of a state. */
const forgeState = (state: string, change: Readonly<Record<string, unknown>>): string =>
  `holdfast-1.${btoa(JSON.stringify({ ...JSON.parse(atob(state.slice('holdfast-1.'.length))), ...change }))}`;

describe('an answer to a pending question', () => {
  it('decides once, even if it is sent repeatedly', async () => {
    const { to, model, again } = await askAgent();
    const results = await Promise.all([again(approve), again(approve), again(approve)]);
    for (const { result } of results)
      expect([textsOf(result), viewOf(result).outcome]).toEqual([['Paid.'], 'completed']);
    expect(textsOf((await again(approve)).result)).toEqual(['Paid.']);
    expect([paidTo(to), model.requests.length]).toEqual([[5], 2]);
  });

  it('is refused after another answer, and its sender sees the outcome', async () => {
    const { to, session, again } = await askAgent();
    expect(textsOf((await again(approve)).result)).toEqual(['Paid.']);
    const { result } = await again({ action: 'decline' });
    expect(textsOf(result)).toEqual([
      'Paid.',
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(paidTo(to)).toEqual([5]);
  });

  it('is accepted once in a request, even if the request state repeats the question', async () => {
    const { to, session, key, state, again } = await askAgent();
    const many = forgeState(state, { asked: Array.from({ length: 1_000 }, () => key) });
    expect(textsOf((await again(approve, { state: many })).result)).toEqual(['Paid.']);
    const { result } = await again({ action: 'decline' }, { state: many });
    expect(textsOf(result)).toEqual([
      'Paid.',
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(paidTo(to)).toEqual([5]);
  });

  it('finds a turn that was decided over HTTP in the meantime', async () => {
    const { to, session, key, again } = await askAgent();
    const [call] = key.split('#');
    const decided = await via(`/agents/clerk/sessions/${session}/approvals/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...userHeader('ann').headers },
      body: JSON.stringify({ decision: 'reject' }),
    });
    expect(decided.status).toBe(200);
    const { result } = await again(approve);
    expect(textsOf(result)).toEqual([
      'Paid.', // as the script has it
      'An answer was not accepted. This question has already been answered. ' +
        `GET /agents/clerk/sessions/${session} shows the state of the session.`,
    ]);
    expect(paidTo(to)).toEqual([]);
  });

  it('answers its own question, and no later one', async () => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const more = { calls: [{ name: 'pay', input: { to: second, amount: 7 } }] };
    const { key, state, params, again } = await askAgent('ann', [more, `Paid ${first}.`]);
    const { result } = await again(approve);
    const [later = ''] = Object.keys((result as Questions).inputRequests);
    expect(later).not.toBe(key);
    const sent = { ...params, requestState: state, inputResponses: { [key]: approve, [later]: approve } };
    const repeated = await requestWith(via, 'tools/call', sent, userHeader('ann'));
    expect(repeated.result).toEqual(result);
    expect(paidTo(second)).toEqual([]);
  });

  it('is refused to a caller who does not own the session, as if the session did not exist', async () => {
    const { to, again } = await askAgent();
    expect(await again(approve, { by: 'eve' })).toEqual(INVALID_STATE);
    expect(await again(approve, { by: 'ann tenant' })).toEqual(INVALID_STATE);
    const tenants = await askAgent('ann red');
    expect(await tenants.again(approve, { by: 'ann blue' })).toEqual(INVALID_STATE);
    expect(await tenants.again(approve, { by: 'ann' })).toEqual(INVALID_STATE);
    expect([paidTo(to), paidTo(tenants.to)]).toEqual([[], []]);
    // A caller who shares the session can decide in it, as over HTTP.
    expect(textsOf((await tenants.again(approve, { by: 'bob red' })).result)).toEqual(['Paid.']);
  });

  it.each([
    ['another session', () => ({ session: newId() })],
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
    const refused = await again(approve, { state: forgeState(state, change()) });
    const odd = 'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';
    const isOdd = what === 'an invalid session';
    expect(refused).toEqual(isOdd ? { error: { code: -32602, message: odd } } : INVALID_STATE);
    expect(paidTo(to)).toEqual([]);
  });

  it('has no effect with a request state that names a question of another turn, or an unknown one', async () => {
    const other = await askAgent();
    const { to, state, params } = await askAgent();
    for (const key of [other.key, 'nothing#0', '__proto__']) {
      const sent = {
        ...params,
        requestState: forgeState(state, { asked: [key] }),
        inputResponses: { [key]: approve },
      };
      const { result } = await requestWith(via, 'tools/call', sent, userHeader('ann'));
      expect(Object(result).resultType).toBe('input_required');
    }
    expect([paidTo(to), paidTo(other.to)]).toEqual([[], []]);
  });

  it('is refused without a request state, with an invalid one, and with another input', async () => {
    const { to, key, state, params, again } = await askAgent();
    const responses = { inputResponses: { [key]: approve } };
    expect(await requestWith(via, 'tools/call', { ...params, ...responses }, userHeader('ann'))).toEqual({
      error: {
        code: -32602,
        message: '`inputResponses` need the `requestState` of their questions.',
      },
    });
    for (const bad of [5, null, {}, [state], '', 'holdfast-1.', `${state}-TAMPERED`, 'x'.repeat(500_000)]) {
      expect(await again(approve, { state: bad })).toEqual(INVALID_STATE);
    }
    const changes: readonly Partial<Params>[] = [
      { arguments: { ...params.arguments, message: 'Something else.' } },
      { arguments: { message: params.arguments.message } },
      { name: 'teller' },
      { name: 'careful' },
    ];
    for (const change of changes) expect(await again(approve, { ...change })).toEqual(INVALID_STATE);
    expect(paidTo(to)).toEqual([]);
  });

  it('is refused if its session was erased', async () => {
    const { to, session, again } = await askAgent();
    await via(`/agents/clerk/sessions/${session}`, { method: 'DELETE', ...userHeader('ann') });
    expect(await again(approve)).toEqual(INVALID_STATE);
    expect(paidTo(to)).toEqual([]);
  });

  it('is void if the tool has changed since', async () => {
    const { to, session, params, state, key } = await askAgent();
    const later = appWithEndpoint({ agents: ['clerk'] }, { agents: [changedClerk], auth });
    const sent = { ...params, requestState: state, inputResponses: { [key]: approve } };
    const { result } = await requestWith(later, 'tools/call', sent, userHeader('ann'));
    expect(textsOf(result).at(-1)).toBe(
      "An answer was not accepted. Tool 'pay' has changed since this was asked, so this answer no longer applies. The model sees " +
        'this and can ask again.',
    );
    expect([paidTo(to), viewOf(result).session]).toEqual([[], session]);
  });

  it('is requested and accepted only from callers with the permission', async () => {
    const to = crypto.randomUUID();
    const call = { calls: [{ name: 'pay_as_manager', input: { to, amount: 5 } }] };
    const params = {
      name: 'clerk',
      arguments: { message: script(call, 'Paid.').message(), session: newId() },
    };
    const words = await requestWith(via, 'tools/call', params, userHeader('bob red'));
    expect(viewOf(words.result).outcome).toBe('suspended');
    const boss = await askAgent('ann red manager', ['Paid.'], 'pay_as_manager');
    const { result } = await boss.again(approve, { by: 'bob red' });
    const [id] = boss.key.split('#');
    expect([viewOf(result).outcome, textsOf(result).at(-1)]).toEqual([
      'suspended',
      `An answer was not accepted. Call ${id} must be answered by a person with the role 'manager'. Send the token of a person with this role.`,
    ]);
    expect(paidTo(boss.to)).toEqual([]);
    expect(textsOf((await boss.again(approve)).result)).toEqual(['Paid.']);
  });

  it('is not requested from the requester if another person must decide', async () => {
    const call = { calls: [{ name: 'pay', input: { to: 'nobody', amount: 5 } }] };
    const { message } = script(call);
    const params = { name: 'careful', arguments: { message: message(), session: newId() } };
    const { result } = await requestWith(via, 'tools/call', params, userHeader('ann red'));
    expect(viewOf(result).outcome).toBe('suspended');
  });
});
