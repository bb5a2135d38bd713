/** Reads the limits of owners for the app's code and for the route. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { toOwnerKey } from '../../tool/owner-name.ts';
import { describeValue } from '../../tool/shown.ts';
import type { Holdfast } from '../../worker/app.ts';
import { getObjectLocation } from '../../worker/asking-object.ts';
import { APPS } from '../../worker/code-host.ts';
import type { Env, HostedApp } from '../../worker/host.ts';
import { validateOwner } from '../../worker/operator.ts';
import { toSessionError } from '../../worker/refusal.ts';
import { assertOwnerLimitsBound, createAccountClient } from './ask-account.ts';
import { LIMIT_POLICIES, type LimitPolicy } from './limiting.ts';
import type { LimitReport, OwnerLimitsReport } from './views.ts';

/** Reads the limits of owners. */
export interface LimitsReader {
  /**
   * Returns the limits and usage of an owner. @throws SessionError if the owner is invalid or its object is
   * unreachable. Also rethrows errors of the app's function.
   */
  read(owner: Owner): Promise<OwnerLimitsReport>;
}

/**
 * Returns a reader for the limits of any owner, for code of an app with `ownerLimits()` in its `use`.
 *
 * @throws ConfigurationError if the app has no `ownerLimits()`.
 * @throws DeploymentError if OWNER_LIMITS is not bound.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [ownerLimits({ running: 4 })] });
 * const { limits } = await limitsOf(holdfast, env).read({ tenant: 'acme' });
 * ```
 */
export function limitsOf<AppEnv extends object = Env>(holdfast: Holdfast<AppEnv>, env: object): LimitsReader {
  const found = APPS.get(holdfast);
  if (!found)
    throw new ConfigurationError(
      `limitsOf: ${describeValue(holdfast)} is not an app. Pass the result of createHoldfast.`,
    );
  const bindings = env as Env; // an interface of bindings has no index signature
  const { host } = found;
  getLimitPolicy({ host });
  assertOwnerLimitsBound(bindings);
  return {
    async read(owner) {
      try {
        return await readOwnerLimits({ host, env: bindings }, validateOwner(owner));
      } catch (failure) {
        throw toSessionError(failure) ?? failure;
      }
    },
  };
}

export async function readOwnerLimits(
  { host, env }: Pick<HostedApp, 'host' | 'env'>,
  owner: Owner,
): Promise<OwnerLimitsReport> {
  const { ask } = createAccountClient(getObjectLocation(env, host.modules.uses), owner);
  const [limits, standing] = await Promise.all([
    getLimitPolicy({ host }).limitsOf(owner, env),
    ask(async (object) => object.standing()),
  ]);
  const resetAt = new Date(standing.resetAt).toISOString();
  const reports: LimitReport[] = [];
  for (const limit of ['turns', 'tokens', 'cost', 'openSessions', 'running'] as const) {
    const bound = limits[limit];
    if (bound === undefined) continue;
    const isOfDay = limit !== 'openSessions' && limit !== 'running';
    const most = typeof bound === 'number' ? bound : bound.most;
    reports.push({ limit, most, used: standing[limit], ...(isOfDay && { resetAt }) });
  }
  return { owner: toOwnerKey(owner), limits: reports };
}

/** @throws ConfigurationError if the app has no `ownerLimits()`. */
function getLimitPolicy({ host }: Pick<HostedApp, 'host'>): LimitPolicy {
  for (const use of host.modules.uses) {
    const limiting = LIMIT_POLICIES.get(use);
    if (limiting) return limiting;
  }
  throw new ConfigurationError('This app needs ownerLimits() in its `use`.');
}
