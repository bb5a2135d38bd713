/** The entry `holdfast/operators`: operators read, cancel and erase single sessions of other owners. */

export { operatorsDescription } from './describe.ts';
export { type OperatorAccess, type OperatorAction, operatorAccessIn, operators } from './operators.ts';
