/** A response that a gate holds back. */
export interface Hold {
  /** Resolves when a request waits for the response. */
  readonly reached: Promise<void>;
  release(): void;
}

interface Barrier extends Hold {
  readonly arrive: () => void;
  readonly released: Promise<void>;
}

/** Holds back responses by name, so that a kill can happen while a request waits. */
export class Gate {
  readonly #barriers = new Map<string, Barrier>();

  /** Holds back every response of this name until the hold is released. */
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

  /** Waits while responses of this name are held back. Await it before sending one. */
  async pass(name: string): Promise<void> {
    const barrier = this.#barriers.get(name);
    barrier?.arrive();
    await barrier?.released;
  }
}
