/** Requests of the opening of a connection that whoever opens it pays for: three, and one more for an older server. */
const OF_OPENING = 4;

/** What the requests of one connection may be booked on. */
export interface Credit {
  /** What a claim has paid for. */
  add(subrequests: number): void;
  /** A request is made. */
  use(): void;
}

/**
 * Every request of a connection uses up what was claimed for it; each beyond that is counted, since an invocation has so many
 * and no more. Connecting comes before the first credit, by whose claim it is paid for.
 */
export function createCredit(count: (subrequests: number) => void): Credit {
  let left = 0;
  let lent = OF_OPENING;
  return {
    add(subrequests) {
      left += subrequests;
      if (lent > 0 && left < 0) {
        count(-left);
        left = 0;
      }
      lent = 0;
    },
    use() {
      if (left + lent > 0) left -= 1;
      else count(1);
    },
  };
}
