import type { LoopView } from './injection.ts';
import type { Secrets } from './secrets.ts';
import type { MemoryFact } from './tool-memory.ts';

/** What a source of tools may use to find out which ones it has. */
export interface Discovery {
  /** What is found out with one's credentials is not another's to see: keep it under the view's principal. */
  readonly view: LoopView;
  /** Credentials for this invocation; never journaled. */
  readonly secrets: Secrets;
  /** Aborts when this invocation may no longer act for the session. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `work` in one of the invocation's connections, for `ms` at the most.
   *
   * @throws CallInterrupted when the invocation has fewer subrequests or less time left than `work` needs: it is to be let
   *   through; a TimeoutError after `ms`.
   */
  ask<T>(needs: { readonly subrequests: number; readonly ms: number }, work: () => Promise<T>): Promise<T>;
  /** Runs once this invocation's part of the turn is over, on every path; it is not waited for long. Must not throw. */
  atEnd(work: () => Promise<unknown>): void;
  /** Counts requests beyond those that were asked for, when they are made: an invocation has so many and no more. */
  count(subrequests: number): void;
}

/**
 * Finds out what is to be had outside, and answers the facts by which the session will know it. What it throws is logged,
 * and nothing is remembered: the next model call asks again.
 */
export type Discover = (discovery: Discovery) => Promise<readonly MemoryFact[]>;

/** How something finds out: at once, or in parts, of which one that fails or has no room takes nothing away from the others. */
export type Discovers = Discover | readonly Discover[];

/** The parts, each with the object that it is a method of. */
export const partsOf = (source: { readonly discover?: Discovers | undefined }): readonly Discover[] =>
  [source.discover ?? []].flat().map((find) => find.bind(source));

/**
 * What all parts found, for whoever goes on with some of it.
 *
 * @throws what the first part threw, when none found anything.
 */
export async function foundBy(
  parts: readonly Discover[],
  discovery: Discovery,
): Promise<readonly MemoryFact[]> {
  const settled = await Promise.allSettled(parts.map((find) => find(discovery)));
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const one of settled) if (one.status === 'rejected' && found.length === 0) throw one.reason;
  return found;
}
