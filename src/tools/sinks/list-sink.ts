import type { Sink } from './sink.ts';

/** A sink that can be asked what it was given. */
export interface ListSink<Artifact> extends Sink<Artifact> {
  /** A copy of the artifacts so far, in their order. */
  items(): readonly Artifact[];
}

/**
 * Collects artifacts into a list, its own unless one is given (DEC-10). It lives in the memory of one invocation: for
 * tests, and for what need not outlive a turn.
 */
export const listSink = <Artifact = unknown>(list: Artifact[] = []): ListSink<Artifact> =>
  Object.assign((artifact: Artifact): void => void list.push(artifact), { items: () => [...list] });
