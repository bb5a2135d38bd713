/** Internals for tests: the messages to an owner's object, and the allowances of turns. */

export type { TurnUsage } from '../../src/modules/owner-limits/account.ts';
export {
  dropGrant,
  holdGrant,
  readTurnBudgets,
} from '../../src/modules/owner-limits/held-grants.ts';
