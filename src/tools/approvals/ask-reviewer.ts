import type { Decision } from '../decision.ts';
import { isJsonObject } from '../json.ts';
import { ToolConfigurationError } from '../signals.ts';
import type { Review, ReviewHandler, ReviewRequest } from './review.ts';

/**
 * What the reviewer decided, or what counts when the time was over first.
 *
 * @throws ToolConfigurationError when the answer is no review (AEA-09); the reason of the call's signal when that aborts
 *   first; else whatever the handler throws.
 */
export async function askReviewer<Input>(
  handler: ReviewHandler<Input>,
  request: ReviewRequest<Input>,
): Promise<Decision> {
  const { call, timeout, onTimeout } = request;
  call.signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new DOMException(`${timeout} ms are over.`, 'TimeoutError')),
    timeout,
  );
  const signal = AbortSignal.any([call.signal, over.signal]);
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  try {
    const asked = Promise.resolve(handler({ ...request, call: { ...call, signal } }));
    const review = await Promise.race([asked, aborted]);
    if (review !== 'aborted') return checked(call.tool, review);
    if (call.signal.aborted) throw call.signal.reason;
    return { decision: onTimeout, expired: true };
  } finally {
    clearTimeout(timer);
  }
}

/** An edit has an input, if only an empty one (AEA-03). */
function checked(tool: string, review: Review): Review {
  const given: unknown = review; // a handler in JavaScript may answer anything
  const { decision, input } = isJsonObject(given) ? given : {};
  const isReview = decision === 'edit' ? isJsonObject(input) : PLAIN.has(decision);
  if (isReview) return review;
  throw new ToolConfigurationError(
    `The ReviewHandler of tool '${tool}' answered something that is no review. It must answer ` +
      "{ decision: 'approve' | 'reject' | 'exit' } or { decision: 'edit', input: { ... } }.",
  );
}

const PLAIN: ReadonlySet<unknown> = new Set(['approve', 'reject', 'exit']);
