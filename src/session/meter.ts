import type { Needs } from '../loop/holder.ts';
import type { Platform } from './read-platform.ts';

/**
 * Kept back from work. Of requests to the platform's own: six calls that run, their starts and ends, the end of the turn, and a
 * few that are repeated; of others: what connections and stores need that nobody has counted before.
 */
const RESERVE = { subrequests: 12, internalSubrequests: 12, wallMs: 30_000 };

/** Kept back from those who only watch, which makes no request outside: to leave the line, and to be told how to go on. */
const LAST = { subrequests: -Infinity, internalSubrequests: 3, wallMs: 5_000 };

/** Messages that lead to a lease. */
const FRESH = 2;

/** Counts what one invocation of the Worker uses: all its turns, and its messages to any object. */
export class Meter {
  /** The requests that one piece of work may need: more do not fit into any invocation. */
  readonly mostAtOnce: number;
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #began: number;
  #outside = 0;
  #internal = 0;

  constructor(platform: Platform, now: () => number) {
    this.mostAtOnce = platform.subrequests - RESERVE.subrequests;
    this.#platform = platform;
    this.#now = now;
    this.#began = now();
  }

  /** Counts requests to what is outside of the platform: models, services, stores. */
  spend(subrequests = 1): void {
    this.#outside += subrequests;
  }

  /** Counts a request to an object or a queue. */
  spendInternal(): void {
    this.#internal += 1;
  }

  /** So many requests to the session that hardly one is left. */
  get outOfRequests(): string | undefined {
    return this.#isInternalOver(LAST) ? this.#said('internalSubrequests') : undefined;
  }

  /** Hardly anything was done so far: what does not fit now, fits into no invocation. */
  get isFresh(): boolean {
    return this.#internal <= FRESH;
  }

  /** Returns in words what there is too little left of to begin anything more, or `undefined` while there is enough. */
  short(kept = RESERVE): string | undefined {
    if (this.#outside > this.#platform.subrequests - kept.subrequests) return this.#said('subrequests');
    if (this.#isInternalOver(kept)) return this.#said('internalSubrequests');
    return this.msLeft(kept) <= 0 ? this.#said('wallMs') : undefined;
  }

  /** As `short`, for a reader that only watches: there is just enough left to say so. */
  get over(): string | undefined {
    return this.short(LAST);
  }

  /** Milliseconds until the time of the invocation is nearly over. */
  msLeft({ wallMs: kept } = RESERVE): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - reserveOf(kept, wallMs) - this.#now();
  }

  /** Milliseconds until a watcher is to stop. */
  get msToWatch(): number {
    return this.msLeft(LAST);
  }

  /**
   * Returns in words what there is too little left of for this piece of work. If the work may need more time than is left, it begins
   * only while at least half of the invocation is left: most work takes a fraction of its timeout.
   */
  shortFor({ subrequests, ms }: Needs): string | undefined {
    const { wallMs } = this.#platform;
    if (this.#outside + subrequests > this.mostAtOnce) return this.#said('subrequests');
    if (this.#isInternalOver(RESERVE)) return this.#said('internalSubrequests');
    const left = this.#began + wallMs - this.#now();
    const most = (wallMs - reserveOf(RESERVE.wallMs, wallMs)) / 2;
    return left < Math.min(ms, most) ? this.#said('wallMs') : undefined;
  }

  #isInternalOver({ internalSubrequests: kept }: typeof RESERVE): boolean {
    return this.#internal > this.#platform.internalSubrequests - kept;
  }

  #said(limit: keyof typeof UNITS): string {
    return `${this.#platform[limit]} ${UNITS[limit]}`;
  }
}

const UNITS = {
  subrequests: 'subrequests',
  internalSubrequests: 'subrequests to the platform itself',
  wallMs: 'ms',
} as const;

/**
 * Milliseconds that are kept back. Of a short invocation no more than half, and for watchers a twelfth:
 * what is left of a reserve is the next one's.
 */
const reserveOf = (ms: number, wallMs: number): number => Math.min(ms, (wallMs * ms) / 60_000);
