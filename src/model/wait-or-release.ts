import type { ModelError } from './chat-model.ts';
import type { Patience } from './patience.ts';

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
