import { Interrupted, type Needs } from '../loop/holder.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { Clock, Platform } from './read-platform.ts';

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
    const most = this.#platform.internalSubrequests - LAST.internalSubrequests;
    return this.#internal > most ? this.#said('internalSubrequests') : undefined;
  }

  /** Hardly anything was done so far: what does not fit now, fits into no invocation. */
  get isFresh(): boolean {
    return this.#internal <= FRESH;
  }

  /** Returns in words what there is too little left of to begin anything more, or `undefined` while there is enough. */
  short(kept = RESERVE): string | undefined {
    const { subrequests, internalSubrequests } = this.#platform;
    if (this.#outside > subrequests - kept.subrequests) return this.#said('subrequests');
    if (this.#internal > internalSubrequests - kept.internalSubrequests)
      return this.#said('internalSubrequests');
    return this.msLeft(kept) <= 0 ? this.#said('wallMs') : undefined;
  }

  /** As `short`, for a reader that only watches: there is just enough left to say so. */
  get over(): string | undefined {
    return this.short(LAST);
  }

  /**
   * Milliseconds until the time of the invocation is nearly over. Of a short invocation no more than half is kept back, and for watchers a
   * twelfth: what is left of a reserve is the next one's.
   */
  msLeft({ wallMs: kept } = RESERVE): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - Math.min(kept, (wallMs * kept) / 60_000) - this.#now();
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
    const { wallMs, internalSubrequests } = this.#platform;
    if (this.#outside + subrequests > this.mostAtOnce) return this.#said('subrequests');
    if (this.#internal > internalSubrequests - RESERVE.internalSubrequests)
      return this.#said('internalSubrequests');
    const left = this.#began + wallMs - this.#now();
    const most = Math.max(wallMs - RESERVE.wallMs, wallMs / 2) / 2;
    return left < Math.min(ms, most) ? this.#said('wallMs') : undefined;
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

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  /** Counts what the invocation uses. */
  readonly meter: Meter;
  /** Whether a reply or the result of a call came of this invocation. */
  readonly hasProgressed: () => boolean;
}

/** How long a model may go on answering once its invocation is to hand over, in ms. */
const MODEL_GRACE = 20_000;

/**
 * When an invocation leaves its turn to another one: near a limit of its platform, or when it is
 * told to. Then nothing more is begun, and what runs may end; replies that take too long are given up.
 *
 * A turn that is only handed over never ends, so the first thing is done whatever little is left. Two
 * questions ask whether it was. Was work *begun* here? Then further work can be left to another invocation
 * before it begins. Has something *come* of it? Only then may the turn be left because a limit is near:
 * what was only begun, the next holder would begin again.
 */
export class InvocationBudgetWatch {
  readonly #options: Options;
  readonly #replies = new AbortController();
  /** Aborts, with an `Interrupted` as its reason, when replies are waited for no more. */
  readonly signal = this.#replies.signal;
  readonly #cancelTime: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  #reason: Interrupted | undefined;
  #hasBegun = false;

  constructor(options: Options) {
    const { clock, meter } = options;
    this.#options = options;
    const ms = meter.msLeft();
    if (Number.isFinite(ms)) {
      this.#cancelTime = clock.after(Math.max(0, Math.ceil(ms)), () => this.look());
    }
  }

  /**
   * Hands over if a limit is near, and something has come of this invocation. Returns why nothing more may begin here, or `undefined`
   * while it may.
   */
  look(): Interrupted | undefined {
    const { meter, hasProgressed } = this.#options;
    const short = meter.short();
    if (short && hasProgressed()) this.begin(nearing(short));
    return this.#reason;
  }

  /**
   * Counts the requests of a piece of work that is about to begin.
   *
   * @throws Interrupted when it is left to another invocation; ToolConfigurationError when no invocation
   *   would have enough.
   */
  claim(needs: Needs): void {
    const { meter } = this.#options;
    if (needs.subrequests > meter.mostAtOnce) {
      throw new ToolConfigurationError(
        `A call may make ${needs.subrequests} requests, and an invocation has room for ${meter.mostAtOnce}. ` +
          'Raise SUBREQUESTS if the plan allows more.',
      );
    }
    const short = meter.shortFor(needs);
    if (short && this.#hasBegun) throw this.begin(nearing(short));
    this.#hasBegun = true;
    meter.spend(needs.subrequests);
  }

  /**
   * Stops at the next boundary and leaves the turn to another invocation. Answers why, as it was said
   * first.
   */
  begin(reason: string): Interrupted {
    if (this.#reason) return this.#reason;
    this.#reason = new Interrupted('handed-over', reason);
    this.#waitForReplies(this.#reason);
    return this.#reason;
  }

  close(): void {
    this.#cancelGrace?.();
    this.#cancelTime?.();
  }

  /**
   * What takes too long is asked for again by the next holder; not so the only thing that this one has
   * done.
   */
  #waitForReplies(reason: Interrupted): void {
    const { clock, meter, hasProgressed } = this.#options;
    const grace = Math.min(MODEL_GRACE, Math.max(0, meter.msToWatch));
    this.#cancelGrace = clock.after(grace, () => {
      if (hasProgressed() || !meter.short()) this.#replies.abort(reason);
    });
  }
}

const nearing = (limit: string): string => `its invocation is about to meet its limit of ${limit}`;
