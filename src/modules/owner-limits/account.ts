/** What is said between a Worker and the object that counts for an owner: plain data. */
import type { Owner } from '../../tool/call-origin.ts';
import type { LimitName, ReadLimits } from './limits.ts';

/** A session of the owner. */
export interface SessionKey {
  readonly agent: string;
  readonly session: string;
}

/** Whose turns an object counts, and where its objects are. */
export interface AccountOwner {
  readonly owner: Owner;
  /** As of `placeSessions`. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
}

/** Asks for an allowance. */
export interface DrawRequest extends SessionKey, AccountOwner {
  readonly turn: string;
  /** The request that the turn came by: sent again, it draws nothing more for so many ms. */
  readonly request?: { readonly key: string; readonly ttl: number } | undefined;
  /** `late`: the turn is stored already, as one that a tool has scheduled. `session`: a session is opened without a turn. */
  readonly for: 'turn' | 'late' | 'session';
  readonly limits: ReadLimits;
}

/** What a turn may use. `null`: it is not bounded. */
export interface Granted {
  readonly status: 'granted';
  readonly tokens: number | null;
  readonly cost: number | null;
  /** Nothing had been drawn for this turn or its request before. */
  readonly isNew: boolean;
}

/** Why a turn gets no allowance; nothing has changed. */
export interface OverLimit {
  readonly status: 'over';
  readonly limit: LimitName;
  readonly most: number;
  readonly used: number;
  /** When the limit is reset, in ms since the epoch, if it is of a day. */
  readonly resetAt?: number | undefined;
  /** After how many seconds another attempt may succeed, if time helps. */
  readonly retryAfter?: number | undefined;
}

/** The outcome of a request for an allowance. */
export type Drawn = Granted | OverLimit;

/** What a turn has used, by the journal of its session. */
export interface Used {
  /** `unknown`: the session has no such turn. `open`: it has not ended. `steered`: another turn has taken its message in. */
  readonly state: 'unknown' | 'open' | 'steered' | 'ended';
  /** In ms since the epoch; 0 if the turn has not started. */
  readonly startedAt: number;
  readonly tokens: number;
  readonly cost: number;
  /** How many replies of models it has. */
  readonly replies: number;
  /** The turns whose messages it has taken in. */
  readonly steeredBy: readonly string[];
}

/** Reports what a turn has used that has ended. */
export interface Settlement extends SessionKey, AccountOwner {
  readonly turn: string;
  readonly used: Used;
}

/** What an owner has used today. */
export interface Standing {
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly openSessions: number;
  readonly running: number;
  /** In ms since the epoch. */
  readonly resetAt: number;
}

const DAY = 24 * 60 * 60_000;

/** Returns the day of a time, in UTC: its number since the epoch. */
export const dayOf = (at: number): number => Math.floor(at / DAY);

/** Returns when a day begins, in ms since the epoch. */
export const startOfDay = (day: number): number => day * DAY;
