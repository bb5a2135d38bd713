import { ModelError } from './chat-model.ts';

/** How long one attempt waits for a server, and what ends the waiting. */
export interface Patience {
  /**
   * Starts `work` and waits for it. Whatever it does, no timer or listener is left behind.
   *
   * @throws ModelError `aborted` at once when the signal fires, `timeout` after the silence allowed, or what `broken`
   * makes when `work` rejects. The work itself is not stopped.
   */
  wait<T>(work: () => Promise<T>, broken: (error: unknown) => ModelError): Promise<T>;
  /** @throws ModelError `aborted` when the signal has fired. */
  check(): void;
}

/** Creates the patience of one attempt: `timeout` is the longest silence in ms. `heard` is told whenever something has come. */
export const createPatience = (signal: AbortSignal, timeout: number, heard = (): void => {}): Patience => {
  const check = (): void => {
    if (signal.aborted) throw aborted();
  };
  return {
    check,
    async wait(work, broken) {
      check();
      const interruption = Promise.withResolvers<never>();
      const onAbort = (): void => interruption.reject(aborted());
      const onSilence = (): void =>
        interruption.reject(new ModelError('timeout', `The model's server was silent for ${timeout} ms.`));
      const timer = setTimeout(onSilence, Math.min(timeout, LONGEST_TIMER));
      signal.addEventListener('abort', onAbort);
      try {
        const came = await Promise.race([interruption.promise, work()]);
        heard();
        return came;
      } catch (error) {
        check();
        throw error instanceof ModelError ? error : broken(error);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
};

/** A longer delay overflows `setTimeout`, which then fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The error for an ask whose signal fired. */
const aborted = (): ModelError => new ModelError('aborted', 'The request to the model was aborted.');

/**
 * Starts work and waits for it. What it comes to when nobody waits any more, since not everything heeds its signal, is
 * released.
 *
 * @throws ModelError as `patience.wait` does.
 */
export const waitOrRelease = async <T>(
  patience: Patience,
  work: () => PromiseLike<T>,
  handlers: {
    readonly broken: (error: unknown) => ModelError;
    readonly release: (late: T) => unknown;
  },
): Promise<T> => {
  const pending = (async () => work())();
  try {
    return await patience.wait(() => pending, handlers.broken);
  } catch (error) {
    pending.then(handlers.release).catch(() => {});
    throw error;
  }
};
