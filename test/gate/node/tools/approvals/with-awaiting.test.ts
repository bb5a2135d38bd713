import { describe, expect, it } from 'vitest';
import { ToolConfigurationError } from '../../../../../src/index.ts';
import { withAwaiting } from '../../../../../src/modules/decorators/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';
import { createRefundTool } from './refund.ts';

const createAwaiting = () => {
  const { refund, refunds } = createRefundTool();
  const seen: unknown[] = [];
  const tool = withAwaiting(refund, ({ amount }, call, wrapped) => {
    seen.push([amount, call.id, wrapped === refund]);
    return amount > 100 ? { message: `${amount} is a lot.`, allows: ['approve', 'reject'] } : undefined;
  });
  return { tool, refunds, seen };
};

describe('a tool with a decider', () => {
  it('asks the question that its decider returns, and runs once it is approved (DEC-16, DEC-20)', async () => {
    const { tool, refunds, seen } = createAwaiting();
    const { call, asked } = createDecidedCall('refund', [{ decision: 'approve' }]);
    await tool.call({ orderId: 1003, amount: 149 }, call);
    expect(seen).toEqual([[149, '1.2.0', true]]);
    expect(asked).toMatchObject([{ message: '149 is a lot.', allows: ['approve', 'reject'] }]);
    expect(refunds).toEqual([{ orderId: 1003, amount: 149 }]);
  });

  it('runs at once if the decider returns `undefined` (DEC-16, DEC-20)', async () => {
    const { tool, refunds, seen } = createAwaiting();
    const { call, asked } = createDecidedCall('refund', []);
    await tool.call({ orderId: 1003 }, call);
    expect(seen).toEqual([[10, '1.2.0', true]]);
    expect(asked).toEqual([]);
    expect(refunds).toEqual([{ orderId: 1003, amount: 10 }]);
  });

  it('does not ask the decider about an invalid input', async () => {
    const { tool, seen } = createAwaiting();
    const { call } = createDecidedCall('refund', []);
    expect(await tool.call({}, call)).toMatchObject({ type: 'error', reason: 'invalid-input' });
    expect(seen).toEqual([]);
  });

  it('cannot wait outside a session, and runs there only if the call needs no answer (DEC-16)', async () => {
    const { tool, refunds } = createAwaiting();
    const { call } = createDecidedCall('refund', [], { inSession: false });
    await expect(tool.call({ orderId: 1, amount: 149 }, call)).rejects.toThrow(ToolConfigurationError);
    await tool.call({ orderId: 2, amount: 1 }, call);
    expect(refunds).toEqual([{ orderId: 2, amount: 1 }]);
  });
});
