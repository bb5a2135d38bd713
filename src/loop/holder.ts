import { CallInterrupted } from '../tool/signals.ts';
import type { SessionCredentials } from '../tool/tool.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** One invocation of the Worker while it holds a turn: whether it may act, until when, and what it can do. */
export interface Holder {
  /** Aborts with an `Interrupted` as its reason: the turn is cancelled, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Aborts as `signal` does, and when the wait for a reply is left to another invocation. */
  readonly modelSignal: AbortSignal;
  /** @throws Interrupted when this invocation is to start nothing more. Checks its own deadline by the clock. */
  checkpoint(): void;
  /**
   * As `checkpoint`, before a piece of work that takes so many requests to others, and so long at the most: they are
   * counted, or the work is left to another invocation when too little is left for it.
   *
   * @throws ToolConfigurationError when no invocation would have enough.
   */
  claim(needs: Needs): void;
  /** Counts requests of work that has begun, and could not be foreseen. */
  count(subrequests: number): void;
  /** As `checkpoint`, but only for the lease: the last look before a tool that is already journaled as started runs. */
  assertHeld(): void;
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  now(): number;
  /** Resolves when the former holder can no longer be acting; only then may it be asked what it did. */
  formerHolderGone(): Promise<void>;
  /** Hex SHA-256 over the session's name and incarnation and the id of a turn, or of what else has a key in the session; made once. */
  digest(id: string): Promise<string>;
  /**
   * Journals the messages that were left for the turn, when this is its own loop: they are then the newest of its
   * conversation. Answers whether there were any.
   */
  takeSteers(frame: string): boolean;
  /** Has the result journaled that a call still gives which was ended as unknown; `undefined` when it gives none. */
  late(call: LateCall, answer: Promise<ToolResult | undefined>): void;
  /** Runs when this invocation's part of the turn is over, on every path, and is not waited for long. Must not throw. */
  atEnd(work: () => Promise<unknown>): void;
  /** What the session keeps beside its journal. */
  readonly credentials: SessionCredentials;
}

/** Of a holder whose session goes with it: there is nobody to keep anything for. */
export const NO_CREDENTIALS: SessionCredentials = {
  find: async () => ({ status: 'none' }),
  keep: async () => false,
};

/** What a piece of work takes at the most, once it has begun. */
export interface Needs {
  /** Requests to models, services and objects. */
  readonly subrequests: number;
  readonly ms: number;
}

/** A call that was ended before it answered. */
export interface LateCall {
  readonly call: string;
  readonly tool: string;
  /** As the model wrote it, shortened: so the model knows its call again. */
  readonly input: string;
}

/** Why an invocation stops acting for a turn that has not ended. */
type Interruption =
  /** Somebody asked to stop the turn. */
  | 'cancelled'
  /** Another invocation goes on: this one is over its means, or its client has gone. */
  | 'handed-over'
  /** A call waits for somebody outside. */
  | 'suspended'
  /** The lease is lost, or may be: nothing more may be started or stored. */
  | 'lost';

/** Leaves the loop, through every tool and nested loop; it is never turned into a tool result. */
export class Interrupted extends CallInterrupted {
  override readonly name = 'Interrupted';
  readonly why: Interruption;

  constructor(why: Interruption, detail: string) {
    super(detail);
    this.why = why;
  }
}

/** What is thrown for work of a call that has ended without waiting for it. */
export const callEnded = (call: string): Interrupted =>
  new Interrupted('cancelled', `Call ${call} has ended.`);

/** Tells whether something was thrown, or a signal aborted, for this reason. */
export const isInterrupted = (thrown: unknown, why: Interruption): thrown is Interrupted =>
  thrown instanceof Interrupted && thrown.why === why;

const CONNECTIONS = 6;

/**
 * Lets at most `size` holders work at once, first come first served. Each invocation has one of six slots: the platform
 * lets an invocation have six connections open, and cancels an older one for a seventh. Its line to the object is one of them.
 */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size = CONNECTIONS) {
    this.#free = size;
  }

  /** Runs `work` in a slot; the next that is free when it goes `first`. What `work` throws passes through. */
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
