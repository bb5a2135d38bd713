/** The entry `holdfast/owner-limits`: limits an owner's usage per day, and its open turns and sessions. */

import { LOOPS } from '../../loop/loop-seams.ts';
import { parseSessionName } from '../../session/read-secrets.ts';
import { STOP_SEAM } from '../../session/turn-end.ts';
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import { APP } from '../../worker/app-seam.ts';
import { getObjectLocation } from '../../worker/asking-object.ts';
import type { DueHandler } from '../../worker/background.ts';
import { DUE } from '../../worker/background.ts';
import { createRetentionWrapper } from '../../worker/keeping.ts';
import { BUDGET_LAYER, findMissingPrices, registerBudgets } from '../limits/budget-layer.ts';
import { BUDGETS_MODULE } from '../limits/spending.ts';
import { assertOwnerLimitsBound, createAccountClient } from './ask-account.ts';
import { readTurnBudgets } from './held-grants.ts';
import { LIMIT_ROUTES } from './limit-routes.ts';
import { withOwnerLimits } from './limited-session.ts';
import { LIMIT_POLICIES, toLimitPolicy } from './limiting.ts';
import type { LimitsOfOwner, OwnerPlan, UnavailablePolicy } from './limits.ts';
import { readTurnUsage } from './used.ts';

export { ownerLimitsDescription } from './describe.ts';
export type { Allowance, DailyLimits, LimitsOfOwner, OwnerPlan, UnavailablePolicy } from './limits.ts';
export { type LimitsReader, limitsOf } from './limits-of.ts';
export { OwnerLimits } from './owner-limits-object.ts';
export type { LimitReport, OwnerLimitsReport } from './views.ts';

/** The key under which this module uses the budgets module. */
const BUDGET_KEY = 'owner-limits';

/**
 * Limits the usage of each owner of sessions. Pass it in `use` of `createHoldfast`. A turn draws an allowance
 * before it starts, stops when it has used the allowance, and returns the rest when it has ended. If too
 * little is left for a turn, it is refused with 429 `owner-limit`. It needs a binding OWNER_LIMITS of the
 * class `OwnerLimits`, which this entry exports.
 *
 * @throws ConfigurationError if a limit is not a positive number, or is unknown.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({
 *   agents: [clerk()],
 *   use: [ownerLimits({ perDay: { turns: 40, cost: 5 }, running: 4 })],
 * });
 * ```
 */
export function ownerLimits(limits: OwnerPlan & UnavailablePolicy): ModuleUse;
/** As above, but a function returns the limits of an owner, such as those of its plan. */
export function ownerLimits(limits: LimitsOfOwner, options?: UnavailablePolicy): ModuleUse;
export function ownerLimits(
  declared: (OwnerPlan & UnavailablePolicy) | LimitsOfOwner,
  options?: UnavailablePolicy,
): ModuleUse {
  const limiting = toLimitPolicy(declared, options);
  const perDay = typeof declared === 'function' ? undefined : declared.perDay;
  const use = createUse(BUDGETS_MODULE, BUDGET_KEY);
  LIMIT_POLICIES.set(use, limiting);
  registerBudgets(use, readTurnBudgets);
  LOOPS.give(use, {
    ask: BUDGET_LAYER,
    boundsTokens: perDay?.tokens !== undefined,
    refuses: perDay?.cost === undefined ? undefined : findMissingPrices,
  });
  STOP_SEAM.give(use, ({ id, stop }) => (stop === 'suspended' ? undefined : { agenda: [{ ref: id }] }));
  DUE.give(use, settleDue);
  APP.give(use, {
    routes: () => LIMIT_ROUTES,
    check: assertOwnerLimitsBound,
    keeping: createRetentionWrapper,
    wraps: (app) => (port, name, env) =>
      withOwnerLimits(port, name, {
        place: getObjectLocation(env, app.use),
        limiting,
        user: { module: BUDGETS_MODULE.name, key: BUDGET_KEY },
      }),
  });
  return use;
}

/** Settles a turn that has ended, or reports that its session was erased. */
const settleDue: DueHandler = async ({ name, ref: turn, stale }, { env, host }) => {
  if (stale?.copies) return { again: Infinity };
  const { owner, ...session } = parseSessionName(name);
  const { ask, jurisdiction } = createAccountClient(getObjectLocation(env, host.modules.uses), owner);
  if (stale) {
    await ask(async (object) => object.look(session));
    return 'done';
  }
  const used = await readTurnUsage(host.session(env, name), turn);
  if (used?.state === 'ended')
    await ask(async (object) => object.settle({ ...session, owner, jurisdiction, turn, used }));
  return 'done';
};
