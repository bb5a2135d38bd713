/** What is said between a Worker and the object that keeps the index of an owner: plain data. */
import type { FinalOutcome } from '../../journal/events.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { SessionStatus } from '../../worker/index-views.ts';

/** A session of the owner. */
export interface SessionKey {
  readonly agent: string;
  readonly session: string;
}

/** Whose an index is, and where its objects must stay. */
export interface IndexOwner {
  readonly owner: Owner;
  /** As of `placeSessions`. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
  /** The name of the copy that the app has of the index. */
  readonly copy?: string | undefined;
}

/** What the index knows of a session. */
export interface Known {
  /** Grows with each report that was taken. 0: there was none. */
  readonly version: number;
  /** Of the session that the index has. Empty: it has none. */
  readonly incarnation: string;
  /** The last event that was counted. */
  readonly seq: number;
  /** The model of the last reply that was counted. */
  readonly model: string;
}

/** What was used since the report before. */
export interface UsedSince {
  /** In UTC, such as `2026-11-30`. */
  readonly day: string;
  /** Empty: it is not known. */
  readonly model: string;
  /** Turns that have ended. */
  readonly turns: number;
  readonly usage: PricedUsage;
}

/** How a session stands. */
export interface Standing {
  readonly incarnation: string;
  readonly seq: number;
  /** How the open turn stands, if there is one. */
  readonly open: 'running' | 'waiting' | undefined;
  /** Of the last turn that has ended. `undefined`: as before. */
  readonly outcome: FinalOutcome | undefined;
  readonly model: string;
  /** `undefined`: as before. */
  readonly openedAt: number | undefined;
  readonly lastActivity: number;
  /** Of a fork: the session that it was made of. `undefined`: as before. */
  readonly forkOf: string | undefined;
  /** The last turn that has begun. `undefined`: as before. */
  readonly turn: string | undefined;
  /** The last event that a reader would want to see. 0: there was none since. */
  readonly news: number;
  /** The first words of the first message. `undefined`: as before. */
  readonly words: string | undefined;
  /** The title that was set, or `null` if that was taken back. `undefined`: as before. */
  readonly title: string | null | undefined;
  readonly used: readonly UsedSince[];
}

/** A look at a session. */
export interface SessionReport extends SessionKey, IndexOwner {
  /** As of `Known`: a report on older knowledge is not taken. */
  readonly version: number;
  /** `null`: there is no such session. */
  readonly standing: Standing | null;
}

/** Asks for a page of sessions, in the order of their last activity. */
export interface SessionQuery {
  readonly agent?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Only those with a `lastActivity` from then on. */
  readonly since?: number | undefined;
  /** For whom `unread` is found out: the id of a principal. */
  readonly reader?: string | undefined;
  /** The last session of the page before. */
  readonly after?: Place | undefined;
  readonly limit: number;
  /** Defaults to `false`: the latest come first. */
  readonly oldestFirst?: boolean | undefined;
}

/** The place of a session in a list. */
export interface Place extends SessionKey {
  readonly lastActivity: number;
}

/** A session, as the index has it. */
export interface IndexedSession extends Place {
  readonly title: string | null;
  readonly status: SessionStatus;
  readonly openedAt: number;
  readonly outcome: FinalOutcome | null;
  readonly turns: number;
  readonly usage: PricedUsage;
  /** Of a fork: the session that it was made of; of a fork of a fork, the first of them. */
  readonly forkOf: string | null;
  /** The last turn that has begun, if one has. */
  readonly turn: string | null;
  /** The last event that the index knows of. */
  readonly seq: number;
  /** Whether something has happened behind the mark of the reader. Absent if there is no reader. */
  readonly unread?: boolean | undefined;
}

/** Sets the mark of a reader: up to which event it has seen a session. */
export interface NewMark extends SessionKey {
  readonly reader: string;
  /** Absent: the last event that the index knows of. */
  readonly upTo?: number | undefined;
  /** The index has just looked at the session, so that a later event is none of the session's. */
  readonly isCurrent: boolean;
}

/** The mark of a reader. */
export interface Mark {
  /** The event up to which the reader has seen the session. */
  readonly upTo: number;
  readonly unread: boolean;
}

/** Asks for what the owner has used on these days, both included. */
export interface UsageQuery {
  readonly by: 'day' | 'agent' | 'model';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What was used of one day, agent or model. */
export interface Used {
  readonly of: string;
  readonly turns: number;
  readonly usage: PricedUsage;
}

/** How an owner stands. */
export interface OwnerStanding {
  /** Sessions that there are. */
  readonly sessions: number;
  readonly erasure?: Erasure | undefined;
}

/** The erasure of all sessions of an owner. */
export interface Erasure {
  readonly status: 'erasing' | 'erased';
  /** When it was asked for, and when it was done, in ms since the epoch. */
  readonly since: number;
  readonly at?: number | undefined;
  /** How many sessions were erased. */
  readonly removed: number;
}

/** The name of the object that lists all owners. No owner has it. */
export const OWNERS = 'owners';
