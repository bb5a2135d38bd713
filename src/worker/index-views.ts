/** The responses of an index of sessions, as shapes from which clients and descriptions are generated. */
import { FINAL_OUTCOME } from '../journal/events.ts';
import { PRICED_USAGE } from '../journal/reply-data.ts';
import {
  BOOLEAN,
  INTEGER,
  type Infer,
  NO_OTHER_PROPERTIES,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from '../tool/shape.ts';
import { PENDING_VIEW } from './turn-view.ts';

/** The status of a session in a list. */
export type SessionStatus = Infer<typeof SESSION_STATUS>;
export const SESSION_STATUS = { oneOf: ['running', 'waiting', 'failed', 'idle'] } as const satisfies Shape;

/** A session in a list. */
export interface ListedSession extends Infer<typeof LISTED_SESSION> {}
export const LISTED_SESSION = {
  object: {
    /** The id of the session. */
    session: TEXT,
    agent: TEXT,
    /**
     * The title that was set, or the first words of the first message. `null` if that message has no text.
     */
    title: TEXT_OR_NULL,
    /**
     * `running`: a turn is open. `waiting`: the open turn waits for a person. `failed`: the last turn failed.
     * `idle`: the last turn ended in any other way.
     */
    status: SESSION_STATUS,
    /** In milliseconds since the epoch. */
    openedAt: INTEGER,
    /** When the last message or reply arrived or the last turn ended, in milliseconds since the epoch. */
    lastActivity: INTEGER,
    /** The outcome of the last turn that has ended. */
    outcome: { optional: FINAL_OUTCOME },
    /** The number of ended turns. */
    turns: INTEGER,
    /** The last turn that has begun. */
    turn: OPTIONAL_TEXT,
    /** For a fork, the session that it was created from. For a fork of a fork, the original session. */
    forkOf: OPTIONAL_TEXT,
    usage: PRICED_USAGE,
    /** The last event that the index has received. */
    seq: INTEGER,
    /**
     * `true` if something has happened since the caller last marked the session as read. Absent in another
     * owner's list.
     */
    unread: { optional: BOOLEAN },
    /** The path of the session. Absent in another owner's list, since only the owner can use it. */
    url: { optional: TEXT },
  },
} as const satisfies Shape;

/** A page of a list of sessions, the latest first. */
export interface SessionList extends Infer<typeof SESSION_LIST> {}
export const SESSION_LIST = {
  object: {
    sessions: { listOf: LISTED_SESSION },
    /** The `cursor` of the next page, or `null` at the end. */
    next: TEXT_OR_NULL,
  },
} as const satisfies Shape;

/** A session that waits for a person, with the data for an answer. */
export interface WaitingSession extends Infer<typeof WAITING_SESSION> {}
export const WAITING_SESSION = {
  object: {
    session: TEXT,
    agent: TEXT,
    title: TEXT_OR_NULL,
    /** The id of the waiting turn. */
    turn: TEXT,
    /** In milliseconds since the epoch. */
    lastActivity: INTEGER,
    url: TEXT,
    /** The calls that the caller may answer. */
    pending: { listOf: PENDING_VIEW },
  },
} as const satisfies Shape;

/** A page of the inbox. It can contain fewer sessions than requested, or be empty, although more follow. */
export interface Inbox extends Infer<typeof INBOX> {}
export const INBOX = {
  object: { waiting: { listOf: WAITING_SESSION }, next: TEXT_OR_NULL },
} as const satisfies Shape;

/** A new title of a session. `null` restores the first words of its first message. */
export const TITLE_BODY = {
  object: { title: TEXT_OR_NULL },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

/** The title of a session. */
export interface TitledSession extends Infer<typeof TITLED_SESSION> {}
export const TITLED_SESSION = {
  object: { session: TEXT, agent: TEXT, title: TEXT_OR_NULL },
} as const satisfies Shape;

/** Marks a session as read. */
export const READ_BODY = {
  object: {
    /** The last event that was seen. Defaults to the session's last event. */
    seq: OPTIONAL_INTEGER,
  },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

/** A session that the caller has marked as read. */
export interface ReadSession extends Infer<typeof READ_SESSION> {}
export const READ_SESSION = {
  object: {
    session: TEXT,
    agent: TEXT,
    /** The last event that was read. */
    seq: INTEGER,
    /** `true` if something has happened after that event. */
    unread: BOOLEAN,
  },
} as const satisfies Shape;

const USAGE_COUNTS = {
  object: {
    /** The number of ended turns. */
    turns: INTEGER,
    usage: PRICED_USAGE,
  },
} as const satisfies Shape;

/** The usage of an owner. */
export interface UsageReport extends Infer<typeof USAGE_REPORT> {}
export const USAGE_REPORT = {
  object: {
    /** `id:` or `tenant:`, and the name of the owner. */
    owner: TEXT,
    by: { oneOf: ['day', 'agent', 'model'] },
    usage: {
      listOf: {
        object: {
          /**
           * The day in UTC (`2026-11-30`), or the name of the agent or the model. `null` if it is unknown.
           */
          of: TEXT_OR_NULL,
        },
        and: USAGE_COUNTS,
      },
    },
    total: USAGE_COUNTS,
  },
} as const satisfies Shape;

/** An owner, and the erasure of all its sessions, if requested. */
export interface IndexedOwner extends Infer<typeof INDEXED_OWNER> {}
export const INDEXED_OWNER = {
  object: {
    /** `id:` or `tenant:`, and the name of the owner. */
    owner: TEXT,
    /** The number of existing sessions. */
    sessions: INTEGER,
    erasure: {
      optional: {
        object: {
          /**
           * `erasing`: sessions are being erased, and new ones cannot start. `erased`: all earlier sessions
           * are erased.
           */
          status: { oneOf: ['erasing', 'erased'] },
          /** The time of the request. In milliseconds since the epoch, like `at`. */
          since: INTEGER,
          /** The time when the erasure was complete. */
          at: OPTIONAL_INTEGER,
          /** The number of erased sessions. */
          removed: INTEGER,
        },
      },
    },
  },
} as const satisfies Shape;

/** A page of the owners that have had sessions, in the order of their names. */
export interface OwnerList extends Infer<typeof OWNER_LIST> {}
export const OWNER_LIST = {
  object: { owners: { listOf: TEXT }, next: TEXT_OR_NULL },
} as const satisfies Shape;
