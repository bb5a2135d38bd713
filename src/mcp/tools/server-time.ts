/** The time that a server has for an answer, which stands still while it waits for somebody. */
export interface ServerTime {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Stops the clock until what is waited for has settled. */
  during<T>(waiting: Promise<T>): Promise<T>;
  /** To be called when the answer is there. */
  end(): void;
}

/** Starts a clock of so many ms. */
export function createServerTime(ms: number): ServerTime {
  const over = new AbortController();
  let left = ms;
  let waiting = 0;
  let isOver = false;
  let since = 0;
  let cancel = (): void => {};
  const start = (): void => {
    since = Date.now();
    const timer = setTimeout(() => over.abort(new DOMException(`${ms} ms are over.`, 'TimeoutError')), left);
    cancel = () => clearTimeout(timer);
  };
  const stop = (): void => {
    cancel();
    left -= Date.now() - since;
  };
  start();
  return {
    signal: over.signal,
    async during(waited) {
      if (waiting === 0) stop();
      waiting += 1;
      try {
        return await waited;
      } finally {
        waiting -= 1;
        if (waiting === 0 && !isOver) start();
      }
    },
    end() {
      isOver = true;
      cancel();
    },
  };
}
