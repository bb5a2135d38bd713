import type { Json } from './json.ts';
import type { ResultData } from './tool-result.ts';

/**
 * What one kind of tool remembers of a session: a fold over the facts that its calls record. `Value` and `Fact` are JSON,
 * and `apply` is pure and answers a new value, so that a warm state and one folded from the journal are equal.
 */
export interface Slice<Value extends Json, Fact extends Json> {
  /** Stable: facts are journaled under it, and the session's state shows it. */
  readonly name: string;
  readonly initial: Value;
  /**
   * A fact takes effect when its call ends, before the rest of its batch: for what calls of other loops must not overlook,
   * in `ToolInvocation.exclusively`. The calls of its own batch see it as any other fact.
   */
  readonly immediate?: boolean | undefined;
  /**
   * Folds a fact of a call that succeeded, once its whole batch has ended; facts of a batch come in source order. Unless it is
   * `immediate`.
   */
  apply?(value: Value, fact: Fact, place: FactPlace): Value;
}

/** Where a fact was recorded. */
export interface FactPlace {
  readonly turn: string;
  /** The id of the call that opened the loop; empty for the turn's own. */
  readonly frame: string;
  /** Names of the agent and of the frames around the call, joined by `/`. */
  readonly path: string;
  /** The id of the call that recorded it; of the call that opened the frame, for a fact that came with the frame. */
  readonly call: string;
  /** What the call ended in; absent for a fact that came with a frame. */
  readonly result?: ResultData | undefined;
}

/** A fact as the journal keeps it. */
export interface SliceFact {
  /** The slice's name. */
  readonly slice: string;
  readonly fact: Json;
}

/** A fact of this slice. */
export const factOf = <Value extends Json, Fact extends Json>(
  { name }: Slice<Value, Fact>,
  fact: Fact,
): SliceFact => ({ slice: name, fact });
