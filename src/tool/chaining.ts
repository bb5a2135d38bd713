import { CHAINS } from './chaining-problem.ts';
import type { InjectionStrategy } from './tool.ts';
import type { MemoryFact } from './tool-memory.ts';

/** The artifacts that bring tools with them. */
export type Chaining = readonly Chained[];

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
