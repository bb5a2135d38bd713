import { createTestSession } from 'holdfast/testing';
import { crashMatrix } from 'holdfast/testing/crash-matrix';
import { expect, it } from 'vitest';
import { clerk } from './clerk.ts';

const ann = { id: 'ann', tenant: 'acme' };
const mia = { id: 'mia', tenant: 'acme', roles: ['manager'] };
const send = 'Please pay invoice INV-17.';
const replies = [{ calls: [{ name: 'pay_invoice', input: { number: 'INV-17' } }] }, 'It is paid.'];

it('pays an invoice after a manager approves the payment', async () => {
  const session = createTestSession(clerk, { replies, principal: ann });
  expect(await session.send(send)).toMatchObject({
    outcome: 'suspended',
    pending: [{ message: 'Pay INV-17?' }],
  });
  const answer = await session.decide('pay_invoice', { decision: 'approve', by: mia });
  expect(answer).toMatchObject({
    outcome: 'completed',
    artifacts: [{ value: { paid: 'INV-17', by: 'acme' } }],
  });
});

it.each([ann, { ...ann, roles: ['manager'] }])('refuses an approval by %j', async (by) => {
  const session = createTestSession(clerk, { replies, principal: ann });
  await session.send(send);
  await expect(session.decide('pay_invoice', { decision: 'approve', by })).rejects.toThrow();
});

it('pays an invoice at most once, wherever the Worker crashes', async () => {
  const steps = [
    { send, replies },
    { decide: 'pay_invoice', as: { decision: 'approve' as const, by: mia } },
  ];
  const report = await crashMatrix(clerk, { steps }, { principal: ann });
  console.log(report.toTable());
  expect(report).toMatchObject({ messagesLost: 0, effectsDoubled: 0 });
}, 60_000);
