import { ModelError } from '../../src/model/chat-model.ts';

/** What befalls an invocation from one of its port calls on, or at it. */
export interface Disturbance {
  /** Counts the moments before and after each port call, from 0. */
  readonly at: number;
  readonly mode: /** From there on every call rejects. */
    | 'rejects'
    /** From there on no call is answered, ever. */
    | 'hangs'
    /** From there on calls are held up, and arrive when another invocation takes the session over. */
    | 'late'
    /** The same, but they arrive an eighth of a term after that: just before anybody may ask what they did. */
    | 'zombie'
    /** Appends around there are stored, and their answers lost; the port sends them again. */
    | 'lost-answer'
    /** The object loses its memory there. */
    | 'restart';
}

/** Everything that an invocation does to the world goes through its line: appends, renewals, model calls, tool runs. */
export class Line {
  position = 0;
  readonly #disturbance: Disturbance | undefined;
  readonly #restart: () => void;
  readonly #held: (() => void)[] = [];
  #isDelivered = false;

  constructor(disturbance: Disturbance | undefined, restart: () => void) {
    this.#disturbance = disturbance;
    this.#restart = restart;
  }

  async through<T>(work: () => T | Promise<T>): Promise<T> {
    await this.#gate();
    const value = await work();
    await this.#gate();
    return value;
  }

  async append<T>(store: () => Promise<T>): Promise<T> {
    const before = this.position;
    const answer = await this.through(store);
    const { mode, at } = this.#disturbance ?? {};
    const isLost = mode === 'lost-answer' && at !== undefined && before <= at && at < before + 2;
    return isLost ? store() : answer;
  }

  get isZombie(): boolean {
    return this.#disturbance?.mode === 'zombie';
  }

  /** Lets go of everything that was held up. */
  deliver(): void {
    this.#isDelivered = true;
    for (const go of this.#held.splice(0)) go();
  }

  async #gate(): Promise<void> {
    const position = this.position;
    this.position += 1;
    if (!this.#disturbance || position < this.#disturbance.at) return;
    switch (this.#disturbance.mode) {
      case 'rejects':
        throw new ModelError('unreachable', 'The invocation is gone.'); // what a model has to throw; others may
      case 'hangs':
        return new Promise(() => {});
      case 'late':
      case 'zombie':
        if (!this.#isDelivered) await new Promise<void>((resolve) => this.#held.push(resolve));
        return;
      case 'restart':
        if (position === this.#disturbance.at) this.#restart();
        return;
      case 'lost-answer':
    }
  }
}
