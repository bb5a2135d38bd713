/** Determines by the first request whether the app has an index of sessions. */
import { signal } from '@preact/signals';
import { isMissingRoute, toFailure } from './api.ts';

/** `undefined` until the first answer. */
export const hasIndex = signal<boolean | undefined>(undefined);

/** Sends a request to the index. Returns `undefined` if the app has no index. */
export async function requestIndex<Answer>(request: () => Promise<Answer>): Promise<Answer | undefined> {
  if (hasIndex.peek() === false) return undefined;
  try {
    const answer = await request();
    hasIndex.value = true;
    return answer;
  } catch (thrown) {
    if (!isMissingRoute(toFailure(thrown))) throw thrown;
    hasIndex.value = false;
    return undefined;
  }
}
