import { hasBegun, openBatch } from '../journal/conversation.ts';
import { ROOT } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';

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

/** A call that an earlier invocation left when it had begun. */
interface Begun {
  /** The path of its loop. */
  readonly path: string;
  /** The calls whose nested loops it runs in. */
  readonly within: readonly string[];
  /** It has ended, or this invocation has left it too. */
  readonly over: PromiseWithResolvers<void>;
}

/** Whose turn is asked for: calls of loops with the same path meet at a word. */
interface Asking {
  readonly call: string;
  readonly path: string;
  readonly word: string;
}

/**
 * Keeps calls apart that may not run side by side, in whatever loops of one invocation they are. A call that waits holds no slot,
 * and waits only for calls of loops with the same path. What those run is inside of them, so that no two calls wait for each other.
 */
export class CallLocks {
  readonly #begun: Map<string, Begun>;
  /** One promise for each place and word, which settles when every call before has let go. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** What each call holds, or waits for. */
  readonly #held = new Map<string, Map<string, () => void>>();

  /** `turn`: as this invocation has found it. */
  constructor(turn?: TurnState) {
    this.#begun = new Map(turn ? begunIn(turn, ROOT, []) : []);
  }

  /**
   * Resolves when the call may go on; it keeps its turn until it is released. A call that had begun in an earlier
   * invocation goes on at once, and before all others: nobody else knows what it has done.
   */
  async acquire({ call, path, word }: Asking): Promise<void> {
    if (this.#begun.has(call)) return;
    const place = JSON.stringify([path, word]);
    const held = this.#held.get(call) ?? new Map<string, () => void>();
    if (held.has(place)) return;
    const own = Promise.withResolvers<void>();
    this.#held.set(call, held.set(place, own.resolve));
    const before = this.#last.get(place);
    this.#last.set(place, Promise.all([before, own.promise]));
    const begun = [...this.#begun.values()].filter((one) => one.path === path);
    await Promise.all([before, ...begun.map(({ over }) => over.promise)]);
  }

  /** The call has ended, or is left open, and with it whatever is inside its loop. */
  release(call: string): void {
    for (const [id, { within, over }] of this.#begun) {
      if (id !== call && !within.includes(call)) continue;
      this.#begun.delete(id);
      over.resolve();
    }
    for (const letGo of this.#held.get(call)?.values() ?? []) letGo();
    this.#held.delete(call);
  }
}

/** The calls of a loop, and of those inside, that have begun; not of loops whose call has ended without them. */
function begunIn(turn: TurnState, frame: string, within: readonly string[]): [string, Begun][] {
  const loop = turn.frames.get(frame);
  if (!loop) return [];
  return openBatch(loop)
    .filter((call) => !call.ended && hasBegun(turn, call))
    .flatMap((call) => [
      [call.id, { path: loop.path, within, over: Promise.withResolvers<void>() }],
      ...begunIn(turn, call.id, [...within, call.id]),
    ]);
}
