/** Whether the app has an index of sessions. Known after the first request to it. */
import { signal } from '@preact/signals';
import { isMissingRoute, toFailure } from './api.ts';

/** `undefined` until the first answer. */
export const hasIndex = signal<boolean | undefined>(undefined);

/** Asks the index, unless the app is known to lack it. Returns `undefined` if it does. */
export async function fromIndex<Answer>(request: () => Promise<Answer>): Promise<Answer | undefined> {
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
