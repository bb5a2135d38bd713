import { strict as assert } from 'node:assert';
import type { CountedEffects } from './counted-effects.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

/** Starts and kills a Worker. Its storage and port stay the same throughout the demo. */
export class Stage {
  readonly effects: CountedEffects;
  readonly #port: number;
  readonly #directory: string;
  readonly #entry: string | undefined;
  #vars: Readonly<Record<string, string>> = {};
  #worker: WorkerProcess | undefined;

  constructor(options: {
    readonly effects: CountedEffects;
    readonly port: number;
    readonly directory: string;
    /** The entry of another Worker, relative to the root of this repository. */
    readonly entry?: string | undefined;
  }) {
    this.effects = options.effects;
    this.#port = options.port;
    this.#directory = options.directory;
    this.#entry = options.entry;
  }

  get url(): string {
    assert(this.#worker, 'The Worker runs.');
    return this.#worker.url;
  }

  /** The last lines of the Worker's output. */
  get log(): string {
    return this.#worker?.log() ?? '';
  }

  /** Starts the Worker with the same storage as before. `vars` defaults to the previous vars. */
  async start(vars = this.#vars): Promise<void> {
    this.#vars = vars;
    const options = { port: this.#port, directory: this.#directory, entry: this.#entry };
    this.#worker = await startWorker({
      ...options,
      vars: { LEASE_MS: '3000', SHOP_URL: this.effects.url, ...vars },
    });
  }

  /** Ends the Worker by SIGKILL or SIGTERM, and waits until its port is closed. */
  async end(how: 'kill' | 'stop'): Promise<void> {
    await this.#worker?.[how]();
    this.#worker = undefined;
  }
}
