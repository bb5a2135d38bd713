/** The messages between a Worker and the object that counts an owner's usage: plain data. */
import type { Owner } from '../../tool/call-origin.ts';
import type { LimitName, ParsedLimits } from './limits.ts';

export interface SessionKey {
  readonly agent: string;
  readonly session: string;
}

/** The owner, and the jurisdiction of its objects. */
export interface AccountOwner {
  readonly owner: Owner;
  /** The jurisdiction from `placeSessions`. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
}

export interface DrawRequest extends SessionKey, AccountOwner {
  readonly turn: string;
  /** The request that started the turn. A retry within `ttl` milliseconds does not draw another allowance. */
  readonly request?: { readonly key: string; readonly ttl: number } | undefined;
  /**
   * `late` means that the turn is already stored, such as a turn that a tool has scheduled. `session` means
   * that a session opens without a turn.
   */
  readonly for: 'turn' | 'late' | 'session';
  readonly limits: ParsedLimits;
}

/** The allowance of a turn. Its amounts are `null` if unlimited. */
export interface GrantedAllowance {
  readonly status: 'granted';
  readonly tokens: number | null;
  readonly cost: number | null;
  /** `true` if neither this turn nor its request has drawn an allowance before. */
  readonly isNew: boolean;
}

/** The reason why a turn gets no allowance. The request has no effect. */
export interface OverLimit {
  readonly status: 'over';
  readonly limit: LimitName;
  readonly most: number;
  readonly used: number;
  /** The time at which a daily limit resets, in milliseconds since the epoch. */
  readonly resetAt?: number | undefined;
  /** Seconds until another attempt can succeed, if waiting helps. */
  readonly retryAfter?: number | undefined;
}

export type DrawResult = GrantedAllowance | OverLimit;

/** The usage of a turn, from the journal of its session. */
export interface TurnUsage {
  /**
   * `unknown` means that the session has no such turn, `open` that the turn has not ended, and `steered` that
   * another turn absorbed its message.
   */
  readonly state: 'unknown' | 'open' | 'steered' | 'ended';
  /** The start in milliseconds since the epoch, or 0 if the turn has not started. */
  readonly startedAt: number;
  readonly tokens: number;
  readonly cost: number;
  /** The number of its model replies. */
  readonly replies: number;
  /** The turns whose messages this turn absorbed. */
  readonly steeredBy: readonly string[];
}

/** Reports the usage of a turn that has ended. */
export interface Settlement extends SessionKey, AccountOwner {
  readonly turn: string;
  readonly used: TurnUsage;
}

export interface OwnerUsage {
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly openSessions: number;
  readonly running: number;
  /** The time of the reset, in milliseconds since the epoch. */
  readonly resetAt: number;
}

const DAY_MS = 24 * 60 * 60_000;

/** Returns the UTC day of a time, as the number of days since the epoch. */
export const toDayNumber = (at: number): number => Math.floor(at / DAY_MS);

/** Returns the start of a day in milliseconds since the epoch. */
export const startOfDay = (day: number): number => day * DAY_MS;
