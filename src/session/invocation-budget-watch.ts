import { Interrupted, type Needs } from '../loop/holder.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { Meter } from './meter.ts';
import type { Clock } from './read-platform.ts';

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
        `A call may make ${needs.subrequests} requests, and an invocation of this deployment has room for ` +
          `${meter.mostAtOnce} of one call. Raise SUBREQUESTS if the plan allows more, or ask for less at once.`,
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
