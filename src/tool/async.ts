import { type Log, mistake } from './log.ts';
import { SignalError } from './signals.ts';

/** The promise's value; rejects with the signal's reason as soon as that aborts, whether or not the promise settles. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Wakes whoever waits until something has changed. */
export class Changes {
  #next = Promise.withResolvers<void>();

  /** Resolves with the next change after this was asked for. */
  get next(): Promise<void> {
    return this.#next.promise;
  }

  /** To be called when something has changed. */
  tell(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
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
  const over = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () => over.reject(late(ms)));
  const first = Promise.race([work, over.promise]);
  return (signal ? untilAborted(signal, first) : first).finally(cancel);
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

/** How long code of an app may take that is asked before something can go on, such as what mints its secrets; in ms. */
export const HOOK_TIME = 30_000;

/**
 * Tells somebody who listens to a call, and waits for them until the call is aborted. What goes wrong there is logged
 * and is nothing to the call, which has its own outcome: never rejects, but with a control-flow signal.
 *
 * @param who what the log calls the listener, such as "a sink of tool 'search'".
 * @throws SignalError when that is what the listener throws.
 */
export async function listen(who: string, { signal, log }: ListenedCall, tell: () => unknown): Promise<void> {
  const aborted = Promise.withResolvers<'aborted'>();
  const onAbort = (): void => aborted.resolve('aborted');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    const told = (async () => tell())();
    if ((await Promise.race([told, aborted.promise])) === 'aborted') {
      told.catch(() => undefined); // Nobody waits for it any more.
      log(mistake(`${who} was left, since its call was aborted`));
    }
  } catch (thrown) {
    if (thrown instanceof SignalError) throw thrown;
    log(mistake(`${who} failed`, thrown));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** What is asked of a call that somebody listens to. */
interface ListenedCall {
  readonly signal: AbortSignal;
  readonly log: Log;
}

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
export function memoized<Key extends object, Made extends object>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}

/** The SHA-256 of bytes, or of a text's UTF-8. */
export const sha256 = (data: string | Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', typeof data === 'string' ? new TextEncoder().encode(data) : data);

/** The same in hexadecimal digits, lower case. */
export async function sha256Hex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = [...new Uint8Array(await sha256(data))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The longest that a message is put off, in seconds: 365 days. */
export const LONGEST_DELAY = 365 * 24 * 60 * 60;

/** Which delays there are, for whoever gave another. */
export const DELAY_RULE = `must be a number from 0 to ${LONGEST_DELAY} (365 days)`;

/** Tells whether a message can be put off by so many seconds. With 0 it gets in line at once. */
export const isDelay = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= LONGEST_DELAY;
