import { expect, it } from 'vitest';
import { paperShop } from '../../../../src/examples/support/shop.ts';
import { defineSupport } from '../../../../src/examples/support/support.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';

it('the tested agent looks up an order before it answers', async () => {
  const session = createTestSession(defineSupport(paperShop), {
    replies: [{ calls: [{ name: 'find_order', input: { orderId: 1002 } }] }, 'It left on Monday.'],
  });
  const answer = await session.send('Where is order 1002?');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'It left on Monday.', toolCalls: 1 });
  expect(session.requests[1]?.messages.at(-1)?.text).toContain('KC-7002'); // what the model was shown
});

it('the tested agent refunds once, even if the Worker is killed during the refund', async () => {
  const refunds: string[] = [];
  const act = async () => {
    refunds.push('R-1');
    session.kill();
    return { reference: 'lost on the way' };
  };
  const recall = async () => ({ reference: 'R-1' });
  const session: TestSession = createTestSession(defineSupport({ ...paperShop, act, recall }), {
    replies: [{ calls: [{ name: 'refund_order', input: { orderId: 1001 } }] }, 'Refunded.'],
  });
  const { artifacts } = await session.send('Refund order 1001.');
  expect(artifacts[0]?.value).toMatchObject({ refunded: 1001, reference: 'R-1' });
  expect(refunds).toEqual(['R-1']);
});
