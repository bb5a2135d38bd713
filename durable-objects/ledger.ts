import type { DueOutcome } from '../src/journal/agenda.ts';
import type { BlobPage, BlobQuery, BlobRemoved, BlobStates } from '../src/journal/blob.ts';
import type { Deferred, EventPage, Notice, ReadQuery } from '../src/journal/event-page.ts';
import type { Posted, PostedMessage } from '../src/journal/inbox-message.ts';
import type {
  Accepted,
  Appended,
  BeginRequest,
  Change,
  Fenced,
  FoundCredential,
  KeptCredential,
  Leased,
  NotResumed,
  NotStarted,
  Renewed,
  ResumeRequest,
  SessionFull,
  TurnStart,
} from '../src/journal/session-port.ts';
import { eraseSession, type OfferedRow, settleRow } from './agenda.ts';
import { isOutdated, LOST_AFTER, rescueAlarm } from './alarms.ts';
import {
  type Bounds,
  findCredential,
  keepCredential,
  loseCredentials,
  mustKnow,
  storeRest,
  toFull,
  weightOf,
  whyFull,
} from './appends.ts';
import { keepBlobs, pageOfBlob, removeBlob, statesOf, whyNotKept } from './blobs.ts';
import { type DueWork, doDueWork, isLeft, untilOffered } from './due-work.ts';
import { isNews, leaveOrExpire, unreadMessages, whyNotPosted } from './inbox.ts';
import { LeaseClock, leasedAnswer, storedBefore } from './lease.ts';
import { noticeOf, readPage } from './pages.ts';
import { type LedgerScope, type LedgerWatchers, NO_EPOCH, type SessionStorage } from './session-storage.ts';
import { NO_TAKE_OVERS } from './take-overs.ts';
import {
  awaitHolder,
  defer,
  loadOf,
  rememberRequest,
  waitingKindOf,
  whatBecameOf,
  whyRefused,
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
   * The epoch before the first of a new session. It must differ from all epochs of an erased session of this
   * name.
   */
  readonly firstEpoch: () => number;
}

/**
 * The methods of `SessionPort`, shared by the Durable Object and the in-memory session. Synchronous: the
 * decisions and writes of one call are never interleaved with those of another, and commit together. See
 * `lease` for who holds the session, `waiting-turns` for turns in line, `inbox` for messages to the holder,
 * and `alarms` for due work.
 */
export class SessionLedger {
  readonly #storage: SessionStorage;
  /** Decides who holds the lease, and until when. */
  readonly clock: LeaseClock;
  readonly #scope: LedgerScope;
  readonly #bounds: Bounds;
  /** When a lost alarm was last set again, in ms since the epoch. It gets time to fire. */
  #rescued = -Infinity;

  constructor(storage: SessionStorage, options: LedgerOptions) {
    this.#storage = storage;
    this.clock = new LeaseClock(storage, options);
    const { now, watchers } = options;
    this.#scope = { storage, clock: this.clock, now, watchers };
    this.#bounds = { storage, mostBytes: options.mostBytes ?? Infinity };
  }

  begin({ start, nonce, reader }: BeginRequest): Leased | Deferred | NotStarted {
    if (this.clock.isGivenTo(start.turn, nonce)) return leasedAnswer(this.#scope, reader);
    return this.#start(start, nonce) ?? leasedAnswer(this.#scope, reader);
  }

  accept(start: TurnStart): Accepted | Deferred | NotStarted {
    const { turn } = start;
    const other = this.#start(start);
    const isStored = other?.status === 'known' && other.turn === turn && other.into === undefined;
    return other === null || isStored ? { status: 'accepted', turn } : other;
  }

  resume({ turn, nonce, reader }: ResumeRequest): Leased | NotResumed {
    const clock = this.clock;
    if (clock.isGivenTo(turn, nonce)) return leasedAnswer(this.#scope, reader);
    this.wake();
    const lease = this.#storage.lease();
    if (lease.turn !== turn) return { status: 'not-open' };
    if (lease.state === 'suspended') return { status: 'suspended', turn };
    const retryAfter = untilOffered(this.#scope, turn);
    if (retryAfter > 0) return { status: 'busy', turn, retryAfter };
    this.#commit(() => {
      const next = clock.nextCause(turn);
      if (next.cause === 'expired') loseCredentials(this.#storage);
      clock.take(turn, nonce, next);
    });
    return leasedAnswer(this.#scope, reader);
  }

  append(epoch: number, from: number, change: Change): Appended | Fenced | SessionFull {
    mustKnow(change);
    const { events, blobs, snapshot } = change;
    const holds = this.clock.isHeldBy(epoch);
    const isNext = from === this.#storage.head() + 1;
    const before = isNext && events.length > 0 ? null : storedBefore(this.#scope, { epoch, from, change });
    if (before !== null) {
      if (holds) this.clock.heard();
      return this.#appended(epoch, { head: from + events.length - 1, at: before }, change);
    }
    if (!holds) return { status: 'stale' };
    if (!isNext) return { status: 'gap' };
    const weight = weightOf(events, blobs);
    const full = whyFull(this.#bounds, weight, change.release === 'ended');
    if (full !== null) return full;
    const at = this.#scope.now();
    // A snapshot only saves time, so a nearly full session skips it.
    const hasRoom = snapshot && whyFull(this.#bounds, weight + snapshot.body.length) === null;
    try {
      this.#commit(() => {
        this.#storage.addEvents(events, { epoch, at });
        storeRest(this.#scope, { ...change, snapshot: hasRoom ? snapshot : undefined });
      });
    } catch (failure) {
      return toFull(this.#bounds, failure);
    }
    if (events.length === 0 && change.release !== undefined) this.#scope.watchers?.tell();
    this.clock.stored(at);
    return this.#appended(epoch, { head: from + events.length - 1, at }, change);
  }

  renew(epoch: number, inboxHeld?: readonly number[]): Renewed | Fenced {
    if (!this.clock.isHeldBy(epoch)) return { status: 'stale' };
    this.clock.heard();
    return { status: 'renewed', ...this.#toldHolder(inboxHeld) };
  }

  post(message: PostedMessage): Posted {
    this.wake();
    const not = whyNotPosted(this.#storage, message);
    if (not !== null) return not;
    if (message.kind !== 'cancel' && whyFull(this.#bounds, weightOf([message], message.blobs)))
      return 'session-full';
    try {
      return this.#commit(() => leaveOrExpire(this.#scope, message));
    } catch (failure) {
      return toFull(this.#bounds, failure).status;
    }
  }

  read(query: ReadQuery): EventPage | null {
    if (query.turn !== undefined) this.wake();
    return this.#storage.head() > 0 ? readPage(this.#storage, query) : null;
  }

  /**
   * Restores an alarm that the platform lost, since a reader waits for due work. Otherwise stores nothing.
   */
  wake(): void {
    if (this.#storage.head() === 0) return;
    this.clock.heedSetBack();
    const now = this.#scope.now();
    if (Math.abs(now - this.#rescued) >= LOST_AFTER && rescueAlarm(this.#scope)) this.#rescued = now;
  }

  blob(query: BlobQuery): BlobPage | null {
    return pageOfBlob(this.#storage, query);
  }

  blobStates(ids: readonly string[]): BlobStates | null {
    return statesOf(this.#storage, ids);
  }

  removeBlob(id: string): BlobRemoved {
    if (this.#storage.head() === 0) return { status: 'unknown' };
    return this.#commit(() => removeBlob(this.#scope, id));
  }

  credential(epoch: number, key: string): FoundCredential | Fenced {
    return this.clock.isHeldBy(epoch) ? findCredential(this.#storage, key) : { status: 'stale' };
  }

  keepCredential(epoch: number, key: string, value: string | null): KeptCredential | Fenced | SessionFull {
    return this.clock.isHeldBy(epoch) ? keepCredential(this.#bounds, key, value) : { status: 'stale' };
  }

  notice(): Notice {
    return noticeOf(this.#storage);
  }

  /** Erases the session, and notifies its watchers. Returns whether there was one. */
  erase(): boolean {
    const existed = this.#storage.head() > 0;
    const { watchers } = this.#scope;
    if (existed) eraseSession(this.#scope);
    watchers?.tell();
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
    if (isOutdated(scope)) this.erase();
    const { alarms } = this.#storage;
    if (this.#storage.lease().due === null && alarms.all().length === 0) return { turns: [], rows: [] };
    return this.#commit(() => doDueWork(scope));
  }

  /**
   * Stores the outcome of a row that an alarm offered. If the session was erased meanwhile, rows written by
   * modules are gone. The last row of an erased session leaves an empty database.
   */
  settleRow(row: OfferedRow, outcome: DueOutcome): void {
    const { alarms } = this.#storage;
    if (alarms.all().length === 0) return;
    this.#commit(() => settleRow(this.#scope, row, outcome));
    if (this.#storage.head() === 0 && alarms.all().length === 0) this.#storage.erase([]);
  }

  /** Stores a turn like `#storeStart`, in one commit. */
  #start(start: TurnStart, nonce?: string): Deferred | NotStarted | null {
    // Avoids creating a session for a message that it would refuse.
    const notKept = start.blobs && this.#storage.head() === 0 ? whyNotKept(this.#storage, start) : null;
    if (notKept !== null) return notKept;
    this.wake();
    try {
      const other = this.#commit(() => this.#storeStart(start, nonce));
      const isExpired = other?.status === 'known' && isLeft(this.#scope, other.turn);
      return isExpired ? { ...other, expired: true } : other;
    } catch (failure) {
      return toFull(this.#bounds, failure);
    }
  }

  /**
   * Stores a turn. Returns `null` if it starts now: leased to the sender of the nonce, or without a nonce,
   * waiting for a holder. Otherwise the turn is deferred, is already stored, or is refused without any
   * change.
   */
  #storeStart(start: TurnStart, nonce: string | undefined): Deferred | NotStarted | null {
    const scope = this.#scope;
    const known = whatBecameOf(scope, start);
    if (known !== null) return known;
    const isFree = this.#storage.lease().turn === null && start.delayMs === undefined;
    const waits = isFree ? null : waitingKindOf(scope, start);
    const full = whyFull(this.#bounds, weightOf([start.started], start.blobs));
    const notKept = start.blobs ? whyNotKept(this.#storage, start) : null;
    const refused = full ?? (isFree ? null : whyRefused(scope, start, waits)) ?? notKept;
    if (refused !== null) return refused;
    const by = { epoch: NO_EPOCH, at: scope.now() };
    if (this.#storage.head() === 0) this.#storage.addEvents([start.opening], by);
    if (start.blobs) keepBlobs(scope, start.blobs);
    if (waits === null) this.#storage.addEvents([start.started], by);
    rememberRequest(scope, start, waits === null ? this.#storage.head() : 0);
    if (waits !== null) return defer(scope, start, waits);
    if (nonce === undefined) awaitHolder(scope, start.turn);
    else this.clock.take(start.turn, nonce, { cause: 'started', expiredFor: 0, ...NO_TAKE_OVERS });
    return null;
  }

  /** A holder that gave the lease back receives no messages, since they are for the next holder. */
  #appended(epoch: number, stored: Pick<Appended, 'head' | 'at'>, { inboxHeld }: Change): Appended {
    const told = this.clock.isHeldBy(epoch) ? this.#toldHolder(inboxHeld) : { inbox: [] };
    return { status: 'appended', ...stored, ...told, ...loadOf(this.#storage) };
  }

  #toldHolder(inboxHeld: Change['inboxHeld']): Pick<Renewed, 'inbox' | 'watched' | 'live'> {
    const inbox = unreadMessages(this.#storage, inboxHeld);
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
    if (storage.head() > head || isNews(storage, messages)) this.#scope.watchers?.tell();
    return result;
  }
}
