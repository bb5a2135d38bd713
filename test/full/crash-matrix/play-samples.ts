import { isGentle, mapConcurrently } from '../../doors/testing.ts';
import { createCrashableObjectSession } from './lab/crashable-object-session.ts';
import { type Guard, SABOTAGES } from './lab/sabotage.ts';
import type { Cell, PlayedCell } from './matrix.ts';

/**
 * The lease in ms for plays that wait for an expiry. An invocation that stalls that long is only an
 * additional disturbance.
 */
const SHORT_LEASE_MS = 1_500;
/** The lease in ms for plays without a lost invocation. It is long enough for a busy machine. */
const LONG_LEASE_MS = 20_000;

/** Plays cells in real Durable Objects. Most of the time is spent waiting for a lease to expire. */
export function playSamples(
  cells: readonly Cell[],
  {
    without,
    onPlayed = () => {},
  }: { without?: Guard | undefined; onPlayed?: ((count: number) => void) | undefined } = {},
): Promise<PlayedCell[]> {
  let count = 0;
  return mapConcurrently(cells, async ({ trial, disturbance }) => {
    const createSession = () =>
      createCrashableObjectSession(isGentle(disturbance.mode) ? LONG_LEASE_MS : SHORT_LEASE_MS);
    const makeSession = without ? () => SABOTAGES[without](createSession()) : createSession;
    const found = await trial.find(makeSession, [disturbance]);
    count += 1;
    onPlayed(count);
    return { kind: trial.scenario.kind, disturbance, ...found };
  });
}
