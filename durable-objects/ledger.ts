import type { DueOutcome } from '../src/journal/agenda.ts';
import type { Deferred, EventPage, Notice, ReadQuery } from '../src/journal/event-page.ts';
import type { Posted, PostedMessage } from '../src/journal/inbox-message.ts';
import type { FileDeleted, FilePage, FileQuery, FileStates } from '../src/journal/kept-file.ts';
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
  Reader,
  Renewed,
  ResumeRequest,
  SessionFull,
  TurnStart,
} from '../src/journal/session-port.ts';
import { type OfferedRow, settleRow } from './agenda.ts';
import { isOutdated, LOST_AFTER, rescueAlarm } from './alarms.ts';
import { mustKnow, storeRest } from './appends.ts';
import { findCredential, keepCredential, loseCredentials } from './credentials.ts';
import { type DueWork, doDueWork, doErasedWork, isLeft, untilOffered } from './due-work.ts';
import { deleteFile, keepFiles, pageOfFile, statesOf, whyMoved, whyNoRoom } from './files.ts';
import { type Bounds, unlessFull, weightOf, whyFull } from './fullness.ts';
import { leaveOrExpire, unreadMessages, whyNotPosted } from './inbox.ts';
import { LeaseClock, leasedAnswer, storedBefore } from './lease.ts';
import { type DueDeletion, eraseSession, settleDeletion } from './outside-files.ts';
import { isNews, noticeOf, readPage } from './pages.ts';
import { addStart, type LedgerScope, type SessionStorage, toStoredRows } from './session-storage.ts';
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
  /** What the session may weigh, in bytes; any weight unless given. */
  readonly mostBytes?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when what watchers are told has changed, before the call that did so answers. Must not throw. */
  readonly onChange: () => void;
  /** Whether anybody watches who does not hold the session; nobody unless given. */
  readonly hasReaders?: (() => boolean) | undefined;
  /** Whether anybody of them is shown what is not journaled; nobody unless given. */
  readonly hasLiveReaders?: (() => boolean) | undefined;
  /** The epoch before the first of a new session: unlike all of those of a session of this name that was erased. */
  readonly firstEpoch: () => number;
  /** Whether a store outside may have files, to be deleted once the session is erased. Defaults to `true`. */
  readonly storesOutside?: boolean | undefined;
}

/**
 * The methods of `SessionPort`, once, for the Durable Object and for the in-memory session. Synchronous: what one call
 * decides and stores is never interleaved with another, and commits together. Who holds the session is in `lease`, how turns
 * wait in `waiting-turns`, what is left for a holder in `inbox`, and what is due when in `alarms`.
 */
export class SessionLedger {
  readonly #storage: SessionStorage;
  readonly #clock: LeaseClock;
  readonly #scope: LedgerScope;
  readonly #options: LedgerOptions;
  readonly #bounds: Bounds;
  /** When a lost alarm was set again, in ms since the epoch: it is given time to fire. */
  #rescued = Number.NEGATIVE_INFINITY;

  constructor(storage: SessionStorage, options: LedgerOptions) {
    this.#storage = storage;
    this.#clock = new LeaseClock(storage, options);
    const { now, storesOutside = true } = options;
    this.#scope = { storage, clock: this.#clock, now, storesOutside };
    this.#options = options;
    this.#bounds = { storage, mostBytes: options.mostBytes ?? Number.POSITIVE_INFINITY };
  }

  begin({ start, nonce, reader }: BeginRequest): Leased | Deferred | NotStarted {
    if (this.#clock.isGivenTo(start.turn, nonce)) return this.#leased(reader);
    const other = this.#start(start, () =>
      this.#clock.take(start.turn, nonce, { cause: 'started', expiredFor: 0, ...NO_TAKE_OVERS }),
    );
    return other ?? this.#leased(reader);
  }

  accept(start: TurnStart): Accepted | Deferred | NotStarted {
    const { turn } = start;
    const other = this.#start(start, () => awaitHolder(this.#scope, turn));
    const isStored = other?.status === 'known' && other.turn === turn && other.into === undefined;
    return other === null || isStored ? { status: 'accepted', turn } : other;
  }

  resume({ turn, nonce, reader }: ResumeRequest): Leased | NotResumed {
    const clock = this.#clock;
    if (clock.isGivenTo(turn, nonce)) return this.#leased(reader);
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
    return this.#leased(reader);
  }

  append(epoch: number, from: number, change: Change): Appended | Fenced | SessionFull {
    mustKnow(change);
    return unlessFull(this.#bounds, () => this.#append(epoch, from, change));
  }

  #append(epoch: number, from: number, change: Change): Appended | Fenced | SessionFull {
    const { events, files, snapshot } = change;
    const holds = this.#clock.isHeldBy(epoch);
    const before = storedBefore(this.#scope, { epoch, from, change });
    if (before !== null) {
      if (holds) this.#clock.heard();
      return this.#appended(epoch, { head: from + events.length - 1, at: before }, change);
    }
    if (!holds) return { status: 'stale' };
    if (from !== this.#storage.head() + 1) return { status: 'gap' };
    const weight = weightOf(events, files);
    const full = whyFull(this.#bounds, weight, change.release === 'ended');
    if (full !== null) return full;
    const at = this.#scope.now();
    // A snapshot only saves time.
    const hasRoom = snapshot && whyFull(this.#bounds, weight + snapshot.body.length) === null;
    this.#commit(() => {
      this.#storage.addEvents(toStoredRows(events, { epoch, from, at }));
      storeRest(this.#scope, { ...change, snapshot: hasRoom ? snapshot : undefined });
    });
    if (events.length === 0 && change.release !== undefined) this.#options.onChange();
    this.#clock.extend();
    return this.#appended(epoch, { head: from + events.length - 1, at }, change);
  }

  renew(epoch: number, inboxHeld?: readonly number[]): Renewed | Fenced {
    if (!this.#clock.isHeldBy(epoch)) return { status: 'stale' };
    this.#clock.heard();
    return { status: 'renewed', ...this.#toldHolder(inboxHeld) };
  }

  post(message: PostedMessage): Posted {
    this.wake();
    const not = whyNotPosted(this.#storage, message);
    if (not !== null) return not;
    const posted = unlessFull(this.#bounds, () => {
      const full =
        message.kind === 'cancel' ? null : whyFull(this.#bounds, weightOf([message], message.files));
      return full ?? this.#commit(() => leaveOrExpire(this.#scope, message));
    });
    return typeof posted === 'string' ? posted : posted.status;
  }

  read(query: ReadQuery): EventPage | null {
    if (query.turn !== undefined) this.wake();
    return this.#storage.exists() ? readPage(this.#storage, query) : null;
  }

  /** Sets an alarm again that the platform has lost, since a reader waits for what is due. Otherwise stores nothing. */
  wake(): void {
    if (!this.#storage.exists()) return;
    this.#clock.heedSetBack();
    const now = this.#scope.now();
    if (Math.abs(now - this.#rescued) >= LOST_AFTER && rescueAlarm(this.#scope)) this.#rescued = now;
  }

  file(query: FileQuery): FilePage | null {
    return pageOfFile(this.#storage, query);
  }

  fileStates(ids: readonly string[]): FileStates | null {
    return statesOf(this.#storage, ids);
  }

  deleteFile(id: string): FileDeleted {
    if (!this.#storage.exists()) return { status: 'unknown' };
    return this.#commit(() => deleteFile(this.#scope, id));
  }

  credential(epoch: number, key: string): FoundCredential | Fenced {
    return this.#clock.isHeldBy(epoch) ? findCredential(this.#storage, key) : { status: 'stale' };
  }

  keepCredential(epoch: number, key: string, value: string | null): KeptCredential | Fenced | SessionFull {
    return this.#clock.isHeldBy(epoch) ? keepCredential(this.#bounds, key, value) : { status: 'stale' };
  }

  notice(): Notice {
    return noticeOf(this.#storage);
  }

  /** Whether whoever was given the lease of this epoch holds the session. */
  isHeldBy(epoch: number): boolean {
    return this.#clock.isHeldBy(epoch);
  }

  /** Whether there was a session. */
  erase(): boolean {
    const existed = this.#storage.exists();
    if (existed) eraseSession(this.#scope);
    return existed;
  }

  /**
   * Answers what to hand to a runner now. Each turn stays due again after a term, so that a lost hand-over is repeated; one
   * whose holder lives is due at its deadline. A session whose time is over is erased.
   */
  alarm(): DueWork {
    const scope = this.#scope;
    this.wake();
    if (isOutdated(scope)) {
      this.erase();
      this.#options.onChange();
    }
    return this.#storage.exists() ? this.#commit(() => doDueWork(scope)) : doErasedWork(scope);
  }

  /** Stores the outcome of a row that an alarm offered. Stores nothing if the session was erased meanwhile. */
  settleRow(row: OfferedRow, outcome: DueOutcome): void {
    if (this.#storage.exists()) this.#commit(() => settleRow(this.#scope, row, outcome));
  }

  /** The store outside has deleted these copies of files. */
  filesDeleted(deletion: DueDeletion): void {
    settleDeletion(this.#scope, deletion);
  }

  /** Stores a turn, and what `begin` does with it if it is to start now, in one commit. Answers as `#storeStart` does. */
  #start(start: TurnStart, begin: () => void): Deferred | NotStarted | null {
    // A session that is not there is not made for a message that it refuses.
    const isFirst = start.files?.length && !this.#storage.exists();
    const full = isFirst ? whyNoRoom(this.#storage, start.files) : null;
    if (full !== null) return full;
    this.wake();
    const other = unlessFull(this.#bounds, () =>
      this.#commit(() => {
        const instead = this.#storeStart(start);
        if (instead === null) begin();
        return instead;
      }),
    );
    if (other?.status !== 'known') return other;
    return isLeft(this.#scope, other.turn) ? { ...other, expired: true } : other;
  }

  /** Stores a turn. `null`: it is to start now. Else it is for later, is stored already, or is refused and nothing has changed. */
  #storeStart(start: TurnStart): Deferred | NotStarted | null {
    const scope = this.#scope;
    const known = whatBecameOf(scope, start);
    if (known !== null) return known;
    const waits = waitingKindOf(scope, start);
    const full = whyFull(this.#bounds, weightOf([start.started], start.files));
    const noPlace = start.files?.length
      ? (whyNoRoom(this.#storage, start.files) ?? whyMoved(this.#storage, start))
      : null;
    const refused = full ?? whyRefused(scope, start, waits) ?? noPlace;
    if (refused !== null) return refused;
    if (this.#storage.head() === 0) {
      this.#storage.setLease({ ...this.#storage.lease(), epoch: this.#options.firstEpoch() });
      addStart(scope, start.opening);
    }
    if (start.files?.length) keepFiles(scope, start.files);
    if (waits === null) addStart(scope, start.started);
    rememberRequest(scope, start, waits === null ? this.#storage.head() : 0);
    return waits && defer(scope, start, waits);
  }

  /** Whoever has given the lease back is told of no messages: they are for the next holder. */
  #appended(epoch: number, stored: Pick<Appended, 'head' | 'at'>, { inboxHeld }: Change): Appended {
    const told = this.#clock.isHeldBy(epoch) ? this.#toldHolder(inboxHeld) : { inbox: [] };
    return { status: 'appended', ...stored, ...told, ...loadOf(this.#storage) };
  }

  #toldHolder(inboxHeld: Change['inboxHeld']): Pick<Renewed, 'inbox' | 'watched' | 'live'> {
    const inbox = unreadMessages(this.#storage, inboxHeld);
    return this.#options.hasReaders?.() ? { inbox, watched: true, ...this.#live } : { inbox };
  }

  #leased(reader: Reader): Leased {
    return { ...leasedAnswer(this.#scope, reader), ...this.#live };
  }

  get #live(): Pick<Renewed, 'live'> {
    return this.#options.hasLiveReaders?.() ? { live: true } : {};
  }

  /** Stores everything that `change` does, or nothing, and has watchers told when there is something new. */
  #commit<T>(change: () => T): T {
    const storage = this.#storage;
    const before = this.notice();
    const result = storage.transaction(change);
    if (isNews(before, this.notice())) this.#options.onChange();
    return result;
  }
}
