import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineRefunds } from '../../../../src/examples/refunds/refunds.ts';
import { createShop, paperShop } from '../../../../src/examples/support/shop.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { getModelText } from '../../../doors/tools.ts';

const QUESTION =
  'Refund 118.50 euro for order 1002 (2 x Mooring line, 20 m, 1 x Storm lantern) to Iker Sola?';
const POLICY =
  'Returns: Unused goods may come back within 60 days. Cut rope and opened flares may not.\n' +
  'Refunds: An order is refunded once, in full, to the account that paid for it, within five working days.\n' +
  'Delivery: Parcels leave the house within two working days. A note for the carrier can be changed until delivery.\n' +
  'Privacy: We speak about an order only with the customer who placed it.';

const startOfflineSession = (approval: Parameters<typeof defineRefunds>[1] = {}) => {
  const clock = createManualClock();
  const session = createTestSession(defineRefunds(paperShop, approval), { model: offlineModel(), clock });
  return { session, clock };
};

/** Returns each call of the conversation: its name, its input and the text for the model. */
async function listCalls(session: TestSession): Promise<readonly (readonly string[])[]> {
  const { messages } = await session.state();
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.calls.map(({ name, input, ended }) => [
          name,
          input,
          ended ? getModelText(ended.result) : 'waits',
        ])
      : [],
  );
}

describe('the refunds desk with the offline planner', () => {
  it('estimates a refund, and waits for a supervisor before it issues the refund', async () => {
    const { session } = startOfflineSession({ by: 'supervisor' });
    expect(await session.send('Please refund order 1002')).toMatchObject({ outcome: 'suspended' });
    expect(await session.pending()).toMatchObject([{ message: QUESTION, by: 'supervisor' }]);
    const estimate = '{"orderId":1002,"amount":118.5,"payee":"Iker Sola"}';
    expect(await listCalls(session)).toEqual([
      ['estimate_refund', '{"orderId":1002}', estimate],
      ['issue_refund', '{"orderId":1002,"amount":118.5}', 'waits'],
    ]);
  });

  it('issues the refund after the approval, even after a restart', async () => {
    const { session } = startOfflineSession();
    await session.send('Please refund order 1002');
    session.restart();
    const answer = await session.decide('issue_refund', 'approve');
    expect(answer).toMatchObject({
      outcome: 'completed',
      artifacts: [{}, { value: { refunded: 1002, amount: 118.5 } }],
    });
    expect(answer.text).toContain('amount: 118.5');
  });

  it('reports a declined refund', async () => {
    const { session } = startOfflineSession();
    await session.send('Please refund order 1002');
    const answer = await session.decide('issue_refund', {
      decision: 'reject',
      reason: 'The lantern was lit.',
    });
    expect(answer.text).toContain(
      "Error: This call of 'issue_refund' was declined and did not run. Do not repeat it unchanged. Reason: The lantern was lit.",
    );
  });

  it('does not issue a refund if no one decides within three days', async () => {
    const { session, clock } = startOfflineSession();
    await session.send('Please refund order 1002');
    await clock.advance(3 * 24 * 60 * 60_000);
    expect((await session.settled()).text).toContain(
      "Error: Nobody decided about this call of 'issue_refund' in time, so it did not run.",
    );
  });

  it.each([
    ['How much would be refunded for order 1002?', 'amount: 118.5'],
    ['What does the policy say about returns?', 'Unused goods may come back within 60 days.'],
  ])('answers "%s" without asking for approval', async (question, fact) => {
    const { session } = startOfflineSession();
    const answer = await session.send(question);
    expect(answer).toMatchObject({ outcome: 'completed', toolCalls: expect.any(Number) });
    expect(answer.text).toContain(fact);
  });

  it('receives the policy once per loop, and then only a reference to the policy (ONE-05)', async () => {
    const { session } = startOfflineSession();
    await session.send('What does the policy say about returns?', { loopId: 'policy' });
    await session.send('Show me the policy on flares again', { loopId: 'policy' });
    const pointed =
      "ALREADY LOADED. The body of 'read_policy' was returned earlier in this turn — read it from your conversation " +
      'history above. Do not call this tool again.\nAnswer now from the policy above.';
    expect((await listCalls(session)).map(([, , text]) => text)).toEqual([POLICY, pointed]);
  });
});

describe('the refunds desk with a payments service', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Fakes a service that does its work and then returns `status`. */
  function stubPayments(status: number) {
    const paid: string[] = [];
    const done = new Map<string, string>();
    vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit = {}) => {
      const path = new URL(url).pathname;
      if (method !== 'POST') {
        const reference = done.get(path);
        return Response.json({ reference }, { status: reference === undefined ? 404 : 200 });
      }
      paid.push(String(body));
      done.set(`${path}/${new Headers(headers).get('idempotency-key')}`, `number ${paid.length}`);
      return Response.json({ reference: `number ${paid.length}` }, { status });
    });
    return paid;
  }

  const startRefund = (input: object): TestSession =>
    createTestSession(defineRefunds(createShop('http://shop.test')), {
      replies: [{ calls: [{ name: 'issue_refund', input }] }, 'Done.'],
    });

  it.each([200, 503])('pays once if the refund is approved and the service returns %i', async (status) => {
    const paid = stubPayments(status);
    const session = startRefund({ orderId: 1001, amount: 64 });
    await session.send('Refund 1001.');
    expect(paid).toEqual([]);
    await session.decide('issue_refund', 'approve');
    expect(paid).toEqual(['{"orderId":1001,"amount":64}']);
    const [, , text] = (await listCalls(session))[0] ?? [];
    expect(text).toBe('{"refunded":1001,"amount":64,"reference":"number 1"}');
  });

  it('pays the amount to which the supervisor has changed the refund', async () => {
    const paid = stubPayments(200);
    const session = startRefund({ orderId: 1001, amount: 64 });
    await session.send('Refund 1001.');
    await session.decide('issue_refund', { decision: 'edit', input: { orderId: 1001, amount: 32 } });
    expect(paid).toEqual(['{"orderId":1001,"amount":32}']);
  });

  it.each([
    [{ orderId: 1001, amount: 65 }, 'Error: Order 1001 cost 64; no more is refunded.'],
    [{ orderId: 7, amount: 1 }, 'Error: There is no order 7. Numbers start at 1001.'],
  ])('does not pay a refund with the input %j, even if it is approved', async (input, text) => {
    const paid = stubPayments(200);
    const session = startRefund(input);
    await session.send('Refund it.');
    await session.decide('issue_refund', 'approve');
    expect([paid, (await listCalls(session))[0]?.[2]]).toEqual([[], text]);
  });
});

describe('the estimate of a refund', () => {
  const estimateRefund = async (orderId: number): Promise<string | undefined> => {
    const session = createTestSession(defineRefunds(paperShop), {
      replies: [{ calls: [{ name: 'estimate_refund', input: { orderId } }] }, 'Done.'],
    });
    await session.send('Estimate it.');
    return (await listCalls(session))[0]?.[2];
  };

  it('makes three calls, which are journaled, and one model call', async () => {
    const session = createTestSession(defineRefunds(paperShop), {
      replies: [{ calls: [{ name: 'estimate_refund', input: { orderId: 1004 } }] }, 'Done.'],
    });
    await session.send('Estimate it.');
    const asked = (await session.events()).flatMap((event) =>
      event.type === 'model-replied' ? event.toolCalls.map(({ name }) => name) : [],
    );
    expect(asked).toEqual(['estimate_refund', 'look_up_order', 'compute_amount', 'word_quote']);
    expect(session.requests).toHaveLength(2);
  });

  it.each([
    [1004, '{"orderId":1004,"amount":27,"payee":"Maren Holt"}'],
    [7, 'Error: There is no order 7. Numbers start at 1001.'],
  ])('for order %i has the result %s', async (orderId, text) => {
    expect(await estimateRefund(orderId)).toBe(text);
  });
});
