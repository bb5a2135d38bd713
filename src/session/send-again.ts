import { InterruptionError } from '../loop/holder.ts';
import { pause } from '../tool/async.ts';
import { createSqliteMissingError } from './deployment.ts';
import type { Clock } from './read-platform.ts';

/** The timer and random numbers for pauses between attempts. Tests replace them. */
export interface RetryPauses {
  readonly after: Clock['after'];
  /** Returns a number like `Math.random`. */
  readonly random: () => number;
  /** Called before each attempt, which is a request of the invocation. */
  readonly onSend?: (() => void) | undefined;
}

/**
 * The pauses in ms before each retry. A reset object is available at once. An object that moves, or whose
 * code is updated, is available within two seconds. Together, the pauses stay well below the term of a lease,
 * unless `LEASE_MS` is short. If a caller lost its lease meanwhile, the retried call reports this.
 */
const PAUSES_MS = [0, 100, 500, 2_000];

/** The fraction by which a pause varies, so that callers that were cut off together do not retry together. */
const PAUSE_JITTER = 0.25;

/**
 * Returns a function that sends calls to an object, using stubs from `connect`. A stub can stay broken after
 * a failure, so each retry gets a new one, and so does the next call if all retries fail. Calls must be safe
 * to repeat, since a failed call may have run.
 *
 * A call rejects at once with an error that the object itself threw. It rejects with a
 * SessionUnavailableError at once if the object is overloaded, or after five attempts if it was not reached
 * or does not know the call. It rejects with a DeploymentError if its class has no SQLite storage.
 */
export function createRetryingCaller<Stub>(
  connect: () => Stub,
  { after, random, onSend }: RetryPauses,
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
        if (stub === used) stub = undefined; // If not, another call has already replaced it.
        if (NO_SQL_MESSAGE.test(failure.message)) throw createSqliteMissingError();
        const why = classifyFailure(failure);
        if (why === 'own') throw failure;
        tookNothing &&= why === 'older';
        const wait = PAUSES_MS[tries];
        if (why === 'overloaded' || wait === undefined)
          throw new SessionUnavailableError(failure, tookNothing);
        await pause({ after }, wait * (1 - PAUSE_JITTER + 2 * PAUSE_JITTER * random()));
      }
    }
  };
}

/** Properties that workerd sets on some errors of a stub. */
interface PlatformFlags {
  readonly overloaded?: unknown;
  readonly retryable?: unknown;
}

/**
 * Classifies a failure. `own`: the call would fail again in the same way. `older`: the object's version does
 * not know the call yet. `overloaded`: a retry would make it worse. `broken`: everything else, since the
 * platform has too many messages for resets, deploys and lost connections to list them, and many without a
 * flag. The `remote` flag does not help, since errors of the object's storage have it too.
 */
function classifyFailure({
  name,
  message,
  overloaded,
  retryable,
}: Error & PlatformFlags): 'own' | 'older' | 'overloaded' | 'broken' {
  if (overloaded === true || OVERLOADED_MESSAGE.test(message)) return 'overloaded';
  if (retryable === true) return 'broken';
  if (MISSING_METHOD.test(message)) return 'older';
  return CODE_ERROR_NAMES.has(name) || REFUSED_CALL_MESSAGE.test(message) ? 'own' : 'broken';
}

/** The platform's message when the object is created and its class has no SQLite storage. */
const NO_SQL_MESSAGE = /^SQL is not enabled for this Durable Object class/;

/** The platform's message if the object still runs the version before a deploy. */
const MISSING_METHOD = /^The RPC receiver does not implement\b/;

const OVERLOADED_MESSAGE = /\bis overloaded\b|too much load/i;

/**
 * The names of errors that come from mistakes in code on either side, or from values that cannot be cloned.
 */
const CODE_ERROR_NAMES: ReadonlySet<string> = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'DataCloneError',
]);

/**
 * Matches messages of the database's refusals and of calls that are too large, but not those of a disk that
 * cannot be read.
 */
const REFUSED_CALL_MESSAGE =
  /\bSQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|AUTH|TOOBIG|FULL)\b|^Serialized RPC arguments or return values are limited/;

/** Thrown if the session was erased, and the turn with it. */
export class SessionErasedError extends Error {
  override readonly name = 'SessionErasedError';

  constructor() {
    super('The session was erased, and the turn with it.');
  }
}

/** Thrown if the object of a session cannot be reached, even by an immediate retry. */
export class SessionUnavailableError extends Error {
  override readonly name = 'SessionUnavailableError';
  /**
   * `true` if the call certainly did not run, because the object's older version does not know it. Otherwise
   * its outcome is unknown.
   */
  readonly isNotRun: boolean;

  constructor(cause: Error, tookNothing = false) {
    super(`The session cannot be reached: ${cause.message}`, { cause });
    this.isNotRun = tookNothing;
  }
}

/**
 * Returns the error that leaves the turn to another invocation if `failure` is a SessionUnavailableError.
 * Returns any other failure unchanged.
 */
export const toHandOverError = (failure: unknown): unknown =>
  failure instanceof SessionUnavailableError
    ? new InterruptionError('handed-over', 'its session could not be reached')
    : failure;
