/** The configuration of `ownerLimits`. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { Env } from '../../worker/host.ts';
import {
  type LimitsOfOwner,
  type OwnerPlan,
  type ParsedLimits,
  readLimits,
  type UnavailablePolicy,
} from './limits.ts';

/** The limits, and the behavior if they cannot be read. */
export interface LimitPolicy {
  readonly onUnavailable: 'allow' | 'refuse';
  /**
   * Returns the limits of an owner. @throws ConfigurationError if the limits are invalid. Also rethrows
   * errors of the app's function.
   */
  limitsOf(owner: Owner, env: Env): ParsedLimits | Promise<ParsedLimits>;
}

/** The configuration of each use that `ownerLimits` returns. */
export const LIMIT_POLICIES = new WeakMap<ModuleUse, LimitPolicy>();

/** @throws ConfigurationError if a limit or an option is invalid. */
export function toLimitPolicy(
  declared: (OwnerPlan & UnavailablePolicy) | LimitsOfOwner,
  options: UnavailablePolicy = {},
): LimitPolicy {
  const { onUnavailable = 'refuse' } = typeof declared === 'function' ? options : declared;
  if (onUnavailable !== 'allow' && onUnavailable !== 'refuse')
    throw new ConfigurationError("ownerLimits: onUnavailable must be 'allow' or 'refuse'.");
  if (typeof declared === 'function')
    return { onUnavailable, limitsOf: async (owner, env) => readLimits(await declared(owner, env)) };
  const limits = readLimits(declared);
  return { onUnavailable, limitsOf: () => limits };
}
