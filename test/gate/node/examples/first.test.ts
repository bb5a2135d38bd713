import { expect, it } from 'vitest';
import { clerk } from '../../../../src/examples/first/clerk.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

it('the first example pays an invoice once', async () => {
  const session = createTestSession(clerk, {
    replies: [{ calls: [{ name: 'pay_invoice', input: { number: 'INV-17' } }] }, 'It is paid.'],
  });
  const answer = await session.send('Please pay invoice INV-17.');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'It is paid.', toolCalls: 1 });
});
