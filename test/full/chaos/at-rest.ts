import { pause } from './worker/pause.ts';

/** How often a session is looked at, in ms. */
const LOOK_EVERY = 250;

/** What of a session's state says whether anything is done in it. */
interface State {
  readonly openTurn: string | null;
  readonly waiting: readonly unknown[];
  readonly pending: readonly unknown[];
}

/**
 * Waits until nothing is done in any of the sessions, or until the signal aborts: a message of which nobody knows whether it
 * arrived may still be worked on, and a journal that is read meanwhile would lack what happens next.
 */
export async function atRest(url: string, sessions: readonly string[], signal: AbortSignal): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      while (!signal.aborted && !(await isAtRest(`${url}/agents/chaos/sessions/${session}`))) {
        await pause(LOOK_EVERY, signal);
      }
    }),
  );
}

/** No turn is open, or the one that is waits for somebody, and what is in line waits for it. */
async function isAtRest(session: string): Promise<boolean> {
  const response = await fetch(session);
  if (response.status === 404) return true;
  const { openTurn, waiting, pending } = (await response.json()) as State; // what GET session answers
  return pending.length > 0 || (openTurn === null && waiting.length === 0);
}
