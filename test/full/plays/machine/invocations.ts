import type { Owner, Simulation } from './simulation.ts';

/** A deployed version of the app, with the entry points that the platform calls. */
export interface Deployment {
  readonly version: string;
  readonly worker: {
    fetch(request: Request, env: object, ctx: object): Response | Promise<Response>;
    queue(batch: object, env: object, ctx: object): Promise<void>;
  };
  readonly TurnRunner: new (ctx: object, env: object) => { run(handOver: unknown): Promise<void> };
}

/** How long `waitUntil` work may run after the client has disconnected, in ms. */
const LEFT_ALONE_MS = 30_000;

/** One invocation of a Worker. */
export class Invocation implements Owner {
  readonly name: string;
  readonly deployed: Deployment;
  isDead = false;
  frozenUntil = 0;
  readonly #simulation: Simulation;
  readonly #onDeath: (() => void)[] = [];
  readonly #work = new Set<Promise<unknown>>();
  #isLeft = false;
  #onOver: () => void = () => {};

  constructor(simulation: Simulation, name: string, deployed: Deployment) {
    this.#simulation = simulation;
    this.name = name;
    this.deployed = deployed;
  }

  /** The `ctx` that its code receives. */
  get context(): object {
    return { waitUntil: (work: Promise<unknown>) => this.hold(work), passThroughOnException: () => {} };
  }

  /** Extends the invocation until the work is done. */
  hold(work: Promise<unknown>): void {
    this.#work.add(work);
    const removeWork = (): void => {
      this.#work.delete(work);
      if (this.#work.size === 0) this.#onOver();
    };
    work.then(removeWork, removeWork);
  }

  /** Registers a function that is called when all work is done. */
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

  /** Pauses its code for `ms` at an arbitrary point. */
  freeze(ms: number): void {
    this.#simulation.trace(() => `${this.name} stands still for ${ms} ms`);
    this.frozenUntil = Math.max(this.frozenUntil, this.#simulation.now + ms);
  }

  /** Reports that the client has disconnected. The platform ends the invocation after a while. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#simulation.after(LEFT_ALONE_MS, () => this.kill('nobody has waited for it for 30 s'), null);
  }
}
