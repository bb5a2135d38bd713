import { AsyncLocalStorage } from 'node:async_hooks';
import { createChance } from '../../process/chance.ts';

/** Code that can die or pause as a unit: an invocation of a Worker, or an object in memory. */
export interface Owner {
  readonly name: string;
  /** If `true`, its code never runs again. */
  isDead: boolean;
  /** The simulated time in ms until which its code is paused. */
  frozenUntil: number;
}

/** A scheduled event. */
interface TimelineEntry {
  /** Moved to a later time if its owner is paused. */
  at: number;
  /** Events at the same time run in the order in which they were added. */
  readonly order: number;
  readonly run: () => void;
  readonly owner: Owner | null;
  isCancelled: boolean;
}

/** A seeded source of random values. */
export interface Draw {
  /** Returns an integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
  /** Returns `true` with this probability. */
  happens(probability: number): boolean;
  oneOf<T>(list: readonly T[]): T;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
}

const FRACTION_STEPS = 2 ** 30;

/** Creates a source of random values. The same seed yields the same values. */
export function createDraw(seed: number): Draw {
  const { between } = createChance(seed);
  const drawFraction = (): number => between(0, FRACTION_STEPS - 1) / FRACTION_STEPS;
  return {
    between,
    fraction: drawFraction,
    // Also draws for the probabilities 0 and 1, so that later draws do not change.
    happens: (probability) => drawFraction() < probability,
    oneOf(list) {
      const one = list[between(0, list.length - 1)];
      if (one === undefined) throw new Error('Cannot draw from an empty list.');
      return one;
    },
  };
}

/** The original function, stored before a test can replace it. */
const { setImmediate } = globalThis;

const START_TIME = Date.UTC(2030, 0, 1);

/**
 * A world whose time advances only when all other work is done. All timed work runs through it, in an order
 * that depends only on the seed.
 */
export class Simulation {
  /** The current time, in ms since the epoch. */
  now = START_TIME;
  readonly draw: Draw;
  /** The trace, if it is enabled. */
  readonly lines: string[] = [];
  readonly #isTraced: boolean;
  readonly #owners = new AsyncLocalStorage<Owner | undefined>();
  readonly #heap: TimelineEntry[] = [];
  #order = 0;

  constructor(seed: number, isTraced: boolean) {
    this.draw = createDraw(seed);
    this.#isTraced = isTraced;
  }

  /** The time since the start of the simulation, in ms. */
  get elapsed(): number {
    return this.now - START_TIME;
  }

  /** The owner of the running code. `undefined` for the code of the play. */
  get owner(): Owner | undefined {
    return this.#owners.getStore();
  }

  /** Runs code for an owner, including all its continuations. */
  enter<T>(owner: Owner | undefined, run: () => T): T {
    return this.#owners.run(owner, run);
  }

  trace(line: () => string): void {
    if (this.#isTraced) this.lines.push(`${(this.elapsed / 1000).toFixed(3).padStart(9)}  ${line()}`);
  }

  /**
   * Runs code after `ms` unless its owner is dead. The owner `null` is the platform. Returns a function that
   * cancels the run.
   */
  after(ms: number, run: () => void, owner: Owner | null = this.owner ?? null): () => void {
    const at = this.now + Math.max(0, Math.ceil(ms) || 0);
    const entry: TimelineEntry = { at, order: this.#order++, run, owner, isCancelled: false };
    push(this.#heap, entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Resolves after `ms`. Never resolves if the caller's owner has died. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /**
   * Runs events one after another until `isOver`, or until the time `end`. Returns `true` if the play is over.
   */
  async run(isOver: () => boolean, end: number): Promise<boolean> {
    await waitForTasks();
    while (!isOver()) {
      const entry = popEntry(this.#heap);
      if (entry === undefined || entry.at > end) {
        if (entry) push(this.#heap, entry);
        this.now = Math.max(this.now, end);
        return isOver();
      }
      await this.#happen(entry);
    }
    return true;
  }

  async #happen(entry: TimelineEntry): Promise<void> {
    const { run, owner } = entry;
    if (entry.isCancelled || owner?.isDead) return;
    this.now = Math.max(this.now, entry.at);
    if (owner && owner.frozenUntil > this.now) {
      // The entry is reused, so it keeps its order and can still be cancelled.
      entry.at = owner.frozenUntil;
      push(this.#heap, entry);
      return;
    }
    this.enter(owner ?? undefined, run);
    await waitForTasks();
  }
}

/** Resolves when all promises that need no simulated time are settled. No promise here waits for real time. */
const waitForTasks = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const isBefore = (a: TimelineEntry, b: TimelineEntry): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: TimelineEntry[], entry: TimelineEntry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(entry, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = entry;
}

function popEntry(heap: TimelineEntry[]): TimelineEntry | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
  return first;
}
