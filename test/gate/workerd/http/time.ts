import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { advanceTime, getTime, setTime } from '../../../fixtures/held-time.ts';
import { withLease } from '../../../fixtures/lease-terms.ts';
import { createSessionPath, getSessionName } from './client.ts';

/** In ms. Long enough that only a small part passes between two test steps, even on a busy machine. */
export const LONG_LEASE_MS = 60_000;

/** The id prefix of sessions whose holders receive messages only when the test delivers them. */
export const MANUAL_DELIVERY = withLease(LONG_LEASE_MS);

/**
 * Returns a session whose holder receives its messages only when `deliverToHolders` makes it renew its lease.
 */
export const createManualSession = (agent?: string): string => createSessionPath(agent, MANUAL_DELIVERY);

/** Advances the clock by a third of the term, after which the holders of such sessions renew their leases. */
export const deliverToHolders = (): void => advanceTime(LONG_LEASE_MS / 3);

const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));

/** Waits until a message is stored for the holder of the session's turn. */
export async function waitForStoredMessage(session: string): Promise<void> {
  const countInbox = () =>
    runInDurableObject(
      getStub(session),
      (_, { storage }) => storage.sql.exec('SELECT id FROM inbox').toArray().length,
    );
  await expect.poll(countInbox, { timeout: 20_000 }).toBeGreaterThan(0);
}

/** Advances the clock of this session's running object, and runs its alarm if that is due. */
export async function advanceClock(session: string, ms: number): Promise<void> {
  const name = getSessionName(session);
  const due = await runInDurableObject(getStub(session), (_, { storage }) => storage.getAlarm());
  const ahead = getTime(name) - Date.now() + ms;
  setTime(name, () => Date.now() + ahead);
  if (due !== null && due <= getTime(name)) await runDurableObjectAlarm(getStub(session));
}
