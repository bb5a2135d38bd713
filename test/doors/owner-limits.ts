/** A door for tests. The messages to the object of an owner, and the allowances of turns. */

export type { TurnUsage } from '../../src/modules/owner-limits/account.ts';
export {
  budgetsOfTurn,
  dropGrant,
  holdGrant,
} from '../../src/modules/owner-limits/held-grants.ts';
