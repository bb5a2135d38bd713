import type { ReviewHandler } from './review.ts';

/** A reviewer that approves everything after `ms`: time to see what is about to happen, and to cancel the turn. */
export const autoApproveWithDelay =
  (ms: number): ReviewHandler =>
  ({ call: { signal } }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ decision: 'approve' }), ms);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
