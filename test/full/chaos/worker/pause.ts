/** Resolves after `ms` or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const wake = (): void => resolve();
  signal.addEventListener('abort', wake);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', wake);
}
