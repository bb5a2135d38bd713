import { setTimeout as delay } from 'node:timers/promises';
import type { Came } from './http.ts';

/** Asks again until the answer is no 202: a background turn has ended then. @throws Error when that takes too long. */
export async function ended(ask: () => Promise<Came>): Promise<Came> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const came = await ask();
    if (came.status !== 202) return came;
    if (Date.now() > deadline) throw new Error(`It did not end: ${came.text}`);
    await delay(50);
  }
}
