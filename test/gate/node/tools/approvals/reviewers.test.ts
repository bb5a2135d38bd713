import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  autoApprove,
  autoApproveWithDelay,
  type Review,
  type ReviewHandler,
  type ReviewRequest,
  serialized,
} from '../../../../../src/modules/decorators/entry.ts';
import { waitForPromises } from '../../../../doors/testing.ts';
import { createFakeInvocation } from '../fake-invocation.ts';
import { createRefundTool } from './refund.ts';

const createRequest = (message = '', signal?: AbortSignal): ReviewRequest => {
  const { call } = createFakeInvocation('refund');
  return {
    tool: createRefundTool().refund,
    input: {},
    sent: {},
    message,
    timeout: 1_000,
    onTimeout: 'exit',
    call: { ...call, ...(signal && { signal }) },
  };
};

afterEach(() => vi.useRealTimers());

describe('approving reviewers', () => {
  it('approve at once (AEA-11)', async () => {
    expect(await autoApprove()(createRequest())).toEqual({ decision: 'approve' });
  });

  it('approve after a delay (AEA-11)', async () => {
    vi.useFakeTimers();
    const answered = vi.fn();
    void Promise.resolve(autoApproveWithDelay(500)(createRequest())).then(answered);
    await vi.advanceTimersByTimeAsync(499);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toHaveBeenCalledWith({ decision: 'approve' });
  });

  it('do not approve if the call ends before the delay', async () => {
    const stop = new AbortController();
    const review = autoApproveWithDelay(60_000)(createRequest('', stop.signal));
    stop.abort(new Error('Over.'));
    await expect(review).rejects.toThrow('Over.');
    await expect(autoApproveWithDelay(60_000)(createRequest('', stop.signal))).rejects.toThrow('Over.');
  });
});

/** A reviewer whose reviews the test resolves. */
function createSlowReviewer() {
  const open: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<Review>>();
  const handler: ReviewHandler = ({ message }) => {
    open.push(message);
    const answer = Promise.withResolvers<Review>();
    answers.set(message, answer);
    return answer.promise;
  };
  return { handler, open, answers };
}

describe('serialized reviewers', () => {
  it('are asked about one call at a time, across all tools (AEA-07)', async () => {
    const { handler, open, answers } = createSlowReviewer();
    const one = serialized(handler);
    const reviews = [one(createRequest('a')), one(createRequest('b')), one(createRequest('c'))];
    await waitForPromises();
    expect(open).toEqual(['a']);
    answers.get('a')?.resolve({ decision: 'approve' });
    await waitForPromises();
    expect(open).toEqual(['a', 'b']);
    answers.get('b')?.reject(new Error('Broken.'));
    await expect(reviews[1]).rejects.toThrow('Broken.');
    await waitForPromises();
    answers.get('c')?.resolve({ decision: 'reject' });
    expect([await reviews[0], await reviews[2]]).toEqual([{ decision: 'approve' }, { decision: 'reject' }]);
  });

  it('do not wait for each other or for other handlers (AEA-07)', async () => {
    const [first, second, plain] = [createSlowReviewer(), createSlowReviewer(), createSlowReviewer()];
    serialized(first.handler)(createRequest('a'));
    serialized(second.handler)(createRequest('b'));
    plain.handler(createRequest('c'));
    plain.handler(createRequest('d'));
    await waitForPromises();
    expect([first.open, second.open, plain.open]).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('are not asked about a call that has ended before its turn to be reviewed', async () => {
    const { handler, open, answers } = createSlowReviewer();
    const one = serialized(handler);
    const stop = new AbortController();
    one(createRequest('a'));
    const gone = one(createRequest('b', stop.signal));
    stop.abort(new Error('Over.'));
    await waitForPromises();
    answers.get('a')?.resolve({ decision: 'approve' });
    await expect(gone).rejects.toThrow('Over.');
    expect(open).toEqual(['a']);
  });
});
