import { pause, TIMERS } from '../tool/async.ts';
import { type AskOptions, ModelError, type ModelFailure } from './chat-model.ts';

/** The clock and the random source, which tests replace. */
export interface RetryClock {
  /** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number of at least 0 and below 1. */
  random(): number;
  /** Returns milliseconds since the epoch. */
  now(): number;
}

/**
 * Runs `attempt` until it succeeds, with at most `retries` retries. Retries only if the failure is transient and
 * no output has begun. If the signal aborts, the wait ends, and the next attempt must fail as aborted.
 * `again` is awaited before every retry, with the previous failure.
 *
 * @throws ModelError of the last attempt. Other errors of an attempt and those of `again` pass through.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  options: {
    readonly retries: number;
    readonly signal: AbortSignal;
    readonly pace: RetryClock;
    readonly again?: AskOptions['again'];
  },
): Promise<T> => {
  const { retries, signal, pace, again } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const { failure, outputBegan, retryAfter = computeBackoffMs(failures, pace.random()) } = error;
      if (failures > retries || outputBegan || !isTransient(failure) || retryAfter > MAX_RETRY_WAIT_MS)
        throw error;
      await pace.sleep(retryAfter, signal);
      if (!signal.aborted) await again?.(failure);
    }
  }
};

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/**
 * Returns the wait after `failures` failed attempts. It doubles up to a maximum, and is randomized within its
 * upper half.
 */
const computeBackoffMs = (failures: number, random: number): number =>
  Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS) * (0.5 + random / 2);

/** The longest wait for which a turn stays open, in ms. If a server asks for more, the call fails. */
export const MAX_RETRY_WAIT_MS = 30_000;

/** Returns whether a retry can help. */
export const isTransient = (failure: ModelFailure): boolean => transientFailures.has(failure);

const transientFailures: ReadonlySet<ModelFailure> = new Set([
  'timeout',
  'unreachable',
  'rate-limited',
  'server-error',
  'truncated',
]);

/**
 * Returns the wait that a response asks for, in ms. Returns `undefined` if it is absent, in the past or
 * invalid.
 */
export const parseRetryAfter = (headers: Pick<Headers, 'get'>, now: number): number | undefined => {
  const inMs = headers.get('retry-after-ms');
  const inSeconds = headers.get('retry-after');
  const waits = [
    inMs === null ? NaN : Number(inMs),
    inSeconds === null ? NaN : Number(inSeconds) * 1000,
    inSeconds === null ? NaN : Date.parse(inSeconds) - now,
  ];
  const wait = waits.find((ms) => !Number.isNaN(ms));
  return wait !== undefined && wait > 0 ? wait : undefined;
};

/** The platform's clock and random source. */
export const systemRetryClock: RetryClock = {
  sleep: (ms, signal) => pause(TIMERS, ms, signal).catch(() => {}),
  random: Math.random,
  now: Date.now,
};
