import { expect, it } from 'vitest';
import { paperShop } from '../../../../src/examples/support/shop.ts';
import { defineSupport } from '../../../../src/examples/support/support.ts';
import { type CrashKit, crashMatrix } from '../../../../src/testing/crash-matrix/entry.ts';

const createSupport = (kit: CrashKit) =>
  defineSupport({
    ...paperShop,
    act: async (what, _order, call) => {
      await kit.effect(what, call.idempotencyKey);
      return { reference: 'R-1' };
    },
    recall: async (what, call) =>
      kit.happened(what, call.idempotencyKey) ? { reference: 'R-1' } : 'not-done',
  });

it('the refund example refunds once, wherever the Worker is killed', async () => {
  const report = await crashMatrix(createSupport, {
    steps: [
      {
        send: 'Refund order 1001.',
        replies: [{ calls: [{ name: 'refund_order', input: { orderId: 1001 } }] }, 'Refunded.'],
      },
      { send: 'Thanks.', replies: ['You are welcome.'] },
    ],
  });
  console.log(report.toTable());
  expect(report).toMatchObject({ passed: true, messagesLost: 0, effectsDoubled: 0, effectsUnknown: 0 });
}, 60_000);
