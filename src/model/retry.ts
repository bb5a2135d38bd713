import { pause, TIMERS } from '../tool/async.ts';
import { type AskOptions, ModelError, type ModelFailure } from './chat-model.ts';

/** Time and chance, so that tests need neither. */
export interface Pace {
  /** Resolves after `ms`, or as soon as the signal fires. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Gives a number of at least 0 and below 1. */
  random(): number;
  /** Ms since the epoch. */
  now(): number;
}

/**
 * Attempts until one succeeds, at most `retries` times more than once, and only while the failure may pass and no output
 * has begun. A signal that fires ends the wait; it is for the attempt that follows at once to fail as aborted. `again` is
 * awaited before every further attempt, and told why the one before failed.
 *
 * @throws ModelError of the last attempt, what else an attempt throws, and what `again` rejects with.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  options: {
    readonly retries: number;
    readonly signal: AbortSignal;
    readonly pace: Pace;
    readonly again?: AskOptions['again'];
  },
): Promise<T> => {
  const { retries, signal, pace, again } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const { failure, outputBegan, retryAfter = backoff(failures, pace.random()) } = error;
      if (failures > retries || outputBegan || !mayPass(failure) || retryAfter > LONGEST_WAIT) throw error;
      await pace.sleep(retryAfter, signal);
      if (!signal.aborted) await again?.(failure);
    }
  }
};

const FIRST_BACKOFF = 500;
const LONGEST_BACKOFF = 8_000;

/** The wait before the next attempt after `failures` failed ones: doubling, capped, with its upper half left to chance. */
const backoff = (failures: number, random: number): number =>
  Math.min(FIRST_BACKOFF * 2 ** (failures - 1), LONGEST_BACKOFF) * (0.5 + random / 2);

/** The longest wait for a server that a turn is held open for; beyond it the ask fails. */
export const LONGEST_WAIT = 30_000;

/** Says whether asking again may help. */
export const mayPass = (failure: ModelFailure): boolean => passing.has(failure);

const passing: ReadonlySet<ModelFailure> = new Set([
  'timeout',
  'unreachable',
  'rate-limited',
  'server-error',
  'truncated',
]);

/** The wait that a response asks for, in ms; `undefined` when it asks for none, for the past, or makes no sense. */
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

/** The platform's own time and chance. */
export const realPace: Pace = {
  sleep: (ms, signal) => pause(TIMERS, ms, signal).catch(() => {}),
  random: Math.random,
  now: Date.now,
};
