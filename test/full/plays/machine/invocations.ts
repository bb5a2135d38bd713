import type { Owner, Simulation } from './simulation.ts';

/** One deployed version of the app, as the platform calls it. */
export interface Deployed {
  readonly version: string;
  readonly worker: {
    fetch(request: Request, env: object, ctx: object): Response | Promise<Response>;
    queue(batch: object, env: object, ctx: object): Promise<void>;
  };
  readonly TurnRunner: new (ctx: object, env: object) => { run(handOver: unknown): Promise<void> };
}

/** How long what is left to `waitUntil` goes on without whoever has asked, in ms. */
const LEFT_ALONE = 30_000;

/** One invocation of a Worker. */
export class Invocation implements Owner {
  readonly name: string;
  readonly deployed: Deployed;
  isDead = false;
  frozenUntil = 0;
  readonly #simulation: Simulation;
  readonly #onDeath: (() => void)[] = [];
  readonly #work = new Set<Promise<unknown>>();
  #isLeft = false;
  #onOver: () => void = () => {};

  constructor(simulation: Simulation, name: string, deployed: Deployed) {
    this.#simulation = simulation;
    this.name = name;
    this.deployed = deployed;
  }

  /** What its code has as `ctx`. */
  get context(): object {
    return { waitUntil: (work: Promise<unknown>) => this.hold(work), passThroughOnException: () => {} };
  }

  /** It lasts at least as long as this. */
  hold(work: Promise<unknown>): void {
    this.#work.add(work);
    const done = (): void => {
      this.#work.delete(work);
      if (this.#work.size === 0) this.#onOver();
    };
    work.then(done, done);
  }

  /** Called when all its work is done. */
  whenOver(run: () => void): void {
    this.#onOver = run;
  }

  whenDead(run: () => void): void {
    this.#onDeath.push(run);
  }

  kill(why: string): void {
    if (this.isDead) return;
    this.#simulation.trace(() => `${this.name} dies: ${why}`);
    this.isDead = true;
    for (const run of this.#onDeath) run();
  }

  /** Stands still for so many ms, in the middle of whatever it does. */
  freeze(ms: number): void {
    this.#simulation.trace(() => `${this.name} stands still for ${ms} ms`);
    this.frozenUntil = Math.max(this.frozenUntil, this.#simulation.now + ms);
  }

  /** Nobody waits for it any more: it is ended after a while. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#simulation.after(LEFT_ALONE, () => this.kill('nobody has waited for it for 30 s'), null);
  }
}
