/** A list that is kept up to date while it has listeners. It does not need React. */
import { toError } from '../shown-messages.ts';

/** The current content of a list. */
export interface ListSnapshot<Entry> {
  readonly entries: readonly Entry[];
  /** `true` before the first response. */
  readonly isLoading: boolean;
  /** `true` if more entries follow. `more()` shows them. */
  readonly hasMore: boolean;
  /** The error of the last read, if it failed. */
  readonly error: Error | undefined;
}

interface ListPage<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string | null;
}

/** Reads the page after a cursor, or the first page. */
export type PageReader<Entry> = (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Entry>>;

/** A list for `useSyncExternalStore` and similar functions. */
export class LiveList<Entry> {
  #snapshot: ListSnapshot<Entry> = { entries: [], isLoading: true, hasMore: false, error: undefined };
  readonly #listeners = new Set<() => void>();
  readonly #read: PageReader<Entry>;
  readonly #every: number;
  #pages = 1;
  #leaving: AbortController | undefined;
  /** The current read. The next one starts after it. */
  #reading: Promise<void> = Promise.resolve();

  /** `every` is the refresh interval in milliseconds. */
  constructor(read: PageReader<Entry>, every: number) {
    this.#read = read;
    this.#every = every;
  }

  readonly getSnapshot = (): ListSnapshot<Entry> => this.#snapshot;

  /** Reads the list while there is a listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const notifyListener = (): void => listener();
    this.#listeners.add(notifyListener);
    if (!this.#leaving) {
      this.#leaving = new AbortController();
      void this.#follow(this.#leaving.signal);
    }
    return () => {
      this.#listeners.delete(notifyListener);
      if (this.#listeners.size > 0) return;
      this.#leaving?.abort();
      this.#leaving = undefined;
    };
  };

  /** Reads all shown pages again. Never rejects. */
  readonly refresh = (): Promise<void> => {
    const { signal } = this.#leaving ?? new AbortController();
    this.#reading = this.#reading.then(() => this.#readAll(signal));
    return this.#reading;
  };

  /** Shows one more page. Never rejects. */
  readonly more = (): Promise<void> => {
    if (this.#snapshot.hasMore) this.#pages += 1;
    return this.refresh();
  };

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#every);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      const entries: Entry[] = [];
      let next: string | null | undefined;
      for (let page = 0; page < this.#pages && next !== null; page += 1) {
        const read: ListPage<Entry> = await this.#read(next, signal);
        entries.push(...read.entries);
        next = read.next;
      }
      this.#tell({ entries, isLoading: false, hasMore: typeof next === 'string', error: undefined });
    } catch (failure) {
      if (!signal.aborted) this.#tell({ ...this.#snapshot, isLoading: false, error: toError(failure) });
    }
  }

  #tell(snapshot: ListSnapshot<Entry>): void {
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }
}
