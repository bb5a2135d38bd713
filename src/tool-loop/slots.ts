/** Connections that the platform lets an invocation have open. */
export const CONNECTIONS = 6;

/**
 * At most `size` holders at once, first come first served. One an invocation, of six: the platform lets an
 * invocation have six connections open, and cancels an older one for a seventh.
 */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size = CONNECTIONS) {
    this.#free = size;
  }

  /** Runs `work` in a slot. What `work` throws passes through. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
