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
