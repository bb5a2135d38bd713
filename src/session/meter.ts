import { InterruptionError, type Needs } from '../loop/holder.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { Clock, Platform } from './read-platform.ts';

/**
 * The reserve for ending a turn. Internal requests: the starts and ends of six running calls, the end of the
 * turn and a few retries. Subrequests: uncounted requests of connections and stores.
 */
const END_RESERVE = { subrequests: 12, internalSubrequests: 12, wallMs: 30_000 };

/**
 * The reserve of an invocation that only watches. It makes no subrequests, but must leave the line and tell
 * its client how to continue.
 */
const WATCH_RESERVE = { subrequests: -Infinity, internalSubrequests: 3, wallMs: 5_000 };

/** The number of requests that acquire a lease. */
const REQUESTS_PER_LEASE = 2;

/** Counts the usage of one invocation of the Worker, across all its turns and its messages to any object. */
export class Meter {
  /** The maximum number of subrequests of one piece of work. No invocation has room for more. */
  readonly mostAtOnce: number;
  readonly #platform: Platform;
  readonly #now: () => number;
  readonly #began: number;
  #outside = 0;
  #internal = 0;

  constructor(platform: Platform, now: () => number) {
    this.mostAtOnce = platform.subrequests - END_RESERVE.subrequests;
    this.#platform = platform;
    this.#now = now;
    this.#began = now();
  }

  /** Counts subrequests outside the platform: to models, services and stores. */
  spend(subrequests = 1): void {
    this.#outside += subrequests;
  }

  /** Counts a request to an object or a queue. */
  spendInternal(): void {
    this.#internal += 1;
  }

  /** The exceeded limit, as text, if almost no requests to the session are left. */
  get outOfRequests(): string | undefined {
    const most = this.#platform.internalSubrequests - WATCH_RESERVE.internalSubrequests;
    return this.#internal > most ? this.#said('internalSubrequests') : undefined;
  }

  /**
   * `true` if the invocation has done almost no work. Work that does not fit now would not fit into any
   * invocation.
   */
  get isFresh(): boolean {
    return this.#internal <= REQUESTS_PER_LEASE;
  }

  /** Returns, as text, the limit that is too near for new work, or `undefined`. */
  nearLimit(kept = END_RESERVE): string | undefined {
    const { subrequests, internalSubrequests } = this.#platform;
    if (this.#outside > subrequests - kept.subrequests) return this.#said('subrequests');
    if (this.#internal > internalSubrequests - kept.internalSubrequests)
      return this.#said('internalSubrequests');
    return this.msLeft(kept) <= 0 ? this.#said('wallMs') : undefined;
  }

  /** Like `nearLimit`, but for a reader that only watches and needs a smaller reserve. */
  get nearEnd(): string | undefined {
    return this.nearLimit(WATCH_RESERVE);
  }

  /**
   * Returns the milliseconds until the invocation's time is nearly over. In a short invocation the reserve is
   * at most half of its time, or a twelfth for watchers.
   */
  msLeft({ wallMs: kept } = END_RESERVE): number {
    const { wallMs } = this.#platform;
    return this.#began + wallMs - Math.min(kept, (wallMs * kept) / 60_000) - this.#now();
  }

  /** Milliseconds until a watcher must stop. */
  get msToWatch(): number {
    return this.msLeft(WATCH_RESERVE);
  }

  /**
   * Returns, as text, the limit that is too near for a piece of work, or `undefined`. Work that could need
   * more time than is left can begin only in the first half of the invocation, since most work takes a
   * fraction of its timeout.
   */
  shortFor({ subrequests, ms }: Needs): string | undefined {
    const { wallMs, internalSubrequests } = this.#platform;
    if (this.#outside + subrequests > this.mostAtOnce) return this.#said('subrequests');
    if (this.#internal > internalSubrequests - END_RESERVE.internalSubrequests)
      return this.#said('internalSubrequests');
    const left = this.#began + wallMs - this.#now();
    const most = Math.max(wallMs - END_RESERVE.wallMs, wallMs / 2) / 2;
    return left < Math.min(ms, most) ? this.#said('wallMs') : undefined;
  }

  #said(limit: keyof typeof UNIT_NAMES): string {
    return `${this.#platform[limit]} ${UNIT_NAMES[limit]}`;
  }
}

const UNIT_NAMES = {
  subrequests: 'subrequests',
  internalSubrequests: 'subrequests to the platform itself',
  wallMs: 'ms',
} as const;

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  /** Counts the usage of the invocation. */
  readonly meter: Meter;
  /** Returns whether this invocation has produced a reply or the result of a call. */
  readonly hasProgressed: () => boolean;
}

/** How long a model can continue after its invocation decides to hand over, in ms. */
const MODEL_GRACE_MS = 20_000;

/**
 * Decides when an invocation leaves its turn to another: near a limit of its platform, or on request. After
 * that, no work begins, running work can end, and replies that take too long are abandoned.
 *
 * A turn that is always handed over would never end, so the first piece of work runs even if little is left.
 * Two conditions ensure progress. If work has *begun* here, further work can be left to another invocation
 * before it begins. Only if work has *finished* here can the turn be left because a limit is near, since the
 * next holder would have to repeat unfinished work.
 */
export class InvocationBudgetWatch {
  readonly #options: Options;
  readonly #replies = new AbortController();
  /** Aborts, with an `InterruptionError` as its reason, when replies are no longer awaited. */
  readonly signal = this.#replies.signal;
  readonly #cancelTime: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  #reason: InterruptionError | undefined;
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
   * Hands over if a limit is near and this invocation has made progress. Returns why no work can begin here,
   * or `undefined` if it can.
   */
  look(): InterruptionError | undefined {
    const { meter, hasProgressed } = this.#options;
    const short = meter.nearLimit();
    if (short && hasProgressed()) this.begin(describeNearLimit(short));
    return this.#reason;
  }

  /**
   * Counts the requests of a piece of work that is about to begin.
   *
   * @throws InterruptionError if the work is left to another invocation.
   * @throws ToolConfigurationError if no invocation would have enough.
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
    if (short && this.#hasBegun) throw this.begin(describeNearLimit(short));
    this.#hasBegun = true;
    meter.spend(needs.subrequests);
  }

  /**
   * Stops at the next boundary and leaves the turn to another invocation. Returns the first reason that was
   * given.
   */
  begin(reason: string): InterruptionError {
    if (this.#reason) return this.#reason;
    this.#reason = new InterruptionError('handed-over', reason);
    this.#waitForReplies(this.#reason);
    return this.#reason;
  }

  close(): void {
    this.#cancelGrace?.();
    this.#cancelTime?.();
  }

  /**
   * Aborts replies that take too long, since the next holder asks again. Keeps waiting if the reply would be
   * the only progress of this invocation.
   */
  #waitForReplies(reason: InterruptionError): void {
    const { clock, meter, hasProgressed } = this.#options;
    const grace = Math.min(MODEL_GRACE_MS, Math.max(0, meter.msToWatch));
    this.#cancelGrace = clock.after(grace, () => {
      if (hasProgressed() || !meter.nearLimit()) this.#replies.abort(reason);
    });
  }
}

const describeNearLimit = (limit: string): string => `its invocation is near its limit of ${limit}`;
