/** Data that is loaded when a view needs it. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Failure, toFailure } from './api.ts';

/**
 * `value` is retained while newer data loads, and if the load fails, so that forms in a view keep their text.
 */
export interface Resource<Value> {
  readonly value?: Value | undefined;
  readonly failure?: Failure | undefined;
  readonly isLoading: boolean;
}

/** Loads data, and reloads it whenever one of `inputs` changes. A new load aborts the previous one. */
export function useLoaded<Value>(
  load: (stop: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Signal<Resource<Value>> {
  const state = useMemo(() => signal<Resource<Value>>({ isLoading: true }), []);
  useEffect(() => {
    const stop = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) state.value = { value, isLoading: false };
      },
      (thrown: unknown) => {
        if (stop.signal.aborted) return;
        state.value = { value: state.peek().value, failure: toFailure(thrown), isLoading: false };
      },
    );
    return () => stop.abort();
  }, inputs);
  return state;
}
