/** How a session that a tool asks for by `call.env` knows that a call asks, and of which tree of turns that call is. */
import type { WorkerEnv } from './env.ts';

/** Where in its tree a turn is that another turn has started. Calls add it; a client cannot send it. */
export interface TreePlace {
  /** The id of the turn at the root. */
  readonly root: string;
  /** How many turns are in a row behind the root, this one the last. */
  readonly generation: number;
  /** How many turns the tree had, this one included, as far as another session knew; absent within a session. */
  readonly count?: number;
}

/** The call that sends messages to other sessions. */
export interface CallOrigin {
  /**
   * Counts one more turn in the tree of the call, and returns its place.
   *
   * @throws Error if the tree may have no more turns.
   */
  send(): TreePlace;
}

/** A symbol, so that a copy such as `{ ...call.env, MODEL: 'other' }` has it too, and JSON does not. */
const ORIGIN = Symbol('holdfast.call');

/** Returns the environment for one call, which leads back to the call. */
export function envOfCall(env: WorkerEnv, origin: CallOrigin): WorkerEnv {
  const properties = Object.getOwnPropertyDescriptors(env);
  const own = { [ORIGIN]: { value: origin, enumerable: true } };
  return Object.freeze(Object.defineProperties({}, { ...properties, ...own })) as WorkerEnv; // a copy of one
}

/** Returns the call of an environment, or `undefined` for that of the Worker. */
export const originIn = (env: object): CallOrigin | undefined => (env as { [ORIGIN]?: CallOrigin })[ORIGIN]; // only set above
