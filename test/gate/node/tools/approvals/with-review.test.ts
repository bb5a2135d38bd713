import { afterEach, describe, expect, it, vi } from 'vitest';
import { exitEarly, SignalError, ToolConfigurationError } from '../../../../../src/index.ts';
import type { CallRun } from '../../../../../src/kinds/entry.ts';
import {
  autoApprove,
  type Review,
  type ReviewHandler,
  type ReviewOptions,
  type ReviewRequest,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';
import { createRefundTool } from './refund.ts';

const INPUT = { orderId: 1003, amount: 149 };

async function callReviewed(
  handler: ReviewHandler,
  options: ReviewOptions<ReturnType<typeof createRefundTool>['refund']> = {},
  change: Partial<CallRun> = {},
) {
  const { refund, refunds } = createRefundTool();
  const { call: live, asked } = createDecidedCall('refund', [], change);
  const result = await withReview(refund, handler, options).call(INPUT, live);
  return { result, refunds, asked };
}

afterEach(() => vi.useRealTimers());

describe('a tool with a synchronous reviewer', () => {
  it('passes an empty message, a timeout of five minutes and a default of exit to its reviewer (AEA-02)', async () => {
    const requests: ReviewRequest[] = [];
    const { refund } = createRefundTool();
    const { call: live } = createDecidedCall('refund', []);
    const handleReview: ReviewHandler = (request) => {
      requests.push(request);
      return { decision: 'approve' };
    };
    await withReview(refund, handleReview).call({ orderId: 1003 }, live);
    const call = expect.objectContaining({ id: '1.2.0', tool: 'refund' });
    const input = { orderId: 1003, amount: 10 };
    expect(requests).toEqual([
      {
        tool: refund,
        input,
        sent: { orderId: 1003 },
        message: '',
        timeout: 300_000,
        onTimeout: 'exit',
        call,
      },
    ]);
  });

  it('passes the configured message, timeout and default to its reviewer (AEA-02)', async () => {
    const requests: ReviewRequest[] = [];
    const handleReview: ReviewHandler = (request) => {
      requests.push(request);
      return { decision: 'approve' };
    };
    await callReviewed(handleReview, {
      message: ({ amount }) => `${amount}?`,
      timeout: 1_000,
      onTimeout: 'reject',
    });
    expect(requests).toMatchObject([{ message: '149?', timeout: 1_000, onTimeout: 'reject' }]);
  });

  it("carries out its reviewer's decision, and never asks a person (AEA-01, AEA-13)", async () => {
    const { refunds, asked } = await callReviewed(autoApprove());
    expect(refunds).toEqual([INPUT]);
    expect(asked).toEqual([]);
  });

  it.each<[Review, object, readonly unknown[]]>([
    [{ decision: 'approve' }, { type: 'artifact', value: { refunded: 1003, amount: 149 } }, [INPUT]],
    [
      { decision: 'edit', input: { orderId: 7 } },
      {
        type: 'artifact',
        value: { refunded: 7, amount: 10 },
        content:
          '{"refunded":7,"amount":10}\nNote: whoever approved this call changed its input to {"orderId":7}.',
      },
      [{ orderId: 7, amount: 10 }],
    ],
    [
      { decision: 'edit', input: {} },
      {
        type: 'error',
        reason: 'invalid-input',
        message:
          "Somebody edited the input of this call of 'refund', and it did not run. The input of tool 'refund' is not " +
          'valid:\n- orderId: Invalid key: Expected "orderId" but received undefined\nCall it again with a corrected input.',
      },
      [],
    ],
    [
      { decision: 'reject', reason: 'No.' },
      {
        type: 'error',
        reason: 'declined',
        message:
          "This call of 'refund' was declined and did not run. Do not repeat it unchanged. Reason: No.",
      },
      [],
    ],
    [
      { decision: 'exit' },
      {
        type: 'error',
        reason: 'declined',
        message: 'Rejected by reviewer: {"orderId":1003,"amount":149}',
        signal: { type: 'exit', reason: 'Rejected by reviewer: {"orderId":1003,"amount":149}' },
      },
      [],
    ],
  ])('carries out the decision: %j (AEA-03)', async (review, result, effects) => {
    const came = await callReviewed(async () => review);
    expect(came.result).toMatchObject(result);
    expect(came.refunds).toEqual(effects);
  });

  it('passes on an exit signal that the reviewer throws (AEA-06)', async () => {
    const thrown = exitEarly('Closing time.');
    const came = callReviewed(() => {
      throw thrown;
    });
    await expect(came).rejects.toBe(thrown);
    expect(thrown).toBeInstanceOf(SignalError);
  });

  it('does not ask the reviewer about an invalid input', async () => {
    const handler = vi.fn(autoApprove());
    const { refund } = createRefundTool();
    const { call: live } = createDecidedCall('refund', []);
    expect(await withReview(refund, handler).call({}, live)).toMatchObject({ reason: 'invalid-input' });
    expect(handler).not.toHaveBeenCalled();
  });

  it.each<[ReviewOptions<never>['onTimeout'], string]>([
    [undefined, 'error'],
    ['reject', 'error'],
    ['approve', 'artifact'],
  ])('applies `onTimeout: %s` if the reviewer takes too long (AEA-02)', async (onTimeout, type) => {
    vi.useFakeTimers();
    let signal: AbortSignal | undefined;
    const neverDecide: ReviewHandler = ({ call }) => {
      signal = call.signal;
      return new Promise(() => {});
    };
    const coming = callReviewed(neverDecide, { onTimeout });
    await vi.advanceTimersByTimeAsync(299_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { result, refunds } = await coming;
    expect(signal?.aborted).toBe(true);
    expect(result.type).toBe(type);
    expect(refunds).toHaveLength(type === 'artifact' ? 1 : 0);
    if (type !== 'error') return;
    const message = "Nobody decided about this call of 'refund' in time, so it did not run.";
    const signaled = onTimeout === undefined ? { signal: { type: 'exit', reason: message } } : {};
    expect(result).toEqual({ type, reason: 'declined', message, ...signaled });
  });

  it.each(['before', 'while'])('does not run if the call is stopped %s it is reviewed', async (when) => {
    const stop = new AbortController();
    const asked = vi.fn(() => new Promise<Review>(() => {}));
    const coming = callReviewed(asked, {}, { signal: stop.signal });
    if (when === 'while') await vi.waitFor(() => expect(asked).toHaveBeenCalled(), 20_000);
    stop.abort(new Error('The turn was cancelled.'));
    await expect(coming).rejects.toThrow('The turn was cancelled.');
    expect(asked).toHaveBeenCalledTimes(when === 'while' ? 1 : 0);
  });
});

describe('an invalid reviewer', () => {
  // Plain JavaScript or an environment variable can pass this.
  const toHandler = (value: unknown): ReviewHandler => value as ReviewHandler;

  it.each([
    ['yes', 'string'],
    [null, 'null'],
    [undefined, 'undefined'],
    [{ review: autoApprove() }, 'object'],
  ])('is refused when the tool is defined: %s (AEA-09)', (handler, what) => {
    const define = () => withReview(createRefundTool().refund, toHandler(handler));
    expect(define).toThrow(ToolConfigurationError);
    expect(define).toThrow(`The ReviewHandler of tool 'refund' must be a function, but is ${what}.`);
  });

  it.each([
    undefined,
    null,
    true,
    'approve',
    {},
    { decision: 'perhaps' },
    { decision: 'edit' },
    { decision: 'edit', input: null },
  ])('fails the call if it returns %j (AEA-03, AEA-09)', async (answer) => {
    const coming = callReviewed(toHandler(() => answer));
    await expect(coming).rejects.toThrow(ToolConfigurationError);
    await expect(coming).rejects.toThrow(
      "The ReviewHandler of tool 'refund' returned an invalid review. It must return " +
        "{ decision: 'approve' | 'reject' | 'exit' } or { decision: 'edit', input: { ... } }.",
    );
  });

  it('is refused if its timeout has an invalid default', () => {
    const options = { onTimeout: 'edit' } as object; // Plain JavaScript can pass this.
    expect(() => withReview(createRefundTool().refund, autoApprove(), options)).toThrow(
      "Tool 'refund': its onTimeout is 'edit'. It must be 'approve' or 'reject' or 'exit'.",
    );
  });

  it.each([0, Number.NaN, 900_001])('is refused with a timeout of %d ms', (timeout) => {
    expect(() => withReview(createRefundTool().refund, autoApprove(), { timeout })).toThrow(
      `Tool 'refund': its timeout is ${timeout}. It must be more than 0 and at most 900000 milliseconds.`,
    );
  });
});
