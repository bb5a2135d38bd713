import type { ReviewHandler } from './review.ts';

/**
 * The same reviewer, asked about one call after another, in the order in which they come: for one that talks to a person
 * through one place. Every tool that is given this handler shares its lock, within one isolate; other handlers run side
 * by side (AEA-07). The time that a call waits for its turn counts as its reviewer's, and a call that nobody waits for any
 * more is not asked about.
 */
export function serialised<Input>(handler: ReviewHandler<Input>): ReviewHandler<Input> {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const review = last.then(() => {
      request.call.signal.throwIfAborted();
      return handler(request);
    });
    last = review.catch(() => undefined);
    return review;
  };
}
