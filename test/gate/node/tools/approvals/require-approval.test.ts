import { describe, expect, it } from 'vitest';
import { type Decision, type JsonObject, ToolConfigurationError } from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { createDecidedCall } from './decided-invocation.ts';
import { createRefundTool } from './refund.ts';

const INPUT = { orderId: 1003, amount: 149 };

/** Calls the refund tool once, behind an approval with this decision. */
async function callDecided(decision: Decision, input: JsonObject = INPUT) {
  const { refund, refunds } = createRefundTool();
  const { call: live, asked } = createDecidedCall('refund', [decision]);
  const result = await requireApproval(refund, 'May it?').call(input, live);
  return { result, refunds, asked };
}

describe('a tool that requires approval', () => {
  it('asks with a message made from its checked input, before it runs', async () => {
    const { refund, refunds } = createRefundTool();
    const tool = requireApproval(
      refund,
      ({ orderId, amount }, { id }) => `Refund ${amount} of ${orderId} (${id})?`,
    );
    const { call: live, asked } = createDecidedCall('refund', []);
    await expect(tool.call({ orderId: 1003 }, live)).rejects.toThrow(
      'This question has no prepared decision.',
    );
    const schema = refund.inputSchema;
    expect(asked).toEqual([
      { for: 'decision', message: 'Refund 10 of 1003 (1.2.0)?', input: { orderId: 1003 }, schema },
    ]);
    expect(refunds).toEqual([]);
  });

  it('asks the given people for the given time (AEA-11)', async () => {
    const { refund } = createRefundTool();
    const tool = requireApproval(refund, 'May it?', { by: 'supervisor', expires: 60_000, onExpiry: 'exit' });
    const { call: live, asked } = createDecidedCall('refund', [{ decision: 'approve' }]);
    await tool.call(INPUT, live);
    const options = { by: 'supervisor', expires: 60_000, onExpiry: 'exit' };
    expect(asked).toEqual([
      { for: 'decision', message: 'May it?', ...options, input: INPUT, schema: refund.inputSchema },
    ]);
  });

  it("runs with the model's input if that is approved (AEA-03)", async () => {
    const { result, refunds } = await callDecided({ decision: 'approve', by: 'ada' });
    expect(refunds).toEqual([INPUT]);
    expect(getModelText(result)).toBe('{"refunded":1003,"amount":149}');
  });

  it('runs with the edited input instead, and reports the edit to the model (AEA-03, AEA-13)', async () => {
    const edited = { orderId: 1003, amount: 100 };
    const { result, refunds } = await callDecided({ decision: 'edit', input: edited, by: 'ada' });
    expect(refunds).toEqual([edited]);
    expect(getModelText(result)).toBe(
      '{"refunded":1003,"amount":100}\nNote: whoever approved this call changed its input to {"orderId":1003,"amount":100}.',
    );
    expect(result).toMatchObject({ type: 'artifact', value: { refunded: 1003, amount: 100 } });
  });

  it('does not mention an edit that changes no field', async () => {
    const { result } = await callDecided({ decision: 'edit', input: INPUT });
    expect(getModelText(result)).toBe('{"refunded":1003,"amount":149}');
  });

  it('does not run with an invalid edited input, and asks once more', async () => {
    const { refund, refunds } = createRefundTool();
    const { call: live, asked } = createDecidedCall('refund', [
      { decision: 'edit', input: { orderId: 'x' } },
      { decision: 'edit', input: { orderId: 7 } },
    ]);
    const result = await requireApproval(refund, 'May it?', { onExpiry: 'approve' }).call(INPUT, live);
    expect(asked).toMatchObject([
      { message: 'May it?', onExpiry: 'approve' },
      {
        message:
          'May it?\nWhat was sent is not valid, and nothing has run:\n- orderId: Invalid type: Expected number but received "x"',
        input: INPUT,
        onExpiry: 'reject',
      },
    ]);
    expect([refunds, result.type]).toEqual([[{ orderId: 7, amount: 10 }], 'artifact']);
  });

  it('does not run after an edit without an input, which sessions refuse', async () => {
    const { result, refunds } = await callDecided({ decision: 'edit' });
    expect(refunds).toEqual([]);
    expect(result).toEqual({
      type: 'error',
      reason: 'invalid-input',
      message:
        "Somebody edited the input of this call of 'refund', and it did not run. No input came with the edit.",
    });
  });

  it.each<[Decision, string]>([
    [
      { decision: 'reject', by: 'ada' },
      "This call of 'refund' was declined and did not run. Do not repeat it unchanged.",
    ],
    [
      { decision: 'reject', reason: 'Too much.', by: 'ada' },
      "This call of 'refund' was declined and did not run. Do not repeat it unchanged. Reason: Too much.",
    ],
    [
      { decision: 'reject', expired: true },
      "Nobody decided about this call of 'refund' in time, so it did not run.",
    ],
  ])(
    'reports to the model that %j prevented the run, without the name of the person (DEC-18)',
    async (decision, message) => {
      const { result, refunds } = await callDecided(decision);
      expect(refunds).toEqual([]);
      expect(result).toEqual({ type: 'error', reason: 'declined', message });
    },
  );

  it.each<[Decision, string, string]>([
    [
      { decision: 'exit', by: 'ada' },
      'Rejected by reviewer: {"orderId":1003,"amount":149}',
      'Rejected by reviewer: {"orderId":1003,"amount":149}',
    ],
    [
      { decision: 'exit', reason: 'Closing time.' },
      'Rejected by reviewer: {"orderId":1003,"amount":149}',
      'Closing time.',
    ],
    [
      { decision: 'exit', expired: true },
      "Nobody decided about this call of 'refund' in time, so it did not run.",
      "Nobody decided about this call of 'refund' in time, so it did not run.",
    ],
  ])('sends the exit signal for %j (AEA-03, AEA-06)', async (decision, message, reason) => {
    const { result, refunds } = await callDecided(decision);
    expect(refunds).toEqual([]);
    expect(result).toEqual({ type: 'error', reason: 'declined', message, signal: { type: 'exit', reason } });
  });

  it('shows at most 500 characters of an input', async () => {
    const { result } = await callDecided({ decision: 'exit' }, { orderId: 1, note: 'x'.repeat(9_000) });
    expect(result.content).toHaveLength('Rejected by reviewer: '.length + 500);
  });

  it("runs after the expiry only if `onExpiry` is 'approve'", async () => {
    const { refunds } = await callDecided({ decision: 'approve', expired: true });
    expect(refunds).toEqual([INPUT]);
  });

  it('is refused at its definition if `onExpiry` is not a decision', () => {
    const options = { onExpiry: 'edit' } as object; // Plain JavaScript can pass this.
    expect(() => requireApproval(createRefundTool().refund, 'May it?', options)).toThrow(
      "Tool 'refund': its onExpiry is 'edit'. It must be 'approve' or 'reject' or 'exit'.",
    );
  });

  it('does not ask about an invalid input', async () => {
    const { result, asked, refunds } = await callDecided({ decision: 'approve' }, { orderId: 'x' });
    expect(result.content).toBe(
      'The input of tool \'refund\' is not valid:\n- orderId: Invalid type: Expected number but received "x"\n' +
        'Call it again with a corrected input.',
    );
    expect([asked, refunds]).toEqual([[], []]);
  });

  it.each<[JsonObject, Decision, string]>([
    [{}, { decision: 'approve' }, "The input of tool 'pay_back' is not valid:"],
    [INPUT, { decision: 'reject' }, "This call of 'pay_back' was declined"],
  ])(
    'uses the name that the model knows for the input %j and the decision %j',
    async (input, decision, text) => {
      const { call: live } = createDecidedCall('pay_back', [decision]);
      expect(
        (await requireApproval(createRefundTool().refund, 'May it?').call(input, live)).content,
      ).toContain(text);
    },
  );

  it('does not run outside a session, where no person can decide (AEA-01, AEA-04)', async () => {
    const { refund, refunds } = createRefundTool();
    const { call: live, asked } = createDecidedCall('refund', [{ decision: 'approve' }], {
      inSession: false,
    });
    const call = requireApproval(refund, 'May it?').call(INPUT, live);
    await expect(call).rejects.toThrow(ToolConfigurationError);
    await expect(call).rejects.toThrow(
      "Tool 'refund' requires approval but no ReviewHandler is configured. " +
        'Run it in a session, where a person can decide, or review it with withReview.',
    );
    expect([asked, refunds]).toEqual([[], []]);
  });

  it('asks two questions, in order, if it has two guards', async () => {
    const { refund, refunds } = createRefundTool();
    const tool = requireApproval(requireApproval(refund, 'Inner?'), 'Outer?');
    const { call: live, asked } = createDecidedCall('refund', [
      { decision: 'approve' },
      { decision: 'approve' },
    ]);
    await tool.call(INPUT, live);
    expect(asked.map(({ message }) => message)).toEqual(['Outer?', 'Inner?']);
    expect(refunds).toHaveLength(1);
  });

  it('has the same listing as the original tool, and can be unwrapped', () => {
    const { refund } = createRefundTool();
    const tool = requireApproval(refund, 'May it?');
    const { call: _, check: _check, delegate, uses, ...same } = tool;
    const { call: __, check: __check, ...original } = refund;
    expect(same).toEqual(original);
    expect(uses).toEqual([answers]);
    expect(delegate).toBe(refund);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused at its definition if it expires after %d ms',
    (expires) => {
      expect(() => requireApproval(createRefundTool().refund, 'May it?', { expires })).toThrow(
        `Tool 'refund': its expires is ${expires}. It must be more than 0 and at most 9007199254740991 milliseconds.`,
      );
    },
  );
});
