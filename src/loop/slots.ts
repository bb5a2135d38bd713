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
