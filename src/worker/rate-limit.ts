import { isRateLimiter } from '../session/deployment.ts';
import { type Log, logOnce, mistake } from '../tool/log.ts';
import type { Owner } from '../tool/owner.ts';
import type { Env } from './host.ts';
import { Problem } from './problem.ts';

/** In seconds. A binding counts over 10 or 60, and does not tell which. */
const RETRY_AFTER = '10';

/**
 * Counts a request that may start a turn in a session of this owner, by what the Worker binds as `RATE_LIMIT`; nothing where
 * nothing is bound. A binding that fails keeps nobody out: the log is told.
 *
 * @throws Problem 429 when too many have come.
 */
export async function withinRate(
  { env: { RATE_LIMIT: bound }, host }: RatedApp,
  { id, tenant }: Owner,
): Promise<void> {
  // Whoever reaches for a session is told of one that is none.
  if (!isRateLimiter(bound)) return;
  const key = tenant === undefined ? `id ${id}` : `tenant ${tenant}`;
  if (await counts(() => bound.limit({ key }), host.log)) return;
  throw new Problem(
    'rate-limited',
    'Too many messages have come for sessions of this owner lately. Send the message again in a while.',
    { headers: { 'retry-after': RETRY_AFTER } },
  );
}

interface RatedApp {
  readonly env: Env;
  readonly host: { readonly log: Log };
}

async function counts(ask: () => Promise<{ readonly success: boolean }>, log: Log): Promise<boolean> {
  try {
    return (await ask()).success;
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    logOnce(log, mistake(`RATE_LIMIT could not be asked, and what it would count is let through: ${why}`));
    return true;
  }
}
