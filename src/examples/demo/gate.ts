/** One answer that is, or will be, held back. */
export interface Hold {
  /** Resolves when somebody waits for the answer. */
  readonly reached: Promise<void>;
  release(): void;
}

interface Barrier extends Hold {
  readonly arrive: () => void;
  readonly released: Promise<void>;
}

/** Holds answers back by name, so that a kill can be placed inside the wait for one. */
export class Gate {
  readonly #barriers = new Map<string, Barrier>();

  /** Every answer of this name waits from now on, until the hold is released. */
  hold(name: string): Hold {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const barrier: Barrier = {
      reached: reached.promise,
      arrive: reached.resolve,
      released: released.promise,
      release: () => {
        if (this.#barriers.get(name) === barrier) this.#barriers.delete(name);
        released.resolve();
      },
    };
    this.#barriers.set(name, barrier);
    return barrier;
  }

  /** To be awaited before an answer of this name is given. */
  async pass(name: string): Promise<void> {
    const barrier = this.#barriers.get(name);
    barrier?.arrive();
    await barrier?.released;
  }
}
