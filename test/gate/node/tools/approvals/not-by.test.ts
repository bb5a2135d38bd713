/** Decisions that the turn's requester may not make. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineDomainType, defineTool } from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  humanInput,
  requireApproval,
  requireType,
  withAwaiting,
  withConfirmation,
} from '../../../../../src/modules/decorators/entry.ts';
import { createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { parseEvent, toRow } from '../../../../doors/journal.ts';

const Note = defineDomainType({ name: 'Note', schema: v.object({ text: v.string() }) });
const notBy = 'requester' as const;

const createPayTool = (): AnyTool =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ amount: v.number() }),
    run: () => 'Paid.',
  });

function createScene(tool: AnyTool, replies = ['Done.']): TestSession {
  const agent = defineAgent({ name: 'clerk', description: 'Pays.', instructions: '', tools: [tool] });
  const input = tool.name === 'human_input' ? { question: 'May I?' } : { amount: 1 };
  return createTestSession(agent, {
    use: [answers],
    replies: [{ calls: [{ name: tool.name, input }] }, ...replies],
  });
}

const listWaits = async (session: TestSession) =>
  (await session.events()).flatMap((event) => (event.type === 'tool-call-suspended' ? [event.wait] : []));

describe("notBy: 'requester'", () => {
  it.each<[string, AnyTool]>([
    ['requireApproval', requireApproval(createPayTool(), 'Pay?', { notBy })],
    ['withConfirmation', withConfirmation(createPayTool(), 'Pay?', { notBy })],
    ['withAwaiting', withAwaiting(createPayTool(), () => ({ message: 'Pay?', notBy }))],
    ['humanInput', humanInput({ notBy })],
    [
      'a tool that asks inside `run`',
      defineTool({
        ...{ name: 'pay', description: 'Pays.', input: v.object({ amount: v.number() }), effect: 'read' },
        run: async (_, call) => (await call.ask({ for: 'decision', message: 'Pay?', notBy })).decision,
      }),
    ],
  ])('prevents the requester of the turn from deciding about %s', async (_, tool) => {
    const session = createScene(tool);
    const { turn } = await session.send('Pay.', { principal: { id: 'ann' } });
    expect((await session.pending())[0]).toMatchObject({ notBy });
    const refused =
      `Call ${turn}.3.0 must be decided by a person who did not ask for turn ${turn}, but 'ann' did. ` +
      "Name another person, as in { decision: 'approve', by: 'manager' }.";
    for (const decision of ['approve', 'exit'] as const) {
      await expect(session.decide(tool.name, { decision, by: 'ann' })).rejects.toThrow(new Error(refused));
    }
    expect(await session.decide(tool.name, { decision: 'approve', by: 'max' })).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
    });
  });

  it('keeps the requester from deciding in a session with a tenant', async () => {
    const session = createScene(requireApproval(createPayTool(), 'Pay?', { notBy }));
    await session.send('Pay.', { principal: { id: 'ann', tenant: 'acme' } });
    await expect(session.decide('pay', { decision: 'approve', by: 'ann' })).rejects.toThrow(
      /must be decided by a person who did not ask for turn/,
    );
    expect(await session.decide('pay', { decision: 'approve', by: 'max' })).toMatchObject({ text: 'Done.' });
  });

  it('keeps the requester from sending a value', async () => {
    const session = createScene(requireType(createPayTool(), Note, { notBy }));
    await session.send('Pay.', { principal: { id: 'ann' } });
    const value = { decision: 'edit', input: { text: 'Paid for.' } } as const;
    await expect(session.decide('pay', { ...value, by: 'ann' })).rejects.toThrow(
      /must be decided by a person who did not ask for turn/,
    );
    expect(await session.decide('pay', { ...value, by: 'max' })).toMatchObject({ text: 'Done.' });
  });

  it('keeps every author of a message in the turn from deciding', async () => {
    let session: TestSession | undefined;
    const agent = defineAgent({
      name: 'clerk',
      description: 'Pays.',
      instructions: '',
      tools: [requireApproval(createPayTool(), 'Pay?', { notBy })],
      policies: { steering: 'anyone' },
    });
    const steerAsBob = async () => {
      await session?.post('To Bob.', { whenBusy: 'steer', principal: { id: 'bob' } });
      return 'Whom?';
    };
    session = createTestSession(agent, {
      replies: [steerAsBob, { calls: [{ name: 'pay', input: { amount: 1 } }] }, 'Done.'],
    });
    await session.send('Pay.', { principal: { id: 'ann' } });
    for (const by of ['ann', 'bob']) {
      await expect(session.decide('pay', { decision: 'approve', by })).rejects.toThrow(`but '${by}' did`);
    }
    expect(await session.decide('pay', { decision: 'approve', by: 'max' })).toMatchObject({ text: 'Done.' });
  });

  it('still accepts an earlier decision if the Worker is killed before the turn resumes', async () => {
    let runs = 0;
    let session: TestSession | undefined;
    const tool = defineTool({
      ...{ name: 'pay', description: 'Pays.', input: v.object({ amount: v.number() }), effect: 'idempotent' },
      run: () => {
        runs += 1;
        if (runs === 1) session?.kill();
        return 'Paid.';
      },
    });
    session = createScene(requireApproval(tool, 'Pay?', { notBy }));
    await session.send('Pay.', { principal: { id: 'ann' } });
    session.restart();
    expect(await session.decide('pay', { decision: 'approve', by: 'max' })).toMatchObject({ text: 'Done.' });
    expect([runs, await listWaits(session)]).toMatchObject([2, [{ notBy }]]);
  });

  it('changes the question: a decision about a question without it does not apply to a question with it', async () => {
    const askForDecision = async (options: { readonly notBy?: 'requester' }) => {
      const session = createScene(requireApproval(createPayTool(), 'Pay?', options));
      await session.send('Pay.');
      return (await listWaits(session))[0];
    };
    const plain = await askForDecision({});
    expect(plain).not.toHaveProperty('notBy');
    // The binding that the previous version stored.
    expect(plain?.binding).toBe('419167307e2a79180f9c4059b7e06fce696a8807739613905be5aac9adf7bb86');
    expect((await askForDecision({ notBy }))?.binding).not.toBe(plain?.binding);
  });

  it('is journaled with the question', async () => {
    for (const options of [{}, { notBy }]) {
      const session = createScene(requireApproval(createPayTool(), 'Pay?', options));
      await session.send('Pay.');
      const event = (await session.events()).find((one) => one.type === 'tool-call-suspended');
      const row = event && toRow(event);
      expect(row && parseEvent({ ...row, seq: 4, at: 0 })).toEqual(event);
    }
  });

  it("accepts no value other than 'requester'", async () => {
    const anyone = 'anyone' as 'requester'; // Plain JavaScript can pass this.
    const told = "Tool 'pay': its notBy is 'anyone'. It must be 'requester'.";
    expect(() => requireApproval(createPayTool(), 'Pay?', { notBy: anyone })).toThrow(told);
    expect(() => withConfirmation(createPayTool(), 'Pay?', { notBy: anyone })).toThrow(told);
    expect(() => requireType(createPayTool(), Note, { notBy: anyone })).toThrow(told);
    expect(() => humanInput({ notBy: anyone })).toThrow(told.replace('pay', 'human_input'));
    const session = createScene(withAwaiting(createPayTool(), () => ({ message: 'Pay?', notBy: anyone })));
    await session.send('Pay.');
    const [ended] = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(ended).toMatchObject({
      type: 'error',
      message: expect.stringContaining("A question has a notBy of 'anyone'. It must be 'requester'."),
    });
  });
});
