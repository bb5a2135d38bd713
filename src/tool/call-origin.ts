/** Identifies the call that sends a message to a session, and the call's tree of turns. */
import type { WorkerEnv } from './env.ts';
import { type Infer, OPTIONAL_INTEGER, OPTIONAL_TEXT, type Shape } from './shape.ts';

/** The place of a turn in its tree, if another turn started it. Calls add it, and clients cannot send it. */
export type TreePlace = Required<Omit<OptionalTreePlace, 'count'>> & Pick<OptionalTreePlace, 'count'>;

/** The place of a turn in its tree. Empty if another turn did not start it. */
export interface OptionalTreePlace extends Infer<typeof TREE_PLACE> {}
export const TREE_PLACE = {
  object: {
    /** The id of the turn at the root. */
    root: OPTIONAL_TEXT,
    /** The length of the chain of turns from the root to this one. */
    generation: OPTIONAL_INTEGER,
    /**
     * The number of turns in the tree including this one, as counted by another session. Absent within a
     * session.
     */
    count: OPTIONAL_INTEGER,
  },
} as const satisfies Shape;

/** The call that sends messages to other sessions. */
export interface CallOrigin {
  /**
   * Counts one more turn in the tree of the call, and returns its place.
   *
   * @throws Error if the tree cannot have more turns.
   */
  send(): TreePlace;
}

/** The part of `node:async_hooks` that is used. */
interface AsyncHooks {
  readonly AsyncLocalStorage: new () => {
    run<T>(origin: CallOrigin | undefined, work: () => T): T;
    getStore(): CallOrigin | undefined;
  };
}

/** Associates code with the call that runs it. */
interface CallOrigins {
  /** Returns the environment for a call. */
  envOfCall(env: WorkerEnv, origin: CallOrigin): WorkerEnv;
  /** Runs code on behalf of a call, or of no call if `origin` is absent. */
  inCall<T>(origin: CallOrigin | undefined, work: () => T): T;
  /** Returns the call whose code is running, given its environment, or `undefined`. */
  originOf(env: object): CallOrigin | undefined;
}

/**
 * Creates the association. With Node's `AsyncLocalStorage`, a call is found across awaits and with any
 * environment. In a Worker without Node compatibility, a call is found only through `call.env`.
 */
export function createCallOrigins(hooks: AsyncHooks | undefined): CallOrigins {
  if (hooks) {
    const calls = new hooks.AsyncLocalStorage();
    return {
      envOfCall: (env) => env,
      inCall: (origin, work) => calls.run(origin, work),
      originOf: () => calls.getStore(),
    };
  }
  return {
    envOfCall: createCallEnv,
    inCall: (_, work) => work(),
    originOf: (env) => (env as { [ORIGIN_KEY]?: CallOrigin })[ORIGIN_KEY], // Set only in `envOfCall`.
  };
}

/** A symbol, so that a copy such as `{ ...call.env, MODEL: 'other' }` keeps it, but JSON omits it. */
const ORIGIN_KEY = Symbol('holdfast.call');

function createCallEnv(env: WorkerEnv, origin: CallOrigin): WorkerEnv {
  const properties = Object.getOwnPropertyDescriptors(env);
  const own = { [ORIGIN_KEY]: { value: origin, enumerable: true } };
  return Object.freeze(Object.defineProperties({}, { ...properties, ...own })) as WorkerEnv; // A copy of `env`.
}

/** Read from `process`, since an import of `node:` fails to load in a Worker without Node compatibility. */
const { process }: { readonly process?: { getBuiltinModule?(name: string): AsyncHooks | undefined } } =
  globalThis;

/** The best association that this Worker supports. */
export const CALL_ORIGINS = createCallOrigins(process?.getBuiltinModule?.('node:async_hooks'));

/**
 * The owner of sessions: one caller, or all callers of a tenant. A caller whose id equals the name of a
 * tenant does not own the tenant's sessions.
 */
export type Owner =
  | { readonly id: string; readonly tenant?: undefined }
  | { readonly tenant: string; readonly id?: undefined };
