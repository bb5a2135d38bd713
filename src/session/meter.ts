import type { SessionPort } from '../journal/session-port.ts';
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
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #began: number;
  readonly #counted = new WeakSet<SessionPort>();
  #outside = 0;
  #internal = 0;

  constructor(platform: Platform, now: () => number) {
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
    const { internalSubrequests } = this.#platform;
    const isOut = this.#internal > internalSubrequests - LAST.internalSubrequests;
    return isOut ? this.#said('internalSubrequests') : undefined;
  }

  /** Hardly anything was done so far: what does not fit now, fits into no invocation. */
  get isFresh(): boolean {
    return this.#internal <= FRESH;
  }

  /** What there is too little left of to begin anything more, in words; `undefined` while there is enough. */
  get short(): string | undefined {
    return this.#shortOf(RESERVE);
  }

  /** As `short`, for whoever only reads and watches: there is just enough left to say so. */
  get over(): string | undefined {
    return this.#shortOf(LAST);
  }

  /** Milliseconds until the time of the invocation is nearly over. */
  get msLeft(): number {
    return this.#msLeft(RESERVE);
  }

  /** Milliseconds until a watcher is to stop. */
  get msToWatch(): number {
    return this.#msLeft(LAST);
  }

  /** The requests that one piece of work may need: more do not fit into any invocation. */
  get mostAtOnce(): number {
    return this.#platform.subrequests - RESERVE.subrequests;
  }

  /**
   * What is left is too little of for this piece of work, in words. Of time, one never begins with less
   * than half an invocation left that may need more than what is left: most work takes a fraction of its
   * timeout.
   */
  shortFor({ subrequests, ms }: Needs): string | undefined {
    const { wallMs } = this.#platform;
    if (this.#outside + subrequests > this.mostAtOnce) return this.#said('subrequests');
    if (this.#internal > this.#platform.internalSubrequests - RESERVE.internalSubrequests)
      return this.#said('internalSubrequests');
    const reserve = reserveOf(RESERVE.wallMs, wallMs);
    const isLate = this.msLeft + reserve < Math.min(ms, (wallMs - reserve) / 2);
    return isLate ? this.#said('wallMs') : undefined;
  }

  /** Counts every message to the session; a port that is counted here already is answered as it is. */
  counted(port: SessionPort): SessionPort {
    if (this.#counted.has(port)) return port;
    const counting =
      <Args extends unknown[], Answer>(send: (...args: Args) => Answer) =>
      (...args: Args): Answer => {
        this.spendInternal();
        return send(...args);
      };
    const counted: SessionPort = {
      accept: counting(port.accept),
      begin: counting(port.begin),
      resume: counting(port.resume),
      append: counting(port.append),
      renew: counting(port.renew),
      post: counting(port.post),
      read: counting(port.read),
      file: counting(port.file),
      fileStates: counting(port.fileStates),
      deleteFile: counting(port.deleteFile),
      credential: counting(port.credential),
      keepCredential: counting(port.keepCredential),
      watch: counting(port.watch),
      erase: counting(port.erase),
    };
    this.#counted.add(counted);
    return counted;
  }

  #shortOf(kept: typeof RESERVE): string | undefined {
    const { subrequests, internalSubrequests } = this.#platform;
    if (this.#outside > subrequests - kept.subrequests) return this.#said('subrequests');
    if (this.#internal > internalSubrequests - kept.internalSubrequests)
      return this.#said('internalSubrequests');
    return this.#msLeft(kept) <= 0 ? this.#said('wallMs') : undefined;
  }

  #msLeft(kept: typeof RESERVE): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - reserveOf(kept.wallMs, wallMs) - this.#now();
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
