import { untilAborted } from '../../../tools/until-aborted.ts';

/** What several wait for that is done once. */
interface Running {
  readonly done: Promise<void>;
  readonly over: AbortController;
  waiting: number;
}

/** Does it for the first who asks, and for all who ask until it is done. */
export type SharedWork<About> = (about: About, signal: AbortSignal | null | undefined) => Promise<void>;

/** Work of which there is one at a time. Its signal aborts when nobody waits for it any more. */
export function sharedWork<About>(
  work: (about: About, signal: AbortSignal) => Promise<void>,
): SharedWork<About> {
  let running: Running | undefined;
  const begin = (about: About): Running => {
    const over = new AbortController();
    const begun: Running = { done: work(about, over.signal).finally(() => forget(begun)), over, waiting: 0 };
    begun.done.catch(() => undefined); // when nobody waits for it any more
    return begun;
  };
  const forget = (one: Running): void => {
    if (running === one) running = undefined;
  };
  return async (about, signal) => {
    running ??= begin(about);
    const joined = running;
    joined.waiting += 1;
    try {
      await (signal ? untilAborted(signal, joined.done) : joined.done);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        joined.over.abort();
        forget(joined);
      }
    }
  };
}
