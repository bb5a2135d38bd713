/** Edits over HTTP: the response to an invalid edit, and the input that an edit starts from. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool } from '../../../../src/index.ts';
import { definePipeline } from '../../../../src/kinds/entry.ts';
import { requireApproval, withParameter } from '../../../../src/modules/decorators/entry.ts';
import { listPaymentsTo, payments } from '../../../fixtures/clerk-agent.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJournal, readJson } from './client.ts';
import { answer, createProblem } from './waiting.ts';

/** Accepts at most 100, which its JSON Schema does not express. */
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: v.strictObject({
    to: v.string(),
    amount: v.pipe(
      v.number(),
      v.check((amount) => amount <= 100, 'At most 100.'),
    ),
  }),
  run: ({ to, amount }, { idempotencyKey: key }) => {
    payments.push({ to, amount, key });
    return 'Paid.';
  },
});
const askingPayTool: AnyTool = requireApproval(pay, 'Pay?');
const order = defineTool({
  name: 'order',
  description: 'Reads an order.',
  effect: 'read',
  input: v.object({ to: v.string() }),
  run: ({ to }) => ({ to, amount: 5 }),
});

const via = createTestApp({
  agents: [
    defineAgent({
      name: 'teller',
      description: 'Pays.',
      instructions: '',
      tools: [
        askingPayTool,
        withParameter({ ...askingPayTool, name: 'pay_for' }, 'reason', v.string()),
        definePipeline({ name: 'pay_order', steps: [order, askingPayTool] }),
      ],
      model: modelBySession,
    }),
  ],
});

/** A turn that waits for the approval of a payment. */
async function startWaitingFor(name: string, input: Readonly<Record<string, unknown>> = {}) {
  const session = createSessionPath('teller');
  const to = crypto.randomUUID();
  const { message, model } = registerScript({ calls: [{ name, input: { to, ...input } }] }, 'Done.');
  const { turn, pending } = await readJson(await post(session, { message: message() }, { via }));
  const shown = pending as readonly Readonly<Record<string, unknown>>[];
  return { session, turn, to, model, pending: shown[0], link: getApprovalLink(shown) };
}

const getApprovalLink = (pending: unknown): string => String(Object(pending)[0]?.links?.approvals);

describe('an edit over HTTP', () => {
  it('is refused with every problem, and the question stays open', async () => {
    const { session, to, link, model } = await startWaitingFor('pay', { amount: 5 });
    const response = await answer(link, { decision: 'edit', input: { to, amount: 101 } }, { via });
    const problems = ['input: amount: At most 100.'];
    expect([response.status, await readJson(response)]).toEqual([
      422,
      createProblem('invalid-body', 422, 'The body is not valid: input: amount: At most 100.', { problems }),
    ]);
    expect((await readJournal(session, via)).map(({ type }) => type)).not.toContain('tool-call-answered');
    const edited = await answer(link, { decision: 'edit', input: { to, amount: 99 } }, { via });
    expect(await readJson(edited)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([listPaymentsTo(to), model.requests.length]).toEqual([[99], 2]);
  });

  it('starts from the decorated input, which is shown next to the model’s input', async () => {
    const sent = { amount: 5, reason: 'Rent.' };
    const { to, link, pending } = await startWaitingFor('pay_for', sent);
    expect(pending).toMatchObject({
      tool: 'pay_for',
      input: { to, amount: 5 },
      sent: { to, ...sent },
      schema: pay.inputSchema,
    });
    const edited = await answer(link, { decision: 'edit', input: { to, amount: 7 } }, { via });
    expect(await readJson(edited)).toMatchObject({ outcome: 'completed' });
    expect(listPaymentsTo(to)).toEqual([7]);
  });

  it('leads to another question, at a separate address, if it is invalid in a nested loop', async () => {
    const { session, turn, to, link, model } = await startWaitingFor('pay_order');
    const response = await answer(link, { decision: 'edit', input: { to, amount: 101 } }, { via });
    const { pending, status } = await readJson(response);
    expect([response.status, status, pending]).toMatchObject([
      202,
      'suspended',
      [
        {
          message: 'Pay?\nWhat was sent is not valid, and nothing has run:\n- amount: At most 100.',
          input: { to, amount: 5 },
          links: { approvals: `${link}?question=2` },
        },
      ],
    ]);
    // The first question is answered, and accepts no more answers.
    expect((await answer(link, { decision: 'approve' }, { via })).status).toBe(409);
    const edited = await answer(
      getApprovalLink(pending),
      { decision: 'edit', input: { to, amount: 99 } },
      { via },
    );
    expect(await readJson(edited)).toMatchObject({ turn, outcome: 'completed' });
    expect([listPaymentsTo(to), model.requests.length]).toEqual([[99], 2]);
    expect((await readJson(await via(session))).pending).toEqual([]);
  });
});
