/** A door for tests. The messages to the object of an owner, and the allowances of turns. */

export type { Used } from '../../src/modules/owner-limits/account.ts';
export { budgetsOfTurn, drop, hold } from '../../src/modules/owner-limits/held-grants.ts';
