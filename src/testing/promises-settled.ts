/** Waits for promises that wait for nothing but each other, and for hashes where these are made in order. */
export async function promisesSettled(): Promise<void> {
  for (let made: Promise<unknown> | undefined; made !== lastHash(); ) {
    made = lastHash();
    await made;
    await nextTask();
  }
}

/**
 * Resolves in a task of its own: after every promise that can settle without waiting for anything outside. At once where the
 * runtime has `setImmediate`, since timers of 0 ms take one.
 */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });

type Digest = typeof crypto.subtle.digest;

/** Hashes that are being made, one after another. */
let last: Promise<unknown> = Promise.resolve();
/** How many pieces of work need them in order, and what makes them otherwise. */
let users = 0;
let original: Digest | undefined;

/**
 * Does the work while hashes are made in the order in which they are asked for. Engines make them on threads, so that it is
 * chance which of two is ready first, and whether before or after something else: a play would not go the same way twice.
 * `crypto.subtle.digest` is another function meanwhile, with the same results.
 */
export async function withOrderlyHashes<T>(work: () => Promise<T>): Promise<T> {
  const { subtle } = crypto;
  users += 1;
  if (!original) {
    const digest = subtle.digest.bind(subtle);
    original = digest;
    const inOrder: Digest = (algorithm, data) => {
      const made = last.then(() => digest(algorithm, data));
      last = made.catch(() => {});
      return made;
    };
    Object.defineProperty(subtle, 'digest', { value: inOrder, configurable: true });
  }
  try {
    return await work();
  } finally {
    users -= 1;
    if (users === 0) {
      Reflect.deleteProperty(subtle, 'digest'); // the prototype's own is there again
      original = undefined;
    }
  }
}

/** Settles when every hash is there that was asked for so far; another one as soon as there is one more. */
const lastHash = (): Promise<unknown> => last;
