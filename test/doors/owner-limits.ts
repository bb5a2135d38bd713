/** A door for tests. What is said to the object of an owner, and how turns are held to their allowances. */

export type { Used } from '../../src/modules/owner-limits/account.ts';
export { budgetsOfTurn, drop, hold } from '../../src/modules/owner-limits/held-grants.ts';
