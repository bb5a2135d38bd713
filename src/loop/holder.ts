import { CallInterrupted } from '../tool/signals.ts';
import type { SessionCredentials } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** The invocation of the Worker that holds a turn: whether it can act, for how long, and its resources. */
export interface Holder {
  /** Aborts with an `InterruptionError` as its reason if the turn is cancelled or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts with `signal`, and when another invocation takes over the wait for a reply. */
  readonly modelSignal: AbortSignal;
  /**
   * Checks the deadline by the clock.
   *
   * @throws InterruptionError if this invocation must not start anything more.
   */
  checkpoint(): void;
  /**
   * Like `checkpoint`, but for work with known needs. Counts its requests, or leaves the work to another
   * invocation if too little time or too few requests remain.
   *
   * @throws ToolConfigurationError if no invocation would have enough.
   */
  claim(needs: Needs): void;
  /** Counts requests of running work that could not be foreseen. */
  count(subrequests: number): void;
  /**
   * Like `checkpoint`, but checks only the lease. The last check before a tool runs whose start is journaled.
   */
  assertHeld(): void;
  /** Calls back once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  now(): number;
  /** Resolves when the former holder can no longer act. Only then is it safe to ask about its work. */
  formerHolderGone(): Promise<void>;
  /**
   * Returns a hex SHA-256 over the session's name and incarnation and an id, such as that of a turn. Computed
   * once for each id.
   */
  digest(id: string): Promise<string>;
  /**
   * Journals the messages that wait for the turn, if `frame` is its own loop. They become the newest in its
   * conversation. Returns whether there were any.
   */
  takeSteers(frame: string): boolean;
  /** Journals the late result of a call that ended as unknown, unless `answer` resolves with `undefined`. */
  late(call: LateCall, answer: Promise<ToolResult | undefined>): void;
  /**
   * Registers work that always runs when this invocation's part of the turn is over. The wait for it is
   * short. `work` must not throw.
   */
  atEnd(work: () => Promise<unknown>): void;
  /** Credentials that the session keeps beside its journal. */
  readonly credentials: SessionCredentials;
}

/** The credentials of a loop without a stored session, which keeps none. */
export const NO_CREDENTIALS: SessionCredentials = {
  find: async () => ({ status: 'none' }),
  keep: async () => false,
};

/** The maximum needs of a piece of work once it has begun. */
export interface Needs {
  /** Requests to models, services and objects. */
  readonly subrequests: number;
  readonly ms: number;
}

/** A call that ended before its tool returned. */
export interface LateCall {
  readonly call: string;
  readonly tool: string;
  /** The model's own input, shortened, so that the model recognizes its call. */
  readonly input: string;
}

/** Why an invocation stops before the turn has ended. */
type Interruption =
  /** A request to cancel the turn. */
  | 'cancelled'
  /**
   * Another invocation continues the turn: this one has used up its time or requests, or its client
   * disconnected.
   */
  | 'handed-over'
  /** A call waits for an answer from outside. */
  | 'suspended'
  /** The lease is or may be lost: this invocation must not start or store anything more. */
  | 'lost';

/** Propagates out of the loop through every tool and nested loop. It never becomes a tool result. */
export class InterruptionError extends CallInterrupted {
  override readonly name = 'InterruptionError';
  readonly why: Interruption;

  constructor(why: Interruption, detail: string) {
    super(detail);
    this.why = why;
  }
}

/** Returns the error for work of a call that has ended without waiting for it. */
export const createCallEndedError = (call: string): InterruptionError =>
  new InterruptionError('cancelled', `Call ${call} has ended.`);

/** Returns whether a thrown value or an abort reason is an `InterruptionError` of this kind. */
export const isInterrupted = (thrown: unknown, why: Interruption): thrown is InterruptionError =>
  thrown instanceof InterruptionError && thrown.why === why;

const MAX_CONNECTIONS = 6;

/**
 * Lets at most `size` holders work at once, in order of arrival. An invocation has six slots, since the
 * platform allows six open connections and cancels an older one for a seventh. The connection to the Durable
 * Object uses one of them.
 */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size = MAX_CONNECTIONS) {
    this.#free = size;
  }

  /** Runs `work` in a slot. With `first`, it gets the next free slot. Rethrows errors of `work`. */
  async hold<T>(work: () => Promise<T>, goes: 'first' | 'last' = 'last'): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      const slot = Promise.withResolvers<void>();
      this.#waiting[goes === 'first' ? 'unshift' : 'push'](slot.resolve);
      await slot.promise;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
