/**
 * Ends a wait for a reason of its own, or as a signal does that it stands under. Most of what is called never reads a signal, which is
 * made when it is read.
 */
export class Stop {
  aborted = false;
  /** Why it is aborted; the first reason is the one that counts. */
  reason: unknown;
  readonly #outer: AbortSignal | undefined;
  #own: AbortController | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.abort(outer.reason);
    else outer?.addEventListener('abort', this);
  }

  /** Aborts when this does, also after `end`. */
  get signal(): AbortSignal {
    if (!this.#own) {
      this.#own = new AbortController();
      if (this.aborted) this.#own.abort(this.reason);
    }
    return this.#own.signal;
  }

  /** Without a reason it is that of an `AbortController`. */
  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#own?.abort(reason);
    this.#reject?.(reason);
  }

  /** The signal that it stands under has aborted. */
  handleEvent(): void {
    this.abort(this.#outer?.reason);
  }

  /** The promise's value; rejects with the reason as soon as this is aborted. One wait at a time. */
  until<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#reject = reject;
    if (this.aborted) reject(this.reason);
    work.then(resolve, reject);
    return promise;
  }

  /** Nobody waits any more. */
  end(): void {
    if (!this.#own || this.aborted) this.#outer?.removeEventListener('abort', this);
  }
}

/** The promise's value; rejects with the signal's reason as soon as that aborts, whether or not the promise settles. */
export function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const stop = new Stop(signal);
  return stop.until(promise).finally(() => stop.end());
}

/** Makes the reason of a signal whose time of so many ms is over. */
export const timeIsOver = (ms: number): DOMException =>
  new DOMException(`${ms} ms are over.`, 'TimeoutError');

/** Wakes whoever waits until something has changed. */
export class Changes {
  /** Absent while nobody waits. */
  #next: PromiseWithResolvers<void> | undefined;

  /** Resolves with the next change after this was asked for. */
  get next(): Promise<void> {
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  /** To be called when something has changed. */
  tell(): void {
    this.#next?.resolve();
    this.#next = undefined;
  }
}

/**
 * The promise's value. No timer is left behind.
 *
 * @throws what `late` makes once `ms` are over, and the signal's reason as soon as that aborts.
 */
export function inTime<T>(
  clock: Pick<Timers, 'after'>,
  work: Promise<T>,
  { ms, signal, late }: Within,
): Promise<T> {
  const stop = new Stop(signal);
  const cancel = clock.after(ms, () => stop.abort(late(ms)));
  return stop.until(work).finally(() => {
    cancel();
    stop.end();
  });
}

/**
 * Resolves after so many ms. No timer is left behind.
 *
 * @throws the signal's reason as soon as that aborts.
 */
export function pause(clock: Pick<Timers, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  const stop = new Stop(signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  return stop.until(promise).finally(() => {
    cancel();
    stop.end();
  });
}

/** How long something is waited for. */
interface Within {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly late: (ms: number) => unknown;
}

/** Whoever can call back. */
interface Timers {
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The timers of the platform. */
export const TIMERS: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** How long code of an app may take that is asked before something can go on, such as what mints its secrets; in ms. */
export const HOOK_TIME = 30_000;

/** Why something was thrown, in words. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Runs it, and answers what it throws. */
export function attempt<Made>(make: () => Made): Attempt<Made> {
  try {
    return { ok: true, value: make() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}

/** What became of code that may throw. */
type Attempt<Made> =
  | { readonly ok: true; readonly value: Made }
  | { readonly ok: false; readonly thrown: unknown };

/**
 * A function that makes its answer once for each object: the same object, the same answer. What throws is asked again.
 */
export function memoized<Key extends object, Made extends object | string>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}

/** The encoder of all texts; it keeps nothing of any. */
export const ENCODER = new TextEncoder();

/** The SHA-256 of bytes, or of a text's UTF-8, in hexadecimal digits, lower case. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? ENCODER.encode(data) : data;
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** The longest that a message is put off, in seconds: 365 days. */
export const LONGEST_DELAY = 365 * 24 * 60 * 60;

/** Which delays there are, for whoever gave another. */
export const DELAY_RULE = `must be a number from 0 to ${LONGEST_DELAY} (365 days)`;

/** Tells whether a message can be put off by so many seconds. With 0 it gets in line at once. */
export const isDelay = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= LONGEST_DELAY;
