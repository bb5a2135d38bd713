/**
 * Ends a wait when it is aborted, or when an outer signal aborts. Its own signal is created on first access,
 * since most callees never read it.
 */
export class StopController {
  aborted = false;
  /** The reason of the first abort. */
  reason: unknown;
  readonly #outer: AbortSignal | undefined;
  #own: AbortController | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.abort(outer.reason);
    else outer?.addEventListener('abort', this);
  }

  /** A signal that aborts together with this controller, even after `end`. */
  get signal(): AbortSignal {
    if (!this.#own) {
      this.#own = new AbortController();
      if (this.aborted) this.#own.abort(this.reason);
    }
    return this.#own.signal;
  }

  /** Aborts. Without a reason, `signal` has the default reason of an `AbortController`. */
  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#own?.abort(reason);
    this.#reject?.(reason);
  }

  /** Called when the outer signal aborts. */
  handleEvent(): void {
    this.abort(this.#outer?.reason);
  }

  /**
   * Returns the promise's value, or rejects with the reason as soon as this controller is aborted. Supports
   * one wait at a time.
   */
  until<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#reject = reject;
    if (this.aborted) reject(this.reason);
    work.then(resolve, reject);
    return promise;
  }

  /** Stops listening to the outer signal after the last wait. */
  end(): void {
    if (!this.#own || this.aborted) this.#outer?.removeEventListener('abort', this);
  }
}

/**
 * Returns the promise's value. Rejects with the signal's reason as soon as it aborts, even if the promise
 * never settles.
 */
export function raceAbort<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const stop = new StopController(signal);
  return stop.until(promise).finally(() => stop.end());
}

/** Returns the abort reason for an exceeded time limit. */
export const createTimeoutError = (ms: number): DOMException =>
  new DOMException(`${ms} ms are over.`, 'TimeoutError');

/** Wakes waiting code at the next change. */
export class ChangeNotifier {
  /** Absent while no code waits. */
  #next: PromiseWithResolvers<void> | undefined;

  /** Resolves at the next change after this is read. */
  get next(): Promise<void> {
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  /** Reports a change. */
  notify(): void {
    this.#next?.resolve();
    this.#next = undefined;
  }
}

/**
 * Returns the promise's value within a time limit. Leaves no timer behind.
 *
 * @throws the value of `late` once `ms` have passed.
 * @throws the signal's reason as soon as it aborts.
 */
export function withTimeout<T>(
  clock: Pick<Timers, 'after'>,
  work: Promise<T>,
  { ms, signal, late }: TimeoutOptions,
): Promise<T> {
  const stop = new StopController(signal);
  const cancel = clock.after(ms, () => stop.abort(late(ms)));
  return stop.until(work).finally(() => {
    cancel();
    stop.end();
  });
}

/**
 * Resolves after `ms`. Leaves no timer behind.
 *
 * @throws the signal's reason as soon as it aborts.
 */
export function pause(clock: Pick<Timers, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  const stop = new StopController(signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  return stop.until(promise).finally(() => {
    cancel();
    stop.end();
  });
}

interface TimeoutOptions {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly late: (ms: number) => unknown;
}

interface Timers {
  /** Calls back once after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The timers of the platform. */
export const TIMERS: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The time limit of app hooks that must finish before work can continue, such as minting secrets, in ms. */
export const HOOK_TIMEOUT_MS = 30_000;

export const getErrorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Runs a function, and returns its result or the value that it throws. */
export function attempt<Made>(make: () => Made): Attempt<Made> {
  try {
    return { ok: true, value: make() };
  } catch (thrown) {
    return { ok: false, thrown };
  }
}

/** The outcome of code that can throw. */
type Attempt<Made> =
  | { readonly ok: true; readonly value: Made }
  | { readonly ok: false; readonly thrown: unknown };

/** Returns a function that caches its result for each object. A call that throws is not cached. */
export function memoize<Key extends object, Made extends object | string>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}

/** The shared text encoder. It has no state. */
export const ENCODER = new TextEncoder();

/** Returns the SHA-256 of bytes, or of a string in UTF-8, in lowercase hexadecimal. */
export async function computeSha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? ENCODER.encode(data) : data;
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** The maximum delay of a message, in seconds: 365 days. */
export const MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;

/** The text for errors that states the rule for delays. */
export const DELAY_RULE = `must be a number from 0 to ${MAX_DELAY_SECONDS} (365 days)`;

/** Returns whether a message can be delayed by this many seconds. A message with 0 is queued at once. */
export const isDelay = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_DELAY_SECONDS;
