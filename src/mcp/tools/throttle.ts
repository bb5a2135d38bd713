/** Tells of what comes often no more often than is of use to anybody. */
export interface Throttle {
  /** Is told at once, or when it is time; not at all when a newer one comes before that. */
  tell(status: string): void;
  /** What is not told by now, is not told. */
  end(): void;
}

/** Passes on at most one status in so many ms. */
export function createThrottle(ms: number, pass: (status: string) => void): Throttle {
  let newest: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const next = (): void => {
    timer = undefined;
    const status = newest;
    newest = undefined;
    if (status !== undefined) passNow(status);
  };
  const passNow = (status: string): void => {
    timer = setTimeout(next, ms);
    pass(status);
  };
  return {
    tell(status) {
      if (hasEnded) return;
      if (timer === undefined) passNow(status);
      else newest = status;
    },
    end() {
      hasEnded = true;
      if (timer !== undefined) clearTimeout(timer);
    },
  };
}
