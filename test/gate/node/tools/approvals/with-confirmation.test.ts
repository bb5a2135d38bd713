import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../../src/index.ts';
import { withConfirmation } from '../../../../../src/modules/decorators/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';
import { createRefundTool } from './refund.ts';

const INPUT = { orderId: 1003, amount: 149 };
const schema = createRefundTool().refund.inputSchema;

async function callConfirmed(...decisions: readonly Decision[]) {
  const { refund, refunds } = createRefundTool();
  const { call, asked, board } = createDecidedCall('refund', decisions);
  await withConfirmation(refund, ({ amount }) => `Refund ${amount}?`).call(INPUT, call);
  return { refunds, asked, board };
}

describe('a tool with confirmation', () => {
  it('always asks before it runs; anyone can decide, and the question does not expire (DEC-15)', async () => {
    const { refunds, asked } = await callConfirmed({ decision: 'approve' });
    expect(asked).toEqual([{ for: 'decision', message: 'Refund 149?', input: INPUT, schema }]);
    expect(refunds).toEqual([INPUT]);
  });

  it('accepts a fixed text as its message (DEC-15)', async () => {
    const { refund } = createRefundTool();
    const { call, asked } = createDecidedCall('refund', [{ decision: 'approve' }]);
    await withConfirmation(refund, 'Sure?').call(INPUT, call);
    expect(asked).toEqual([{ for: 'decision', message: 'Sure?', input: INPUT, schema }]);
  });

  it('asks the configured people, with the configured time limit', async () => {
    const { refund } = createRefundTool();
    const { call, asked } = createDecidedCall('refund', [{ decision: 'approve' }]);
    const options = { by: 'supervisor', expires: 5, onExpiry: 'exit' } as const;
    await withConfirmation(refund, 'Sure?', options).call(INPUT, call);
    expect(asked).toEqual([{ for: 'decision', message: 'Sure?', input: INPUT, schema, ...options }]);
    expect(() => withConfirmation(refund, 'Sure?', { expires: 0 })).toThrow(
      "Tool 'refund': its expires is 0.",
    );
  });

  it.each<[readonly Decision[], readonly unknown[]]>([
    [[{ decision: 'approve' }], [{ value: INPUT }]],
    [[{ decision: 'edit', input: { orderId: 7 } }], [{ value: { orderId: 7 } }]],
    [[{ decision: 'reject' }], []],
    [[{ decision: 'exit' }], []],
    [[{ decision: 'edit', input: { orderId: 'x' } }, { decision: 'reject' }], []],
  ])('leaves only the confirmed input on the blackboard: %j (DEC-19)', async (decisions, entries) => {
    expect((await callConfirmed(...decisions)).board).toEqual(entries);
  });
});
