import type { WhenBusy } from '../tool/call.ts';
import type { AgendaOwner, AgendaRow } from './agenda.ts';
import type {
  BlobLoad,
  BlobPage,
  BlobQuery,
  BlobRemoved,
  BlobStates,
  BlobsRefused,
  KeptBlob,
} from './blob.ts';
import type { Deferred, EventPage, FoldStart, NewRow, ReadQuery } from './event-page.ts';
import type { InboxMessage, Posted, PostedMessage, WaitingLoad } from './inbox-message.ts';
import type { Line, Watcher } from './live-items.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What a session's storage does for the invocations that use it: plain data in, plain data out, decided from
 * columns and never from bodies. `SessionObject` keeps it durably; the in-memory session passes the same suite.
 */
export interface SessionPort {
  /** Stores a turn for the background. Unless it is for later, the same commit sets the alarm that hands it to a runner. */
  accept(start: TurnStart): Promise<Accepted | Deferred | NotStarted>;
  /** Stores a turn, and leases the session to this invocation in the same commit, unless the turn is for later. */
  begin(request: BeginRequest): Promise<Leased | Deferred | NotStarted>;
  /** Leases the session to this invocation, to go on with its open turn when nobody holds it and it waits for nobody outside. */
  resume(request: ResumeRequest): Promise<Leased | NotResumed>;
  /**
   * Stores events at `from`, `from + 1` and so on for the holder of `epoch`, and renews its lease. An append that was stored
   * before is answered so, and stores nothing more. One of a holder whose lease is gone, or that leaves a gap, stores nothing;
   * nor does one in a session that is full, unless it is short and ends the turn. Rejects if the change has a field that the object
   * does not know: an older object drops nothing of what a newer Worker sends.
   */
  append(epoch: number, from: number, change: Change): Promise<Appended | Fenced | SessionFull>;
  /**
   * Renews the lease of `epoch` when there is nothing to store. Answers `stale` when it is not held any more. `inboxHeld`: as in a
   * `Change`.
   */
  renew(epoch: number, inboxHeld?: readonly number[]): Promise<Renewed | Fenced>;
  /**
   * Leaves a message for whoever holds the session now or next, which is stored when this answers. A wait takes one answer, and
   * none when its time is over.
   */
  post(message: PostedMessage): Promise<Posted>;
  /**
   * Reads one page of events in order, at least one if there is one. `null`: there is no such session. A query that names a turn sets
   * an alarm again that the platform has lost.
   */
  read(query: ReadQuery): Promise<EventPage | null>;
  /** Reads bytes of a blob that the session keeps. `null`: it keeps no such blob. */
  blob(query: BlobQuery): Promise<BlobPage | null>;
  /** Returns the states of these blobs, by their ids, or `null` if there is no such session. */
  blobStates(ids: readonly string[]): Promise<BlobStates | null>;
  /**
   * Removes the bytes of a blob, which no longer count, and remembers that it was deleted. A copy in a store outside is due to be
   * deleted there. Removes nothing while a turn runs.
   */
  removeBlob(id: string): Promise<BlobRemoved>;
  /**
   * Opens a line over which the watcher is told where the session stands: at once, and whenever events were stored, other messages
   * wait, one was left for the holder, the lease was given back or the session was erased; and, if it wants that, what the holder
   * shows. A reader's line sets a lost alarm again when it opens and when it pings.
   */
  watch(watcher: Watcher): Promise<Line>;
  /**
   * Answers what the session keeps under this key beside its journal, to the holder of `epoch`. It is a credential: it is in no
   * event, no page and no snapshot.
   */
  credential(epoch: number, key: string): Promise<FoundCredential | Fenced>;
  /**
   * Keeps a credential for the holders to come, in place of the one under its key; `null` forgets that. It is kept until the
   * session is erased, unless more of them are kept later than the session has room for. A holder that falls silent may still use
   * what it was given, so that its successor finds all of them lost.
   */
  keepCredential(
    epoch: number,
    key: string,
    value: string | null,
  ): Promise<KeptCredential | Fenced | SessionFull>;
  /**
   * Removes all of the session: journal, lease, inbox, credentials and alarms. Whoever still holds it is refused from then on, also when
   * another session of the same name is begun. Answers whether there was one, and `true` when an answer was lost, since nobody
   * can tell any more.
   */
  erase(): Promise<boolean>;
}

/** Told to the holder of a session, who may schedule more turns. */
interface ToldLoad {
  /** Absent when nothing waits. */
  readonly waiting?: WaitingLoad | undefined;
}

/** Lets a request that is sent again find its turn for `ttl` ms. The same key with another body is refused. */
export interface RequestKey {
  readonly key: string;
  readonly bodyHash: string;
  readonly ttl: number;
}

/** A turn that is to be stored, with the request that it came by. */
export interface TurnStart {
  readonly turn: string;
  /** Stored first when the journal is empty. */
  readonly opening: NewRow;
  readonly started: NewRow;
  readonly request?: RequestKey | undefined;
  /** Those that its message names; kept whether it starts now or waits, and not when it is refused. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** How many bytes of blobs the session may keep. The turn is refused if it brings more. Defaults to any number. */
  readonly room?: number | undefined;
  /**
   * When a turn is open: `queue` stores it, to be started when those before it have ended; `steer` leaves it to the holder
   * of the open turn, and queues it if that ends first; `{ steer }` names the one turn for which it does so, and queues it behind
   * any other. The turn is refused when this is not given, and when it would steer a turn that waits for somebody outside.
   */
  readonly whenBusy?: WhenBusy | { readonly steer: string } | undefined;
  /** Milliseconds until it is to start; it is queued then if a turn is open. */
  readonly delayMs?: number | undefined;
  /** The session is erased when nothing has happened in it for so many milliseconds; never unless the last turn says so. */
  readonly retainMs?: number | undefined;
  /** A blob is removed so many milliseconds after it came last; never, unless the last turn says so. */
  readonly blobRetainMs?: number | undefined;
  /**
   * Uses of modules that may keep something of this session outside, such as blobs in a store. Once the session is erased, or has removed
   * such a blob, each use is offered a row of what is stale there.
   */
  readonly keepsOutside?: readonly AgendaOwner[] | undefined;
  /** Work that modules do later, stored with the turn, also if it waits. */
  readonly agenda?: readonly AgendaRow[] | undefined;
}

interface LeaseRequest {
  /** Minted by the invocation. A request that is sent again with the same nonce gets the same lease, while that is held. */
  readonly nonce: string;
  /** What the caller can fold. */
  readonly reader: Reader;
}

/** Asks for a new turn, and for the lease to run it. */
export interface BeginRequest extends LeaseRequest {
  readonly start: TurnStart;
}

/** Asks for the lease to go on with a turn. */
export interface ResumeRequest extends LeaseRequest {
  readonly turn: string;
}

/** What the caller's code can read. It decides what a lease brings of the journal. */
export interface Reader {
  /** A snapshot that another reducer has made is left out. */
  readonly reducer: number;
  /** Of the events that the snapshot covers, only those of these types are answered. */
  readonly messageTypes: readonly string[];
  /** Of bodies in one answer. */
  readonly maxBytes: number;
}

/** The turn is stored, and a runner is sent for it. */
export interface Accepted {
  readonly status: 'accepted';
  readonly turn: string;
}

/** The lease is given, with what its holder needs to go on. */
export interface Leased extends FoldStart, ToldLoad {
  readonly status: 'leased';
  /** Names this lease; it is greater than those of the session's leases before. */
  readonly epoch: number;
  /** Its term, in ms. Each append and each renewal begins it anew. */
  readonly leaseMs: number;
  /**
   * `started`: nothing has happened in the turn yet. `expired`: its former holder fell silent. `handed-over`: its former holder
   * gave it back.
   */
  readonly cause: 'started' | 'expired' | 'handed-over';
  /** Leases in a row that expired without progress, this take-over included. */
  readonly expirations: number;
  /** Of those, the last ones that ended soon after they were given, all at the same event. */
  readonly strikes: number;
  /** Milliseconds since the former lease ended by the object's clock; 0 unless `expired`. */
  readonly expiredFor: number;
  /** The session's name, of which idempotency keys are made. */
  readonly name: string;
  /** The events to fold after `covered`. */
  readonly page: EventPage;
  readonly inbox: readonly InboxMessage[];
  /** Absent if the session never had a blob. */
  readonly blobs?: BlobLoad | undefined;
  /** As an append is answered. */
  readonly live?: true | undefined;
}

/** Why a session cannot be leased now. */
type Occupied =
  /** The turn is open, and has a holder or is about to get one. `retryAfter` is in ms. */
  | { readonly status: 'busy'; readonly turn: string; readonly retryAfter: number }
  /** The open turn waits for somebody outside: its model reads nothing before that is answered. */
  | { readonly status: 'suspended'; readonly turn: string };

/** The session is too full for what it was asked to store; in bytes. All that it takes still is what ends a turn. */
export interface SessionFull {
  readonly status: 'session-full';
  readonly most: number;
  readonly used: number;
}

/** Why a turn was not stored; nothing has changed. */
export type NotStarted =
  | Occupied
  | SessionFull
  /** This request was taken before, as this turn; or its message was taken `into` another one, and it has none of its own. */
  | {
      readonly status: 'known';
      readonly turn: string;
      readonly into?: string;
      /** The turn's lease has run out, and `resume` gives it to the next invocation that asks. Absent otherwise. */
      readonly expired?: true;
    }
  /** The key was used with another body. */
  | { readonly status: 'key-reused' }
  /** No more may wait: so many turns do, or their messages would weigh more than `MAX_WAITING` allows. */
  | { readonly status: 'full'; readonly most: number }
  | BlobsRefused;

/** Why a turn was not leased; nothing has changed. */
export type NotResumed =
  | Occupied
  /** The turn to go on with has ended, or never was. */
  | { readonly status: 'not-open' };

/** What one append stores: all of it, or nothing. */
export interface Change {
  readonly events: readonly NewRow[];
  /** The waits among the events that expire, each after so many milliseconds. */
  readonly expiries?: readonly { readonly wait: string; readonly after: number }[] | undefined;
  /** Turns that these events schedule in the same session: never refused, since their calls were told. Their holder counts before. */
  readonly scheduled?: readonly ScheduledTurn[] | undefined;
  /** Blobs that these events name. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  /** Ids of inbox rows that these events take in. */
  readonly inboxRead?: readonly number[] | undefined;
  /** Ids of inbox rows that the holder has been told and keeps for later: they are not answered again. */
  readonly inboxHeld?: readonly number[] | undefined;
  /** A reply or a result is among the events: take-overs without progress are counted anew. */
  readonly progress?: boolean | undefined;
  /** Gives the lease back: the turn has ended, waits for an invocation, or waits for a decision. */
  readonly release?: 'ended' | 'yielded' | 'suspended' | undefined;
  /** With `yielded`: milliseconds until somebody is sent to go on; 0 unless given. */
  readonly resumeAfter?: number | undefined;
  /**
   * With `yielded`: the holder could not read the session, which a `newer` version of this code has written, or reading
   * `failed`. Each time in a row doubles the time until somebody is sent again, up to minutes; a failure counts as a lease that
   * expired at once.
   */
  readonly unread?: 'newer' | 'failed' | undefined;
  /** Work that modules do later. Not stored if the turn suspends and resumes at once, since a message for it waits. */
  readonly agenda?: readonly AgendaRow[] | undefined;
  /** Takes the place of the one before. */
  readonly snapshot?: Snapshot | undefined;
}

/** A turn that starts by itself, `after` milliseconds from its being stored. */
export interface ScheduledTurn {
  readonly started: NewRow;
  readonly after: number;
}

/** What a holder is told with every answer. */
export interface ToHolder {
  /** What was left for the holder, and was not read yet; nothing when the lease is given back. */
  readonly inbox: readonly InboxMessage[];
  /** Somebody reads the session as it grows. Absent when nobody does. */
  readonly watched?: true | undefined;
  /** Somebody of them is shown what is not journaled. Absent when nobody is. */
  readonly live?: true | undefined;
}

/** The append is stored. Unless it gave the lease back, the lease lasts a full term from now. */
export interface Appended extends ToHolder, ToldLoad {
  readonly status: 'appended';
  /** The last sequence stored. */
  readonly head: number;
  /** When these events were stored, in ms since the epoch by the object's clock. */
  readonly at: number;
}

/** The lease lasts a full term from now. */
export interface Renewed extends ToHolder {
  readonly status: 'renewed';
}

/** This invocation may no longer act for the session. */
export interface Fenced {
  /** `stale`: the lease was given to another one, or back. `gap`: the events do not follow those that are stored. */
  readonly status: 'stale' | 'gap';
}

/** What a session keeps under a key. */
export type FoundCredential =
  | { readonly status: 'found'; readonly value: string }
  /** One was kept. The lease of a holder that could use it has expired since, and nobody else is given it. */
  | { readonly status: 'lost' }
  | { readonly status: 'none' };

/** It is kept, or forgotten, as it was asked for. */
export interface KeptCredential {
  readonly status: 'kept';
}
