import type { LoopView } from './injection.ts';
import type { Secrets } from './secrets.ts';
import type { SliceFact } from './slice.ts';

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
   * Runs work that takes so many requests to others and so long, in ms, at the most, in one of the invocation's connections.
   *
   * @throws CallInterrupted when too little is left of the invocation: it is to be let through.
   */
  ask<T>(needs: { readonly subrequests: number; readonly ms: number }, work: () => Promise<T>): Promise<T>;
  /** Runs once this invocation's part of the turn is over, on every path; it is not waited for long. Must not throw. */
  atEnd(work: () => Promise<unknown>): void;
}

/**
 * Finds out what is to be had outside, and answers the facts by which the session will know it. What it throws is logged,
 * and nothing is remembered: the next model call asks again.
 */
export type Discover = (discovery: Discovery) => Promise<readonly SliceFact[]>;
