import { DeploymentError } from '../../session/deployment.ts';
import { getErrorMessage } from '../../tool/async.ts';
import { createErrorEntry, type Log, logOnce } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import type { Env } from '../../worker/host.ts';
import { Problem } from '../../worker/problem.ts';

/**
 * Limits the requests of each owner that can start a turn, with the Worker's rate-limit binding `RATE_LIMIT`.
 * A request over the limit returns 429 `rate-limited` with `Retry-After`. If the binding fails, requests are
 * allowed and an error is logged.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [rateLimit()] });
 * ```
 */
export const rateLimit = (): ModuleUse => RATE_LIMIT_USE;

const RATE_LIMIT_USE = createUse(createModule({ name: 'rate-limit' }));

APP.give(RATE_LIMIT_USE, {
  check: getLimiter,
  async admit({ id, tenant }, { env, host }) {
    const limiter = getLimiter(env);
    const key = tenant === undefined ? `id ${id}` : `tenant ${tenant}`;
    if (await isAllowed(() => limiter.limit({ key }), host.log)) return;
    throw new Problem(
      'rate-limited',
      'Too many messages were sent to sessions of this owner. Send the message again later.',
      { headers: { 'retry-after': RETRY_AFTER_S } },
    );
  },
});

/**
 * The time after which to retry, in seconds. A binding counts over 10 or 60 seconds, and does not report
 * which.
 */
const RETRY_AFTER_S = '10';

/** The platform's request counter, as a Worker binds it. */
interface RateLimiter {
  limit(asked: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** Returns the binding. @throws DeploymentError if the Worker does not have it. */
function getLimiter({ RATE_LIMIT: bound }: Env): RateLimiter {
  if (isRateLimiter(bound)) return bound;
  throw new DeploymentError(NO_LIMITER_MESSAGE);
}

const isRateLimiter = (bound: unknown): bound is RateLimiter => typeof Object(bound).limit === 'function';

const NO_LIMITER_MESSAGE =
  '`rateLimit()` needs the rate-limit binding RATE_LIMIT. Bind one in wrangler.toml:\n\n' +
  '[[ratelimits]]\nname = "RATE_LIMIT"\nnamespace_id = "1"\nsimple = { limit = 60, period = 60 }';

async function isAllowed(ask: () => Promise<{ readonly success: boolean }>, log: Log): Promise<boolean> {
  try {
    return (await ask()).success;
  } catch (failure) {
    const why = getErrorMessage(failure);
    logOnce(log, createErrorEntry(`RATE_LIMIT failed, so requests are let through: ${why}`));
    return true;
  }
}
