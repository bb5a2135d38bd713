import type { WhenBusy } from '../tool/call.ts';
import type { AgendaOwner, AgendaRow } from './agenda.ts';
import type {
  BlobLoad,
  BlobPage,
  BlobQuery,
  BlobRemoval,
  BlobStates,
  BlobsRefusal,
  KeptBlob,
} from './blob.ts';
import type { DeferredTurn, EventPage, FoldStart, NewRow, ReadQuery } from './event-page.ts';
import type { InboxMessage, PostedMessage, PostOutcome, WaitingLoad } from './inbox-message.ts';
import type { Line, Watcher } from './live-items.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The storage of a session, as invocations use it. Accepts and returns plain data, and decides by columns,
 * never by bodies. `SessionObject` stores it durably. The in-memory session passes the same test suite.
 */
export interface SessionPort {
  /**
   * Stores a turn to run in the background. Unless it starts later, the same commit sets the alarm that sends
   * a runner for it.
   */
  accept(start: TurnStart): Promise<AcceptedTurn | DeferredTurn | StartRefusal>;
  /**
   * Stores a turn, and leases the session to this invocation in the same commit unless the turn starts later.
   */
  begin(request: BeginRequest): Promise<LeaseGrant | DeferredTurn | StartRefusal>;
  /**
   * Leases the session to this invocation to resume its open turn, if the turn has no holder and does not
   * wait for an answer from outside.
   */
  resume(request: ResumeRequest): Promise<LeaseGrant | ResumeRefusal>;
  /**
   * Stores events at `from`, `from + 1` and so on for the holder of `epoch`, and renews its lease. A repeated
   * append gets the same reply and stores nothing more. An append is refused if its lease is gone, if it
   * leaves a gap, or if the session is full, unless it is short and ends the turn. Rejects if the change has
   * a field unknown to the object, so that an older object never drops data of a newer Worker.
   */
  append(epoch: number, from: number, change: AppendData): Promise<AppendReceipt | LeaseLoss | SessionFull>;
  /**
   * Renews the lease of `epoch` without storing anything. Returns `stale` if it is no longer held.
   * `inboxHeld`: as in `AppendData`.
   */
  renew(epoch: number, inboxHeld?: readonly number[]): Promise<RenewalReceipt | LeaseLoss>;
  /**
   * Posts a message to the current or next lease holder. It is stored when this resolves. A wait accepts one
   * answer, but not after it has expired.
   */
  post(message: PostedMessage): Promise<PostOutcome>;
  /**
   * Reads one page of events in order, at least one event if any exist. Returns `null` if there is no such
   * session. A query with a `turn` also restores an alarm that the platform lost.
   */
  read(query: ReadQuery): Promise<EventPage | null>;
  /** Reads bytes of a blob. Returns `null` if the session does not keep it. */
  blob(query: BlobQuery): Promise<BlobPage | null>;
  /** Returns the states of these blobs, or `null` if there is no such session. */
  blobStates(ids: readonly string[]): Promise<BlobStates | null>;
  /**
   * Removes the bytes of a blob, which then no longer count, and records the deletion. If an outside store
   * has a copy, its deletion becomes due. Removes nothing while a turn runs.
   */
  removeBlob(id: string): Promise<BlobRemoval>;
  /**
   * Opens a line that reports the session's state to the watcher: at once, and when events are stored, other
   * messages wait, a message for the holder arrives, the lease is released, or the session is erased. On
   * request it also carries the holder's live items. A reader's line restores a lost alarm when it opens and
   * when it pings.
   */
  watch(watcher: Watcher): Promise<Line>;
  /**
   * Returns the value that the session stores under this key outside its journal, for the holder of `epoch`.
   * It is a credential, so no event, page or snapshot contains it.
   */
  credential(epoch: number, key: string): Promise<FoundCredential | LeaseLoss>;
  /**
   * Stores a credential for future holders, replacing the one under its key. `null` removes it. It is stored
   * until the session is erased, or until later ones exceed the session's room. A holder that fell silent may
   * still use its credentials, so they are all lost to its successor.
   */
  keepCredential(
    epoch: number,
    key: string,
    value: string | null,
  ): Promise<KeptCredential | LeaseLoss | SessionFull>;
  /**
   * Erases the session: journal, lease, inbox, credentials and alarms. A former holder is refused from then
   * on, even if a new session of the same name begins. Returns whether there was a session, or `true` if an
   * earlier reply was lost, since that is then unknown.
   */
  erase(): Promise<boolean>;
}

/** The waiting load, as reported to a lease holder, which can schedule more turns. */
interface WaitingLoadReport {
  /** Absent if no turn waits. */
  readonly waiting?: WaitingLoad | undefined;
}

/**
 * Identifies a repeated request for `ttl` ms, so that it finds its turn. The same key with another body is
 * refused.
 */
export interface RequestKey {
  readonly key: string;
  readonly bodyHash: string;
  readonly ttl: number;
}

/** A turn to store, with the key of its request. */
export interface TurnStart {
  readonly turn: string;
  /** Stored first if the journal is empty. */
  readonly opening: NewRow;
  readonly started: NewRow;
  readonly request?: RequestKey | undefined;
  /** The blobs of its message. Stored if the turn starts now or waits, but not if it is refused. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /**
   * The maximum bytes of blobs that the session can keep. The turn is refused if it exceeds them. Defaults to
   * no limit.
   */
  readonly room?: number | undefined;
  /**
   * The behavior while a turn is open. `queue` stores this turn, to start after earlier ones. `steer` leaves
   * it to the holder of the open turn, and queues it if that turn ends first. `{ steer }` does so only for
   * the named turn, and queues it behind any other. The turn is refused if this is absent, or if it would
   * steer a turn that waits for an answer from outside.
   */
  readonly whenBusy?: WhenBusy | { readonly steer: string } | undefined;
  /** Milliseconds until the turn starts. If another turn is open then, it is queued. */
  readonly delayMs?: number | undefined;
  /**
   * Milliseconds without activity after which the session is erased. The last turn decides. Defaults to
   * never.
   */
  readonly retainMs?: number | undefined;
  /**
   * Milliseconds after which a blob is removed, counted from when it last arrived. The last turn decides.
   * Defaults to never.
   */
  readonly blobRetainMs?: number | undefined;
  /**
   * Uses of modules that can store data of this session outside, such as blobs. After the session is erased
   * or removes such a blob, each use is offered a row that lists its stale copies.
   */
  readonly keepsOutside?: readonly AgendaOwner[] | undefined;
  /** Work that modules do later. Stored with the turn, even if the turn waits. */
  readonly agenda?: readonly AgendaRow[] | undefined;
}

interface LeaseRequest {
  /**
   * Generated by the invocation. A repeated request with the same nonce gets the same lease while that is
   * held.
   */
  readonly nonce: string;
  /** The data that the caller can fold. */
  readonly reader: ReaderCapabilities;
}

/** A request for a new turn, and for the lease to run it. */
export interface BeginRequest extends LeaseRequest {
  readonly start: TurnStart;
}

export interface ResumeRequest extends LeaseRequest {
  readonly turn: string;
}

/** The data that the caller's code can read. It determines which part of the journal a lease includes. */
export interface ReaderCapabilities {
  /** A snapshot of another reducer is omitted. */
  readonly reducer: number;
  /** The types of events covered by the snapshot that are returned. */
  readonly messageTypes: readonly string[];
  /** The maximum bytes of bodies in one reply. */
  readonly maxBytes: number;
}

/** The turn is stored, and a runner will be sent for it. */
export interface AcceptedTurn {
  readonly status: 'accepted';
  readonly turn: string;
}

/** The lease, with the data that its holder needs to continue. */
export interface LeaseGrant extends FoldStart, WaitingLoadReport {
  readonly status: 'leased';
  /** The number of this lease. Greater than those of the session's earlier leases. */
  readonly epoch: number;
  /** The term of the lease in ms. It restarts with each append and renewal. */
  readonly leaseMs: number;
  /**
   * `started`: the turn has no work yet. `expired`: its former holder fell silent. `handed-over`: its former
   * holder released it.
   */
  readonly cause: 'started' | 'expired' | 'handed-over';
  /** The number of leases in a row that expired without progress, including this take-over. */
  readonly expirations: number;
  /** The number of the latest of those leases that ended soon after they began, all at the same event. */
  readonly strikes: number;
  /** Milliseconds since the former lease ended, by the object's clock. 0 unless `expired`. */
  readonly expiredFor: number;
  /** The session's name, from which idempotency keys are derived. */
  readonly name: string;
  /** The events to fold after `covered`. */
  readonly page: EventPage;
  readonly inbox: readonly InboxMessage[];
  /** Absent if the session never had a blob. */
  readonly blobs?: BlobLoad | undefined;
  /** As in the reply to an append. */
  readonly live?: true | undefined;
}

/** Why a session cannot be leased now. */
type LeaseConflict =
  /** The turn is open, and has a holder or is about to get one. `retryAfter` is in ms. */
  | { readonly status: 'busy'; readonly turn: string; readonly retryAfter: number }
  /** The open turn waits for an answer from outside. Its model reads nothing before that. */
  | { readonly status: 'suspended'; readonly turn: string };

/** The session has no room for the data. It accepts only data that ends a turn. Sizes are in bytes. */
export interface SessionFull {
  readonly status: 'session-full';
  readonly most: number;
  readonly used: number;
}

/** Why a turn was not stored. The session is unchanged. */
export type StartRefusal =
  | LeaseConflict
  | SessionFull
  /**
   * This request was accepted before, as this turn. With `into`, its message became part of another turn
   * instead.
   */
  | {
      readonly status: 'known';
      readonly turn: string;
      readonly into?: string;
      /** Set if the turn's lease has expired. The next invocation that calls `resume` then gets it. */
      readonly expired?: true;
    }
  /** The key was used with another body. */
  | { readonly status: 'key-reused' }
  /** The maximum of waiting turns is reached, in number or in bytes (`MAX_WAITING`). */
  | { readonly status: 'full'; readonly most: number }
  | BlobsRefusal;

/** Why a turn was not leased. The session is unchanged. */
export type ResumeRefusal =
  | LeaseConflict
  /** The turn to resume has ended, or never existed. */
  | { readonly status: 'not-open' };

/** The data of one append, stored atomically. */
export interface AppendData {
  readonly events: readonly NewRow[];
  /** The waits among the events that expire, and after how many milliseconds. */
  readonly expiries?: readonly { readonly wait: string; readonly after: number }[] | undefined;
  /**
   * Turns that these events schedule in the same session. Never refused, since their calls have already
   * succeeded. The holder checks the limit first.
   */
  readonly scheduled?: readonly ScheduledTurn[] | undefined;
  /** Blobs to which these events refer. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** Ids of inbox rows that these events journal. */
  readonly inboxRead?: readonly number[] | undefined;
  /** Ids of inbox rows that the holder knows and will handle later. They are not returned again. */
  readonly inboxHeld?: readonly number[] | undefined;
  /**
   * `true` if the events contain a reply or a result, which resets the count of take-overs without progress.
   */
  readonly progress?: boolean | undefined;
  /** Gives the lease back: the turn has ended, waits for an invocation, or waits for a decision. */
  readonly release?: 'ended' | 'yielded' | 'suspended' | undefined;
  /** With `yielded`: milliseconds until a runner is sent. Defaults to 0. */
  readonly resumeAfter?: number | undefined;
  /**
   * With `yielded`: the holder could not read the session. `newer`: newer code wrote it. `failed`: reading
   * failed, which counts as a lease that expired at once. Each one in a row doubles the time until a runner
   * is sent again, up to minutes.
   */
  readonly unread?: 'newer' | 'failed' | undefined;
  /**
   * Work that modules do later. Not stored if the turn suspends and resumes at once because a message for it
   * waits.
   */
  readonly agenda?: readonly AgendaRow[] | undefined;
  /** Replaces the previous snapshot. */
  readonly snapshot?: Snapshot | undefined;
}

/** A turn that starts `after` milliseconds from when it is stored. */
export interface ScheduledTurn {
  readonly started: NewRow;
  readonly after: number;
}

/** The part of every reply that is for the lease holder. */
export interface HolderUpdate {
  /** Unread messages for the holder. Empty if the lease is released. */
  readonly inbox: readonly InboxMessage[];
  /** `true` if a reader follows the session. Otherwise absent. */
  readonly watched?: true | undefined;
  /** `true` if one of them receives live items. Otherwise absent. */
  readonly live?: true | undefined;
}

/** The append is stored. Unless it released the lease, the lease lasts a full term from now. */
export interface AppendReceipt extends HolderUpdate, WaitingLoadReport {
  readonly status: 'appended';
  /** The last stored sequence number. */
  readonly head: number;
  /** When these events were stored, in ms since the epoch by the object's clock. */
  readonly at: number;
}

/** The lease lasts a full term from now. */
export interface RenewalReceipt extends HolderUpdate {
  readonly status: 'renewed';
}

/** This invocation can no longer act for the session. */
export interface LeaseLoss {
  /**
   * `stale`: the lease was released, or granted to another invocation. `gap`: the events do not follow the
   * stored ones.
   */
  readonly status: 'stale' | 'gap';
}

/** The value that a session keeps under a key. */
export type FoundCredential =
  | { readonly status: 'found'; readonly value: string }
  /**
   * A value was kept, but the lease of a holder that could use it has expired, so it is no longer returned.
   */
  | { readonly status: 'lost' }
  | { readonly status: 'none' };

/** The credential was kept or removed as requested. */
export interface KeptCredential {
  readonly status: 'kept';
}
