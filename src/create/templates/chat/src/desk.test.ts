import { createTestSession } from 'holdfast/testing';
import { crashMatrix } from 'holdfast/testing/crash-matrix';
import { expect, it } from 'vitest';
import { desk } from './desk.ts';

const send = 'Please refund 20 euro of order A-7.';
const replies = [{ calls: [{ name: 'refund', input: { order: 'A-7', euro: 20 } }] }, 'It is done.'];

it('refunds an order after the refund is approved', async () => {
  const session = createTestSession(desk, { replies });
  expect(await session.send(send)).toMatchObject({
    outcome: 'suspended',
    pending: [{ tool: 'refund', message: 'Refund 20 euro of order A-7?' }],
  });
  const answer = await session.decide('refund', { decision: 'approve' });
  expect(answer).toMatchObject({ outcome: 'completed', text: 'It is done.', toolCalls: 1 });
});

it('does not refund an order if the refund is rejected', async () => {
  const session = createTestSession(desk, { replies: [replies[0] ?? '', 'Then not.'] });
  await session.send(send);
  const answer = await session.decide('refund', { decision: 'reject', reason: 'Too late.' });
  expect(answer).toMatchObject({ outcome: 'completed', text: 'Then not.' });
  expect(session.requests[1]?.messages.at(-1)?.text).not.toContain('on their way back');
});

it('asks for approval and refunds at most once, wherever the Worker crashes', async () => {
  const report = await crashMatrix(desk, {
    steps: [
      { send, replies },
      { decide: 'refund', as: { decision: 'approve' } },
    ],
  });
  console.log(report.toTable());
  expect(report).toMatchObject({ messagesLost: 0, effectsDoubled: 0 });
}, 60_000);
