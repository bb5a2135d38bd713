/**
 * A turn that waits for an answer although the next deployment, in which no tool asks, lacks the `answers`
 * module.
 */
import { expect, it } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { createSessionPath, post, readJson, type Send } from '../../http/client.ts';

const max: Caller = { id: 'ann', roles: ['manager'] };
const ann: Caller = { id: 'ann', roles: [] };

const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' });
const clerk = {
  name: 'agent',
  description: 'Pays.',
  instructions: '',
  model: modelBySession,
};
const askingAgent = defineAgent({ ...clerk, tools: [requireApproval(pay, 'Pay?', { by: 'manager' })] });
const plain = defineAgent(clerk);

const createAppBefore = (caller: Caller): Send =>
  createTestApp({ agents: [askingAgent], auth: () => caller });
const createAppAfter = (caller: Caller): Send => createTestApp({ agents: [plain], auth: () => caller });

/** Runs a turn that waits for the approval of a call. */
async function startWaitingTurn() {
  const session = createSessionPath('agent');
  const message = registerScript({ calls: [{ name: 'pay' }] }, 'Done.').message();
  const { turn, status } = await readJson(await post(session, { message }, { via: createAppBefore(max) }));
  expect(status).toBe('suspended');
  return { session, call: `${turn}.3.0`, path: `${session}/turns/${turn}` };
}

const approveCall = (session: string, call: string, via: Send): Promise<Response> =>
  via(`${session}/approvals/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  });

const cancel = (session: string, via: Send): Promise<Response> =>
  via(`${session}/cancel`, { method: 'POST' });

const postDecline = (session: string, via: Send): Promise<Response> =>
  via(`${session}/messages?pending=decline`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Never mind.' }),
  });

it('an app without the `answers` module shows the turn as suspended without pending calls', async () => {
  const { session, path } = await startWaitingTurn();
  expect(await readJson(await createAppAfter(max)(path))).toMatchObject({ status: 'suspended', pending: [] });
  expect(await readJson(await createAppAfter(max)(session))).toMatchObject({ pending: [] });
});

it('an app that has the module again shows the pending calls, even without new events', async () => {
  const { session } = await startWaitingTurn();
  const { headers } = await createAppAfter(max)(session);
  const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
  expect((await createAppAfter(max)(session, known)).status).toBe(304);
  const back = await createAppBefore(max)(session, known);
  expect(back.status).toBe(200);
  expect(await readJson(back)).toMatchObject({ pending: [{ tool: 'pay' }] });
});

it('an app without the module has no route for the answer, reports the missing module, and resumes the turn with it', async () => {
  const { session, call } = await startWaitingTurn();
  const refused = await approveCall(session, call, createAppAfter(max));
  expect([refused.status, await readJson(refused)]).toMatchObject([
    404,
    {
      type: 'urn:holdfast:problem:unknown-route',
      detail:
        'This path is unknown. GET / shows where to start. An answer to a call needs the module `answers`. ' +
        "Import it from 'holdfast/answers' and add it to `use`.",
    },
  ]);
  expect(await readJson(await approveCall(session, call, createAppBefore(max)))).toMatchObject({
    text: 'Done.',
  });
});

it.each([cancel, postDecline])(
  'an app without the module lets only a caller with the question’s role end the turn: %o',
  async (end) => {
    const { session, path } = await startWaitingTurn();
    const refused = await end(session, createAppAfter(ann));
    expect([refused.status, (await readJson(refused)).type]).toEqual([
      403,
      'urn:holdfast:problem:role-required',
    ]);
    expect(await readJson(await createAppAfter(max)(path))).toMatchObject({ status: 'suspended' });
    expect((await end(session, createAppAfter(max))).ok).toBe(true);
  },
);

it('an app without the module ends the turn as cancelled if a message declines the question', async () => {
  const { session, path } = await startWaitingTurn();
  expect(await readJson(await postDecline(session, createAppAfter(max)))).toMatchObject({ text: 'Done.' });
  expect(await readJson(await createAppAfter(max)(path))).toMatchObject({ outcome: 'cancelled' });
});
