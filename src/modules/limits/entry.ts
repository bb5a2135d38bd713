/** The entry `holdfast/limits`: bounds on what a turn may use, and how many tools it may call. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { type BudgetOptions, budget } from './budget.ts';
export { type CallLimits, callLimits } from './call-limits.ts';
