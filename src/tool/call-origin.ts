/** How a session that a tool asks for knows that a call asks, and of which tree of turns that call is. */
import type { WorkerEnv } from './env.ts';
import { type Infer, OPTIONAL_TEXT, OPTIONAL_WHOLE, type Shape } from './shape.ts';

/** Where in its tree a turn is that another turn has started. Calls add it; a client cannot send it. */
export type TreePlace = Required<Omit<MaybeInTree, 'count'>> & Pick<MaybeInTree, 'count'>;

/** The place of a turn that another one may have started. */
export interface MaybeInTree extends Infer<typeof TREE_PLACE> {}
export const TREE_PLACE = {
  object: {
    /** The id of the turn at the root. */
    root: OPTIONAL_TEXT,
    /** How many turns are in a row behind the root, this one the last. */
    generation: OPTIONAL_WHOLE,
    /** How many turns the tree had, this one included, as far as another session knew. Absent within a session. */
    count: OPTIONAL_WHOLE,
  },
} as const satisfies Shape;

/** The call that sends messages to other sessions. */
export interface CallOrigin {
  /**
   * Counts one more turn in the tree of the call, and returns its place.
   *
   * @throws Error if the tree may have no more turns.
   */
  send(): TreePlace;
}

/** What of `node:async_hooks` is used. */
interface AsyncHooks {
  readonly AsyncLocalStorage: new () => {
    run<T>(origin: CallOrigin | undefined, work: () => T): T;
    getStore(): CallOrigin | undefined;
  };
}

/** How calls are known to code that they run. */
interface CallOrigins {
  /** Returns the environment for a call. */
  envOfCall(env: WorkerEnv, origin: CallOrigin): WorkerEnv;
  /** Runs code of a call. Without an origin, the code is of no call. */
  inCall<T>(origin: CallOrigin | undefined, work: () => T): T;
  /** Returns the call whose code asks, by this environment or another one; `undefined` if none does. */
  originOf(env: object): CallOrigin | undefined;
}

/**
 * With Node's `AsyncLocalStorage`, a call is known whatever environment its code uses, and across awaits. A Worker whose compatibility date
 * brings no Node compatibility has none: there only `call.env` leads back to the call.
 */
export function callOrigins(hooks: AsyncHooks | undefined): CallOrigins {
  if (hooks) {
    const calls = new hooks.AsyncLocalStorage();
    return {
      envOfCall: (env) => env,
      inCall: (origin, work) => calls.run(origin, work),
      originOf: () => calls.getStore(),
    };
  }
  return {
    envOfCall,
    inCall: (_, work) => work(),
    originOf: (env) => (env as { [ORIGIN]?: CallOrigin })[ORIGIN], // only set below
  };
}

/** A symbol, so that a copy such as `{ ...call.env, MODEL: 'other' }` has it too, and JSON does not. */
const ORIGIN = Symbol('holdfast.call');

function envOfCall(env: WorkerEnv, origin: CallOrigin): WorkerEnv {
  const properties = Object.getOwnPropertyDescriptors(env);
  const own = { [ORIGIN]: { value: origin, enumerable: true } };
  return Object.freeze(Object.defineProperties({}, { ...properties, ...own })) as WorkerEnv; // a copy of one
}

/** Asked of the process, since an import of `node:` does not load in a Worker without it. */
const { process }: { readonly process?: { getBuiltinModule?(name: string): AsyncHooks | undefined } } =
  globalThis;

/** As this Worker can. */
export const CALLS = callOrigins(process?.getBuiltinModule?.('node:async_hooks'));

/**
 * Whose sessions are: one caller's, or those of all callers of a tenant. A caller whose id is called like a tenant owns none of
 * its sessions.
 */
export type Owner =
  | { readonly id: string; readonly tenant?: undefined }
  | { readonly tenant: string; readonly id?: undefined };
