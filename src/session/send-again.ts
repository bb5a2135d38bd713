import { Interrupted } from '../loop/holder.ts';
import { pause } from '../tool/async.ts';
import { withoutSqlite } from './deployment.ts';
import type { Clock } from './read-platform.ts';

/** How the pauses between two tries pass, so that a test can hold them. */
export interface Pauses {
  readonly after: Clock['after'];
  /** Answers as `Math.random` does. */
  readonly random: () => number;
  /** Called before each try: it is a request of the invocation. */
  readonly onSend?: (() => void) | undefined;
}

/**
 * Pauses before the tries after the first, in ms. An object that was reset is there again at once, and one that moves, or whose
 * code is updated, within a second or two. Together they stay well below the term of a lease, unless `LEASE_MS` makes that
 * short: whoever has lost it meanwhile is told so by the call that is sent again.
 */
const PAUSES_MS = [0, 100, 500, 2_000];

/** By which part a pause is longer or shorter, so that those who were cut off together do not come back together. */
const JITTER = 0.25;

/**
 * Answers the function that sends calls to an object by the stub that `connect` makes. A stub may be dead for ever after it
 * has failed once, so the next try has a new one, and so has the next call when no try is left. What is sent must bear being
 * done twice, since nobody knows whether a call that failed was done.
 *
 * A call rejects with what the object itself has thrown, at once; and with a SessionUnavailableError when the object has too
 * much to do, at once, or could not be reached in five tries, or does not know the call in as many; with a DeploymentError when its class has no database.
 */
export function sendingAgain<Stub>(
  connect: () => Stub,
  { after, random, onSend }: Pauses,
): <Answer>(call: (stub: Stub) => Promise<Answer>) => Promise<Answer> {
  let stub: Stub | undefined;
  return async (call) => {
    let tookNothing = true;
    for (let tries = 0; ; tries += 1) {
      stub ??= connect();
      const used = stub;
      onSend?.();
      try {
        return await call(used);
      } catch (thrown) {
        const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
        if (stub === used) stub = undefined; // else another call has replaced it
        if (NO_SQL_MESSAGE.test(failure.message)) throw withoutSqlite();
        const why = kindOf(failure);
        if (why === 'own') throw failure;
        tookNothing &&= why === 'older';
        const wait = PAUSES_MS[tries];
        if (why === 'overloaded' || wait === undefined)
          throw new SessionUnavailableError(failure, tookNothing);
        await pause({ after }, wait * (1 - JITTER + 2 * JITTER * random()));
      }
    }
  };
}

/** What workerd sets on some errors of a stub. */
interface PlatformFlags {
  readonly overloaded?: unknown;
  readonly retryable?: unknown;
}

/**
 * `own`: the call would fail in the same way again. `older`: the object does not know the call yet. `overloaded`: the object is not helped by being asked again. `broken`, which
 * is everything else: the platform has more words for what happens to objects, deploys and lines than could be listed, and says
 * many of them without a flag. That an error comes from within the object (`remote`) tells nothing, since its storage fails there.
 */
function kindOf({
  name,
  message,
  overloaded,
  retryable,
}: Error & PlatformFlags): 'own' | 'older' | 'overloaded' | 'broken' {
  if (overloaded === true || OVERLOADED.test(message)) return 'overloaded';
  if (retryable === true) return 'broken';
  if (NO_METHOD.test(message)) return 'older';
  return OWN_NAMES.has(name) || OWN_WORDS.test(message) ? 'own' : 'broken';
}

/** What the platform says when the object is made, and its class keeps no database. */
const NO_SQL_MESSAGE = /^SQL is not enabled for this Durable Object class/;

/** While a new version is deployed, an object may still be of the one before. */
const NO_METHOD = /^The RPC receiver does not implement\b/;

const OVERLOADED = /\bis overloaded\b|too much load/i;

/** What a mistake in code is called, on either side, and what cannot be copied from one to the other. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'DataCloneError',
]);

/** What the database refuses, and what is too long for one message. A disk that cannot be read is not among it. */
const OWN_WORDS =
  /\bSQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|AUTH|TOOBIG|FULL)\b|^Serialized RPC arguments or return values are limited/;

/** The session was erased, and the turn with it. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';

  constructor() {
    super('The session was erased, and the turn with it.');
  }
}

/** The object of a session could not be reached, and would not be by asking at once again. */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError';
  /** The call was not done: the object is of an older version, and does not know it. Else nobody knows. */
  readonly tookNothing: boolean;

  constructor(cause: Error, tookNothing = false) {
    super(`The session cannot be reached: ${cause.message}`, { cause });
    this.tookNothing = tookNothing;
  }
}

/** What ends the loop when `failure` is a SessionUnavailableError: the turn is left to another invocation. Returns any other failure as it is. */
export const orHandOver = (failure: unknown): unknown =>
  failure instanceof SessionUnavailableError
    ? new Interrupted('handed-over', 'its session could not be reached')
    : failure;
