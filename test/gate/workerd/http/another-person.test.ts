/** Several people in one session: who can steer a turn, and who can end another person's pending decision. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Caller, HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { type Agent, defineAgent, defineTool } from '../../../../src/index.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { clerk, listPaymentsTo, payments } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, getSessionId, post, readJournal, readJson, type Send } from './client.ts';
import { answer, createProblem, startWaitingTurn } from './waiting.ts';

const ann: Caller = { id: 'ann', tenant: 'acme', roles: ['clerk'] };
const bob: Caller = { id: 'bob', tenant: 'acme', roles: ['clerk'] };

/** A Worker that trusts the header `x-caller`. */
function createApp(config: Partial<HoldfastConfig> = {}): (caller: Caller) => Send {
  const via = createTestApp({
    auth: ({ headers }) => JSON.parse(headers.get('x-caller') ?? 'null'),
    ...config,
  });
  return (caller) => (path, init) =>
    via(path, { ...init, headers: { ...Object(init?.headers), 'x-caller': JSON.stringify(caller) } });
}

/** The agent, whose turns every person can steer. */
const makeSteerable = (agent: Agent): Agent => ({
  ...agent,
  policies: { ...agent.policies, steering: 'anyone' },
});

const postSteer = (
  session: string,
  via: Send,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  via(`${session}/messages?whenBusy=steer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message: 'In blue?' }),
  });

/** A session with a turn of Ann that runs until it is released, then calls a tool and ends. */
async function startAnnsTurn(as: (caller: Caller) => Send) {
  const session = createSessionPath();
  const first = createHeldReply({ calls: [{ name: 'record', input: { note: 'red' } }] });
  const { message, model } = registerScript(first.reply, 'In red.', 'In blue.');
  const answering = post(session, { message: message('Paint it.') }, { via: as(ann) });
  await first.asked();
  const turn = String((await readJson(await as(ann)(session))).openTurn);
  const finishTurn = async (): Promise<Record<string, unknown>> => {
    first.release();
    return readJson(await answering);
  };
  return { session, turn, model, ended: finishTurn };
}

describe('a message that would steer another person’s turn', () => {
  it('becomes a queued turn of its sender, and the response reports this', async () => {
    const as = createApp();
    const { session, turn, model, ended } = await startAnnsTurn(as);
    const response = await postSteer(session, as(bob));
    const { turn: own, ...more } = await readJson(response);
    expect([response.status, response.headers.get('location'), more]).toEqual([
      202,
      `${session}/turns/${own}`,
      { session: getSessionId(session), agent: 'scripted', status: 'queued' },
    ]);
    expect((await readJson(await as(ann)(session))).waiting).toEqual([{ turn: own, status: 'queued' }]);
    expect(await ended()).toMatchObject({ turn, text: 'In red.' });
    const path = `${session}/turns/${own}`;
    await expect.poll(async () => (await as(bob)(path)).status).toBe(200);
    expect(await readJson(await as(bob)(path))).toMatchObject({ turn: own, text: 'In blue.' });
    const said = model.requests.map(({ messages }) => messages.at(-1));
    expect(said).toMatchObject([{ role: 'user' }, { role: 'tool' }, { role: 'user', text: 'In blue?' }]);
    const started = (await readJournal(session, as(ann))).filter(({ type }) => type === 'turn-started');
    expect(started.map(({ principal }) => principal)).toEqual([ann, bob]);
  });

  it('is not queued twice if it is sent again under its key', async () => {
    const as = createApp();
    const { session, ended } = await startAnnsTurn(as);
    const told = [];
    for (const prefer of [{}, {}, { prefer: 'respond-async' }]) {
      const response = await postSteer(session, as(bob), { 'idempotency-key': 'k', ...prefer });
      told.push([response.status, await readJson(response)]);
    }
    expect(told).toEqual([told[0], told[0], told[0]]);
    expect(told[0]).toMatchObject([202, { status: 'queued' }]);
    await ended();
  });

  it.each<[string, Caller]>([
    ['is shown to the model if both are the same person, with any roles', { ...ann, roles: ['manager'] }],
    ['is shown to the model if the agent lets anyone steer', bob],
  ])('%s', async (_, caller) => {
    const as = createApp(caller.id === 'bob' ? { agents: [makeSteerable(scripted)] } : {});
    const { session, turn, ended } = await startAnnsTurn(as);
    expect(await readJson(await postSteer(session, as(caller)))).toMatchObject({
      status: 'steering',
      into: turn,
    });
    await ended();
  });

  it('needs a valid steering policy, which is checked when the agent is defined', () => {
    const steering = 'Anyone' as 'anyone';
    const agent = { name: 'open', description: 'Is open.', instructions: '' };
    expect(() => defineAgent({ ...agent, policies: { steering } })).toThrow(
      "Agent 'open' has a policy 'steering' of Anyone. Use 'requester' or 'anyone'.",
    );
  });
});

describe('a turn that waits for a person with a role', () => {
  const max: Caller = { id: 'max', tenant: 'acme', roles: ['manager'] };
  const createAskProblems = (session: string, turn: string) => ({
    cancel: createProblem(
      'role-required',
      403,
      `Turn ${turn} waits for a person with the role 'manager', and only they may cancel it. Send the token of a person with this role.`,
      { role: 'manager', turn },
    ),
    erase: createProblem(
      'role-required',
      403,
      `Turn ${turn} of this session waits for a person with the role 'manager', and only they may erase it. Send the token of a person with this role.`,
      { role: 'manager', turn },
    ),
    session,
  });
  const cancel = (via: Send, session: string, query = ''): Promise<Response> =>
    via(`${session}/cancel${query}`, { method: 'POST' });
  const erase = (via: Send, session: string): Promise<Response> => via(session, { method: 'DELETE' });

  it.each(['pay_as_manager', 'pay, pay_as_manager'])(
    'can only be cancelled or erased by a caller with the role: %s',
    async (tools) => {
      const as = createApp({ agents: [clerk] });
      const { session, turn, pending, to } = await startWaitingTurn(tools.split(', '), { via: as(ann) });
      const told = createAskProblems(session, turn);
      for (const query of ['', `?turn=${turn}`]) {
        const response = await cancel(as(ann), session, query);
        expect([response.status, await readJson(response)]).toEqual([403, told.cancel]);
      }
      const kept = await erase(as(bob), session);
      expect([kept.status, await readJson(kept)]).toEqual([403, told.erase]);
      expect(await readJson(await as(ann)(session))).toMatchObject({ openTurn: turn, pending });
      expect((await cancel(as(max), session)).status).toBe(202);
      await expect.poll(async () => (await readJson(await as(ann)(session))).openTurn).toBe(null);
      expect((await erase(as(ann), session)).status).toBe(204);
      expect(listPaymentsTo(to)).toEqual([]);
    },
  );

  it('can be erased by a caller with the role', async () => {
    const as = createApp({ agents: [clerk] });
    const { session } = await startWaitingTurn(['pay_as_manager'], { via: as(ann) });
    expect((await erase(as(max), session)).status).toBe(204);
    expect((await as(ann)(session)).status).toBe(404);
  });

  it('cannot be erased by other callers after its agent was removed', async () => {
    const { session, turn } = await startWaitingTurn(['pay_as_manager'], {
      via: createApp({ agents: [clerk] })(ann),
    });
    const as = createApp({ agents: [scripted] });
    const kept = await erase(as(ann), session);
    expect(await readJson(kept)).toEqual(createAskProblems(session, turn).erase);
    expect((await erase(as(max), session)).status).toBe(204);
  });

  it('does not prevent cancelling a turn behind it, or a turn that waits without a role', async () => {
    const as = createApp({ agents: [clerk] });
    const { session } = await startWaitingTurn(['pay_as_manager'], { via: as(ann), replies: ['Paid.'] });
    const queued = await readJson(
      await as(ann)(`${session}/messages?whenBusy=queue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({ message: 'Two' }),
      }),
    );
    expect((await cancel(as(ann), session, `?turn=${queued.turn}`)).status).toBe(202);
    const other = await startWaitingTurn(['pay'], { via: as(ann) });
    expect((await cancel(as(bob), other.session)).status).toBe(202);
  });

  it('can be cancelled by any caller once it was decided', async () => {
    const as = createApp({ agents: [clerk] });
    const wait = await startWaitingTurn(['pay_as_manager', 'pay'], { via: as(ann) });
    const [first = ''] = wait.links;
    await (await answer(first, { decision: 'reject' }, { via: as(max) })).text();
    expect((await cancel(as(ann), wait.session)).status).toBe(202);
    await expect.poll(async () => (await readJson(await as(ann)(wait.session))).openTurn).toBe(null);
  });
});

describe('a call that another person must decide', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ to: v.string(), amount: v.number() }),
    run: ({ to, amount }, { idempotencyKey: key }) => {
      payments.push({ to, amount, key });
      return 'Paid.';
    },
  });
  const note = defineTool({ name: 'note', description: 'Notes.', run: () => 'Noted.' });
  const teller = defineAgent({
    name: 'teller',
    description: 'Pays.',
    instructions: '',
    tools: [note, requireApproval(pay, 'Pay?', { notBy: 'requester' })],
    model: modelBySession,
  });
  const CALLS = { calls: [{ name: 'pay', input: { to: '', amount: 5 } }] };

  it('is shown with this rule, refuses every decision of its requester, and accepts another person’s', async () => {
    const as = createApp({ agents: [teller] });
    const session = createSessionPath('teller');
    const to = crypto.randomUUID();
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to, amount: 5 } }] }, 'Done.');
    const { turn, pending } = await readJson(
      await post(session, { message: message('Pay.') }, { via: as(ann) }),
    );
    const call = `${turn}.3.0`;
    expect(pending).toMatchObject([{ call, notBy: 'requester' }]);
    const link = `${session}/approvals/${call}`;
    const detail =
      `Call ${call} needs a decision by someone who did not ask for turn ${turn}, and you did. ` +
      'Send the token of another person. To withdraw your request, cancel the turn.';
    const told = createProblem('another-person-required', 403, detail, { notBy: 'requester' });
    for (const decision of ['approve', 'reject', 'exit']) {
      // A role does not make the caller another person.
      const own = as({ ...ann, roles: ['manager'] });
      const response = await answer(link, { decision }, { via: own });
      expect([response.status, await readJson(response)]).toEqual([403, told]);
    }
    expect((await readJson(await as(ann)(session))).pending).toEqual(pending);
    expect(listPaymentsTo(to)).toEqual([]);
    expect(await readJson(await answer(link, { decision: 'approve' }, { via: as(bob) }))).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
    });
    expect(listPaymentsTo(to)).toEqual([5]);
  });

  it('can be withdrawn by its requester', async () => {
    const as = createApp({ agents: [teller] });
    const session = createSessionPath('teller');
    await (
      await post(session, { message: registerScript(CALLS, 'Next.').message() }, { via: as(ann) })
    ).text();
    const response = await as(ann)(`${session}/messages?pending=decline`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Never mind.' }),
    });
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', text: 'Next.' });
  });

  it('cannot be decided by a person who has steered the turn', async () => {
    const as = createApp({ agents: [makeSteerable(teller)] });
    const session = createSessionPath('teller');
    // The call's start is stored before it runs, and the response contains the messages posted meanwhile.
    const first = createHeldReply({ calls: [{ name: 'note' }] });
    const { message } = registerScript(first.reply, CALLS, 'Done.');
    const answering = post(session, { message: message('Pay.') }, { via: as(ann) });
    await first.asked();
    await (await postSteer(session, as(bob))).text();
    first.release();
    const { pending } = await readJson(await answering);
    const [{ links = {} } = {}] = pending as readonly { readonly links?: { readonly approvals?: string } }[];
    const link = links.approvals ?? '';
    for (const one of [ann, bob]) {
      const response = await answer(link, { decision: 'approve' }, { via: as(one) });
      expect([response.status, (await readJson(response)).type]).toEqual([
        403,
        'urn:holdfast:problem:another-person-required',
      ]);
    }
    const cyd = as({ id: 'cyd', tenant: 'acme' });
    expect(await readJson(await answer(link, { decision: 'approve' }, { via: cyd }))).toMatchObject({
      text: 'Done.',
    });
  });
});
