import type { DueOutcome } from '../src/journal/agenda.ts';
import type { BlobPage, BlobQuery, BlobRemoval, BlobStates } from '../src/journal/blob.ts';
import type { DeferredTurn, EventPage, Notice, ReadQuery } from '../src/journal/event-page.ts';
import type { PostedMessage, PostOutcome } from '../src/journal/inbox-message.ts';
import type {
  AcceptedTurn,
  AppendData,
  AppendReceipt,
  BeginRequest,
  FoundCredential,
  KeptCredential,
  LeaseGrant,
  LeaseLoss,
  RenewalReceipt,
  ResumeRefusal,
  ResumeRequest,
  SessionFull,
  StartRefusal,
  TurnStart,
} from '../src/journal/session-port.ts';
import { eraseSession, type OfferedRow, settleRow } from './agenda.ts';
import { isSessionExpired, LOST_AFTER_MS, rescueAlarm } from './alarms.ts';
import {
  assertKnownFields,
  computeMaxSize,
  findCredential,
  findRoomProblem,
  keepCredential,
  markCredentialsLost,
  type SizeLimit,
  storeRest,
  toSessionFull,
} from './appends.ts';
import { findBlobStates, findBlobsProblem, keepBlobs, readBlobPage, removeBlob } from './blobs.ts';
import { computeMsUntilOffer, type DueWork, doDueWork, isAbandoned } from './due-work.ts';
import { findPostProblem, hasNews, listUnreadMessages, postOrExpire } from './inbox.ts';
import { findStoredAppend, LeaseClock, toLeaseGrant } from './lease.ts';
import { createNotice, readPage } from './pages.ts';
import { type LedgerScope, type LedgerWatchers, NO_EPOCH, type SessionStorage } from './session-storage.ts';
import { NO_TAKE_OVERS } from './take-overs.ts';
import {
  deferTurn,
  findStartProblem,
  findStoredTurn,
  findWaitingKind,
  getWaitingLoad,
  openWithoutHolder,
  rememberRequest,
} from './waiting-turns.ts';

interface LedgerOptions {
  readonly leaseMs: number;
  /** The maximum size of the session in bytes. Defaults to no limit. */
  readonly mostBytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent if the session has no watchers. */
  readonly watchers?: LedgerWatchers | undefined;
  /**
   * The epoch before the first epoch of a new session. It must differ from all epochs of an erased session of
   * this name.
   */
  readonly firstEpoch: () => number;
}

/**
 * The methods of `SessionPort`, shared by the Durable Object and the in-memory session. Synchronous: the
 * decisions and writes of one call commit together and are never interleaved with those of another. See
 * `lease` for the lease holder, `waiting-turns` for queued turns, `inbox` for messages to the holder, and
 * `alarms` for due work.
 */
export class SessionLedger {
  readonly #storage: SessionStorage;
  /** Decides who holds the lease, and until when. */
  readonly clock: LeaseClock;
  readonly #scope: LedgerScope;
  readonly #bounds: SizeLimit;
  /** When a lost alarm was last set again, in ms since the epoch. It must have time to fire. */
  #rescued = -Infinity;

  constructor(storage: SessionStorage, options: LedgerOptions) {
    this.#storage = storage;
    this.clock = new LeaseClock(storage, options);
    const { now, watchers } = options;
    this.#scope = { storage, clock: this.clock, now, watchers };
    this.#bounds = { storage, mostBytes: options.mostBytes ?? Infinity };
  }

  begin({ start, nonce, reader }: BeginRequest): LeaseGrant | DeferredTurn | StartRefusal {
    if (this.clock.isGivenTo(start.turn, nonce)) return toLeaseGrant(this.#scope, reader);
    return this.#start(start, nonce) ?? toLeaseGrant(this.#scope, reader);
  }

  accept(start: TurnStart): AcceptedTurn | DeferredTurn | StartRefusal {
    const { turn } = start;
    const other = this.#start(start);
    const isStored = other?.status === 'known' && other.turn === turn && other.into === undefined;
    return other === null || isStored ? { status: 'accepted', turn } : other;
  }

  resume({ turn, nonce, reader }: ResumeRequest): LeaseGrant | ResumeRefusal {
    const clock = this.clock;
    if (clock.isGivenTo(turn, nonce)) return toLeaseGrant(this.#scope, reader);
    this.wake();
    const lease = this.#storage.lease();
    if (lease.turn !== turn) return { status: 'not-open' };
    if (lease.state === 'suspended') return { status: 'suspended', turn };
    const retryAfter = computeMsUntilOffer(this.#scope, turn);
    if (retryAfter > 0) return { status: 'busy', turn, retryAfter };
    this.#commit(() => {
      const next = clock.nextCause(turn);
      if (next.cause === 'expired') markCredentialsLost(this.#storage);
      clock.take(turn, nonce, next);
    });
    return toLeaseGrant(this.#scope, reader);
  }

  append(epoch: number, from: number, change: AppendData): AppendReceipt | LeaseLoss | SessionFull {
    assertKnownFields(change);
    const { events, blobs, snapshot } = change;
    const holds = this.clock.isHeldBy(epoch);
    const isNext = from === this.#storage.head() + 1;
    const before =
      isNext && events.length > 0 ? null : findStoredAppend(this.#scope, { epoch, from, change });
    if (before !== null) {
      if (holds) this.clock.renew();
      return this.#appended(epoch, { head: from + events.length - 1, at: before }, change);
    }
    if (!holds) return { status: 'stale' };
    if (!isNext) return { status: 'gap' };
    const weight = computeMaxSize(events, blobs);
    const full = findRoomProblem(this.#bounds, weight, change.release === 'ended');
    if (full !== null) return full;
    const at = this.#scope.now();
    // A snapshot only saves time, so a nearly full session skips it.
    const hasRoom = snapshot && findRoomProblem(this.#bounds, weight + snapshot.body.length) === null;
    try {
      this.#commit(() => {
        this.#storage.addEvents(events, { epoch, at });
        storeRest(this.#scope, { ...change, snapshot: hasRoom ? snapshot : undefined });
      });
    } catch (failure) {
      return toSessionFull(this.#bounds, failure);
    }
    if (events.length === 0 && change.release !== undefined) this.#scope.watchers?.notify();
    this.clock.stored(at);
    return this.#appended(epoch, { head: from + events.length - 1, at }, change);
  }

  renew(epoch: number, inboxHeld?: readonly number[]): RenewalReceipt | LeaseLoss {
    if (!this.clock.isHeldBy(epoch)) return { status: 'stale' };
    this.clock.renew();
    return { status: 'renewed', ...this.#toldHolder(inboxHeld) };
  }

  post(message: PostedMessage): PostOutcome {
    this.wake();
    const not = findPostProblem(this.#storage, message);
    if (not !== null) return not;
    if (message.kind !== 'cancel' && findRoomProblem(this.#bounds, computeMaxSize([message], message.blobs)))
      return 'session-full';
    try {
      return this.#commit(() => postOrExpire(this.#scope, message));
    } catch (failure) {
      return toSessionFull(this.#bounds, failure).status;
    }
  }

  read(query: ReadQuery): EventPage | null {
    if (query.turn !== undefined) this.wake();
    return this.#storage.head() > 0 ? readPage(this.#storage, query) : null;
  }

  /**
   * Restores an alarm that the platform lost, since a reader waits for due work. Otherwise, does not write.
   */
  wake(): void {
    if (this.#storage.head() === 0) return;
    this.clock.onSetBack();
    const now = this.#scope.now();
    if (Math.abs(now - this.#rescued) >= LOST_AFTER_MS && rescueAlarm(this.#scope)) this.#rescued = now;
  }

  blob(query: BlobQuery): BlobPage | null {
    return readBlobPage(this.#storage, query);
  }

  blobStates(ids: readonly string[]): BlobStates | null {
    return findBlobStates(this.#storage, ids);
  }

  removeBlob(id: string): BlobRemoval {
    if (this.#storage.head() === 0) return { status: 'unknown' };
    return this.#commit(() => removeBlob(this.#scope, id));
  }

  credential(epoch: number, key: string): FoundCredential | LeaseLoss {
    return this.clock.isHeldBy(epoch) ? findCredential(this.#storage, key) : { status: 'stale' };
  }

  keepCredential(epoch: number, key: string, value: string | null): KeptCredential | LeaseLoss | SessionFull {
    return this.clock.isHeldBy(epoch) ? keepCredential(this.#bounds, key, value) : { status: 'stale' };
  }

  notice(): Notice {
    return createNotice(this.#storage);
  }

  /** Erases the session, and notifies its watchers. Returns whether there was one. */
  erase(): boolean {
    const existed = this.#storage.head() > 0;
    const { watchers } = this.#scope;
    if (existed) eraseSession(this.#scope);
    watchers?.notify();
    watchers?.fence();
    return existed;
  }

  /**
   * Returns the work to hand to a runner now. Each turn becomes due again after a term, so that a lost
   * hand-over is repeated. A turn whose holder is alive is due at its deadline. A session whose retention has
   * expired is erased.
   */
  alarm(): DueWork {
    const scope = this.#scope;
    this.wake();
    if (isSessionExpired(scope)) this.erase();
    const { alarms } = this.#storage;
    if (this.#storage.lease().due === null && alarms.all().length === 0) return { turns: [], rows: [] };
    return this.#commit(() => doDueWork(scope));
  }

  /**
   * Stores the outcome of a row that an alarm offered. If the session was erased meanwhile, rows written by
   * modules no longer exist. After the last row of an erased session, the database is empty.
   */
  settleRow(row: OfferedRow, outcome: DueOutcome): void {
    const { alarms } = this.#storage;
    if (alarms.all().length === 0) return;
    this.#commit(() => settleRow(this.#scope, row, outcome));
    if (this.#storage.head() === 0 && alarms.all().length === 0) this.#storage.erase([]);
  }

  /** Stores a turn like `#storeStart`, in one commit. */
  #start(start: TurnStart, nonce?: string): DeferredTurn | StartRefusal | null {
    // Do not create a session for a message that it would refuse.
    const notKept = start.blobs && this.#storage.head() === 0 ? findBlobsProblem(this.#storage, start) : null;
    if (notKept !== null) return notKept;
    this.wake();
    try {
      const other = this.#commit(() => this.#storeStart(start, nonce));
      const isExpired = other?.status === 'known' && isAbandoned(this.#scope, other.turn);
      return isExpired ? { ...other, expired: true } : other;
    } catch (failure) {
      return toSessionFull(this.#bounds, failure);
    }
  }

  /**
   * Stores a turn. Returns `null` if it starts now: leased to the sender of the nonce or, without a nonce,
   * waiting for a holder. Otherwise, the turn is deferred, already stored, or refused without any change.
   */
  #storeStart(start: TurnStart, nonce: string | undefined): DeferredTurn | StartRefusal | null {
    const scope = this.#scope;
    const known = findStoredTurn(scope, start);
    if (known !== null) return known;
    const isFree = this.#storage.lease().turn === null && start.delayMs === undefined;
    const waits = isFree ? null : findWaitingKind(scope, start);
    const full = findRoomProblem(this.#bounds, computeMaxSize([start.started], start.blobs));
    const notKept = start.blobs ? findBlobsProblem(this.#storage, start) : null;
    const refused = full ?? (isFree ? null : findStartProblem(scope, start, waits)) ?? notKept;
    if (refused !== null) return refused;
    const by = { epoch: NO_EPOCH, at: scope.now() };
    if (this.#storage.head() === 0) this.#storage.addEvents([start.opening], by);
    if (start.blobs) keepBlobs(scope, start.blobs);
    if (waits === null) this.#storage.addEvents([start.started], by);
    rememberRequest(scope, start, waits === null ? this.#storage.head() : 0);
    if (waits !== null) return deferTurn(scope, start, waits);
    if (nonce === undefined) openWithoutHolder(scope, start.turn);
    else this.clock.take(start.turn, nonce, { cause: 'started', expiredFor: 0, ...NO_TAKE_OVERS });
    return null;
  }

  /**
   * Returns the reply to an append. A holder that released the lease receives no messages, since they are for
   * the next holder.
   */
  #appended(
    epoch: number,
    stored: Pick<AppendReceipt, 'head' | 'at'>,
    { inboxHeld }: AppendData,
  ): AppendReceipt {
    const told = this.clock.isHeldBy(epoch) ? this.#toldHolder(inboxHeld) : { inbox: [] };
    return { status: 'appended', ...stored, ...told, ...getWaitingLoad(this.#storage) };
  }

  #toldHolder(inboxHeld: AppendData['inboxHeld']): Pick<RenewalReceipt, 'inbox' | 'watched' | 'live'> {
    const inbox = listUnreadMessages(this.#storage, inboxHeld);
    const { watchers } = this.#scope;
    if (!watchers?.hasReaders()) return { inbox };
    return { inbox, watched: true, ...(watchers.hasLiveReaders() && { live: true }) };
  }

  /** Runs `change` atomically, and notifies watchers if there is news. */
  #commit<T>(change: () => T): T {
    const storage = this.#storage;
    const head = storage.head();
    const messages = storage.inbox.messages();
    const result = storage.transaction(change);
    if (storage.head() > head || hasNews(storage, messages)) this.#scope.watchers?.notify();
    return result;
  }
}
