/** Runs requests that change data, one at a time. Stores the failure of the last request. */
import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Failure, toFailure } from './api.ts';

export interface ActionState {
  readonly isBusy: Signal<boolean>;
  readonly failure: Signal<Failure | undefined>;
  /**
   * Resolves with `true` if the request succeeded. Resolves at once with `false` if another request is
   * running.
   */
  run(request: () => Promise<unknown>): Promise<boolean>;
}

export function useAction(): ActionState {
  return useMemo(() => {
    const isBusy = signal(false);
    const failure = signal<Failure | undefined>(undefined);
    return {
      isBusy,
      failure,
      async run(request) {
        if (isBusy.peek()) return false;
        isBusy.value = true;
        failure.value = undefined;
        try {
          await request();
          return true;
        } catch (thrown) {
          failure.value = toFailure(thrown);
          return false;
        } finally {
          isBusy.value = false;
        }
      },
    };
  }, []);
}
