import { createTestSession } from 'holdfast/testing';
import { crashMatrix } from 'holdfast/testing/crash-matrix';
import { expect, it } from 'vitest';
import { clerk } from './clerk';

const replies = [{ calls: [{ name: 'pay_invoice', input: { number: 'INV-17' } }] }, 'It is paid.'];

it('pays an invoice once', async () => {
  const session = createTestSession(clerk, { replies });
  const answer = await session.send('Please pay invoice INV-17.');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'It is paid.', toolCalls: 1 });
});

it('pays it at most once, wherever the Worker dies', async () => {
  const report = await crashMatrix(clerk, { steps: [{ send: 'Please pay invoice INV-17.', replies }] });
  console.log(report.toTable());
  expect(report).toMatchObject({ messagesLost: 0, effectsDoubled: 0 });
}, 60_000);
