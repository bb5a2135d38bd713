import { setTimeout as delay } from 'node:timers/promises';
import type { ReceivedResponse } from './http.ts';

/**
 * Repeats a request while it returns 202, which means that its turn is still running. @throws Error if
 * that takes too long.
 */
export const pollUntilEnded = (ask: () => Promise<ReceivedResponse>): Promise<ReceivedResponse> =>
  pollUntil(ask, ({ status }) => status !== 202);

/** Repeats a request until the response matches. @throws Error if that takes too long. */
export async function pollUntil(
  ask: () => Promise<ReceivedResponse>,
  isSuch: (came: ReceivedResponse) => boolean,
): Promise<ReceivedResponse> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const came = await ask();
    if (isSuch(came)) return came;
    if (Date.now() > deadline)
      throw new Error(`No response matched within 15 seconds. The last one: ${came.text}`);
    await delay(50);
  }
}

/** Waits until a count has not changed for a second, and returns it. */
export async function waitUntilQuiet(count: () => number): Promise<number> {
  let [last, since] = [count(), Date.now()];
  const deadline = Date.now() + 15_000;
  while (Date.now() - since < 1_000 && Date.now() < deadline) {
    await delay(50);
    if (count() === last) continue;
    [last, since] = [count(), Date.now()];
  }
  return last;
}
