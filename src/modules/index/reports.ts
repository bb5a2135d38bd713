/** The messages between a Worker and the object that stores an owner's index: plain data. */
import type { FinalOutcome } from '../../journal/events.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { SessionStatus } from '../../worker/index-views.ts';

export interface SessionKey {
  readonly agent: string;
  readonly session: string;
}

/** The owner of an index, and the jurisdiction of its objects. */
export interface IndexOwner {
  readonly owner: Owner;
  /** The jurisdiction from `placeSessions`. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
  /** The name of the copy that the app has of the index. */
  readonly copy?: string | undefined;
}

/** The index's data about a session. */
export interface IndexedState {
  /** Increases with each accepted report. 0 if there was no report. */
  readonly version: number;
  /** The incarnation of the indexed session. Empty if the session is not indexed. */
  readonly incarnation: string;
  /** The sequence number of the last counted event. */
  readonly seq: number;
  /** The model of the last reply that was counted. */
  readonly model: string;
}

export interface UsageSinceReport {
  /** The day in UTC, such as `2026-11-30`. */
  readonly day: string;
  /** Empty if the model is unknown. */
  readonly model: string;
  /** The number of turns that have ended. */
  readonly turns: number;
  readonly usage: PricedUsage;
}

export interface ReportedState {
  readonly incarnation: string;
  readonly seq: number;
  /** The state of the open turn, if any. */
  readonly open: 'running' | 'waiting' | undefined;
  /** The outcome of the last turn that has ended. `undefined` if unchanged. */
  readonly outcome: FinalOutcome | undefined;
  readonly model: string;
  /** `undefined` if unchanged. */
  readonly openedAt: number | undefined;
  readonly lastActivity: number;
  /** The session that a fork was made from. `undefined` if unchanged. */
  readonly forkOf: string | undefined;
  /** The last turn that has started. `undefined` if unchanged. */
  readonly turn: string | undefined;
  /** The last event that makes the session unread, or 0 if there is none since the last report. */
  readonly news: number;
  /** The first words of the first message. `undefined` if unchanged. */
  readonly words: string | undefined;
  /** The new title, or `null` if it was removed. `undefined` if unchanged. */
  readonly title: string | null | undefined;
  readonly used: readonly UsageSinceReport[];
}

/** The result of reading a session, for its index. */
export interface SessionReport extends SessionKey, IndexOwner {
  /** The `version` of `IndexedState`. A report that is based on an older version is refused. */
  readonly version: number;
  /** `null` if the session does not exist. */
  readonly standing: ReportedState | null;
}

/** The query for a page of sessions, in the order of their last activity. */
export interface SessionQuery {
  readonly agent?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Selects sessions whose `lastActivity` is at or after this time. */
  readonly since?: number | undefined;
  /** The id of the principal that `unread` refers to. */
  readonly reader?: string | undefined;
  /** The last session of the previous page. */
  readonly after?: ListPosition | undefined;
  readonly limit: number;
  /** Defaults to `false`, which returns the latest first. */
  readonly oldestFirst?: boolean | undefined;
}

export interface ListPosition extends SessionKey {
  readonly lastActivity: number;
}

export interface IndexedSession extends ListPosition {
  readonly title: string | null;
  readonly status: SessionStatus;
  readonly openedAt: number;
  readonly outcome: FinalOutcome | null;
  readonly turns: number;
  readonly usage: PricedUsage;
  /** The session that a fork was made from. For a fork of a fork, this is the original session. */
  readonly forkOf: string | null;
  /** The last turn that has started, or `null`. */
  readonly turn: string | null;
  /** The last indexed event. */
  readonly seq: number;
  /** `true` if there are events after the reader's mark. Absent without a reader. */
  readonly unread?: boolean | undefined;
}

/** A request to set a reader's mark: the last event that the reader has seen. */
export interface NewMark extends SessionKey {
  readonly reader: string;
  /** Defaults to the last indexed event. */
  readonly upTo?: number | undefined;
  /** `true` if the index was just refreshed, so that `upTo` cannot refer to an unknown event. */
  readonly isCurrent: boolean;
}

export interface ReadMark {
  /** The last event that the reader has seen. */
  readonly upTo: number;
  readonly unread: boolean;
}

/** The query for the owner's usage from the first day to the last, inclusive. */
export interface UsageQuery {
  readonly by: 'day' | 'agent' | 'model';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface UsageEntry {
  readonly of: string;
  readonly turns: number;
  readonly usage: PricedUsage;
}

export interface OwnerState {
  readonly sessions: number;
  readonly erasure?: Erasure | undefined;
}

export interface Erasure {
  readonly status: 'erasing' | 'erased';
  /** The times at which the erasure was requested and ended, in milliseconds since the epoch. */
  readonly since: number;
  readonly at?: number | undefined;
  readonly removed: number;
}

/** The name of the object that lists all owners. No owner can have this name. */
export const OWNER_LIST_NAME = 'owners';
