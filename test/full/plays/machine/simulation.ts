import { AsyncLocalStorage } from 'node:async_hooks';
import { createChance } from '../../process/chance.ts';

/** Code that can die or stand still as a whole: an invocation of a Worker, or one life of an object. */
export interface Owner {
  readonly name: string;
  /** Its code does not run again. */
  isDead: boolean;
  /** Its code does not run before, in ms of the simulation. */
  frozenUntil: number;
}

/** Something that happens at a time. */
interface Entry {
  /** Later than it was, if its owner stands still at that time. */
  at: number;
  /** Entries of the same time happen in the order in which they were added. */
  readonly order: number;
  readonly run: () => void;
  readonly owner: Owner | null;
  isCancelled: boolean;
}

/** Draws from a seed. */
export interface Draw {
  /** Returns a whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  /** Returns true with this probability. */
  happens(probability: number): boolean;
  oneOf<T>(list: readonly T[]): T;
  /** Returns a number from 0 to 1, without 1. */
  fraction(): number;
}

const FINE = 2 ** 30;

/** Creates a source of draws, the same for the same seed. */
export function createDraw(seed: number): Draw {
  const { between } = createChance(seed);
  const fraction = (): number => between(0, FINE - 1) / FINE;
  return {
    between,
    fraction,
    // A probability of 0 or 1 draws too, so that what comes after stays the same.
    happens: (probability) => fraction() < probability,
    oneOf(list) {
      const one = list[between(0, list.length - 1)];
      if (one === undefined) throw new Error('There is nothing to draw from.');
      return one;
    },
  };
}

/** Taken before anything replaces it. */
const { setImmediate } = globalThis;

const BEGIN = Date.UTC(2030, 0, 1);

/**
 * A world whose time passes only when nothing else can happen. Everything that takes time goes through it, in an order that follows
 * from the seed alone.
 */
export class Simulation {
  /** Milliseconds since the epoch. */
  now = BEGIN;
  readonly draw: Draw;
  /** What happened, in lines, if anybody wants to read it. */
  readonly lines: string[] = [];
  readonly #isTraced: boolean;
  readonly #owners = new AsyncLocalStorage<Owner | undefined>();
  readonly #heap: Entry[] = [];
  #order = 0;

  constructor(seed: number, isTraced: boolean) {
    this.draw = createDraw(seed);
    this.#isTraced = isTraced;
  }

  /** Milliseconds since the simulation began. */
  get elapsed(): number {
    return this.now - BEGIN;
  }

  /** Whose code runs now; `undefined` for that of the play itself. */
  get owner(): Owner | undefined {
    return this.#owners.getStore();
  }

  /** Runs code as its owner's; all that it waits for and continues with is its owner's too. */
  enter<T>(owner: Owner | undefined, run: () => T): T {
    return this.#owners.run(owner, run);
  }

  trace(line: () => string): void {
    if (this.#isTraced) this.lines.push(`${(this.elapsed / 1000).toFixed(3).padStart(9)}  ${line()}`);
  }

  /** Runs code after `ms`, unless its owner is dead then; `null`: it is the platform's own. The returned function cancels it. */
  after(ms: number, run: () => void, owner: Owner | null = this.owner ?? null): () => void {
    const at = this.now + Math.max(0, Math.ceil(ms) || 0);
    const entry: Entry = { at, order: this.#order++, run, owner, isCancelled: false };
    push(this.#heap, entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Resolves after `ms`; never in an owner that is dead by then. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Lets things happen, one after another, until `isOver`, or the time `end`. Returns whether it is over. */
  async run(isOver: () => boolean, end: number): Promise<boolean> {
    await quiet();
    while (!isOver()) {
      const entry = pop(this.#heap);
      if (entry === undefined || entry.at > end) {
        if (entry) push(this.#heap, entry);
        this.now = Math.max(this.now, end);
        return isOver();
      }
      await this.#happen(entry);
    }
    return true;
  }

  async #happen(entry: Entry): Promise<void> {
    const { run, owner } = entry;
    if (entry.isCancelled || owner?.isDead) return;
    this.now = Math.max(this.now, entry.at);
    if (owner && owner.frozenUntil > this.now) {
      // The same entry: it keeps its place among those of that time, and can still be cancelled.
      entry.at = owner.frozenUntil;
      push(this.#heap, entry);
      return;
    }
    this.enter(owner ?? undefined, run);
    await quiet();
  }
}

/** Resolves when all promises are settled that can be without time passing: nothing here waits for anything real. */
const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
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

function pop(heap: Entry[]): Entry | undefined {
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
