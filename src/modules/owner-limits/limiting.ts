/** What `ownerLimits` was given, for all that asks for it. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { defineSeam } from '../../tool/module-use.ts';
import type { Env } from '../../worker/host.ts';
import {
  type LimitsOfOwner,
  type OwnerPlan,
  type ReadLimits,
  readLimits,
  type WhenUnavailable,
} from './limits.ts';

/** Limits, and what happens if they cannot be read. */
export interface Limiting {
  readonly onUnavailable: 'allow' | 'refuse';
  /** @throws ConfigurationError if they are impossible; what the function of the app does. */
  limitsOf(owner: Owner, env: Env): ReadLimits | Promise<ReadLimits>;
}

/** Of a use of owner limits. */
export const LIMITING = defineSeam<Limiting>();

/** @throws ConfigurationError if a limit or an option is impossible. */
export function toLimiting(
  declared: (OwnerPlan & WhenUnavailable) | LimitsOfOwner,
  options: WhenUnavailable = {},
): Limiting {
  const { onUnavailable = 'refuse' } = typeof declared === 'function' ? options : declared;
  if (onUnavailable !== 'allow' && onUnavailable !== 'refuse')
    throw new ConfigurationError("ownerLimits: onUnavailable is 'allow' or 'refuse'.");
  if (typeof declared === 'function')
    return { onUnavailable, limitsOf: async (owner, env) => readLimits(await declared(owner, env)) };
  const limits = readLimits(declared);
  return { onUnavailable, limitsOf: () => limits };
}
