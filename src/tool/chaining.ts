import { shown } from './shown.ts';
import type { InjectionStrategy } from './tool.ts';
import type { MemoryFact } from './tool-memory.ts';

/** The artifacts that bring tools with them. */
export type Chaining = readonly Chained[];

/** The key of the code in what is chained. */
export const CHAINS: unique symbol = Symbol('holdfast.chaining');

/** One entry of a `chaining`, as `chainFrom`, `discover` and `chainAny` return it. It carries the code that chains. */
export interface Chained {
  readonly [CHAINS]: ChainingCode;
}

/** The code that an entry carries, so that a Worker without chaining does not have it. */
export interface ChainingCode {
  /**
   * Returns what offers the tools of bound objects, for an agent's own loop or a frame's `sources`. The same objects are bound
   * for all sources under one path and `key`.
   *
   * @throws DomainTypeError if the entries cannot be chained beside each other.
   */
  sources(entries: Chaining, key: string): readonly InjectionStrategy[];
  /** Returns the fact of a loop that restarts: what was bound under its key no longer holds. */
  forget(key: string): MemoryFact;
}

/** Returns the sources of a loop that chains these. @throws DomainTypeError as `ChainingCode`. */
export const chainingSources = (chaining: Chaining = [], key = ''): readonly InjectionStrategy[] =>
  chaining[0]?.[CHAINS].sources(chaining, key) ?? [];

/** Returns the facts of a loop that chains these and restarts. */
export const forgetChained = (chaining: Chaining = [], key: string): readonly MemoryFact[] =>
  chaining.slice(0, 1).map((entry) => entry[CHAINS].forget(key));

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
