/**
 * Resolves in a task of its own: after every promise that can settle without waiting for anything outside. At once where the
 * runtime has `setImmediate`, since timers of 0 ms take one.
 */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
