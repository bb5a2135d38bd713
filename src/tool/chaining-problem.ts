import { shown } from './shown.ts';

/** The key of the code in what is chained. */
export const CHAINS: unique symbol = Symbol('holdfast.chaining');

/** Returns what is wrong with a `chaining`, after "Agent 'x' " or "it ", or `undefined`. */
export function chainingProblem(chaining: unknown): string | undefined {
  if (chaining === undefined) return undefined;
  if (CHAINS in Object(chaining)) return 'has a chaining that is no list: put it into one';
  const entries: readonly unknown[] = [chaining].flat();
  const at = entries.findIndex((entry) => !(CHAINS in Object(entry)));
  if (at < 0) return undefined;
  return (
    `has ${shown(entries[at])} at chaining[${at}]: use what chainFrom, discover or chainAny from 'holdfast/kinds' returns, ` +
    'as in [chainFrom(Customer)]'
  );
}
