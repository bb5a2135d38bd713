import { pause } from './worker/pause.ts';

/** The interval between checks of a session, in ms. */
const POLL_MS = 250;

/** The part of a session's state that shows whether it is busy. */
interface State {
  readonly openTurn: string | null;
  readonly waiting: readonly unknown[];
  readonly pending: readonly unknown[];
}

/**
 * Waits until all sessions are idle, or until the signal aborts. A message whose arrival is unknown can still
 * be in progress, and an earlier read of the journal would miss its events.
 */
export async function waitUntilAtRest(
  url: string,
  sessions: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    sessions.map(async (session) => {
      while (!signal.aborted && !(await isAtRest(`${url}/agents/chaos/sessions/${session}`))) {
        await pause(POLL_MS, signal);
      }
    }),
  );
}

/** Returns `true` if no turn is open, or if the open turn and its queue wait for a person. */
async function isAtRest(session: string): Promise<boolean> {
  const response = await fetch(session);
  if (response.status === 404) return true;
  const { openTurn, waiting, pending } = (await response.json()) as State; // the response of `GET /sessions/{session}`
  return pending.length > 0 || (openTurn === null && waiting.length === 0);
}
