import type {
  Accepted,
  Appended,
  BeginRequest,
  Change,
  Deferred,
  EventPage,
  Fenced,
  InboxRow,
  Leased,
  NewRow,
  NoteKind,
  Notice,
  NotResumed,
  NotStarted,
  Posted,
  Reader,
  ReadQuery,
  Renewed,
  ResumeRequest,
  TurnStart,
  WaitAnswer,
} from '../src/journal/session-port.ts';
import { openTurnOf, pageOfEvents } from './page-of-events.ts';
import type { AgendaEntry, Lease, SessionStorage, StoredRow } from './session-storage.ts';
import { storedAt, toStoredRows } from './stored-rows.ts';
import { closeWait, isOver, whyClosed } from './wait-answers.ts';
import { defer, queueDue, queuedTurns, scheduleTurns, startNext, waitsAs } from './waiting-turns.ts';

export interface LedgerOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after events were stored or a lease was given back, before the call that did so answers. Must not throw. */
  readonly onChange: () => void;
  /** The epoch before the first of a new session: unlike all of those of a session of this name that was erased. */
  readonly firstEpoch: () => number;
}

interface AppendRequest {
  readonly epoch: number;
  readonly from: number;
  readonly change: Change;
}

/** What a caller is told to wait when nobody holds the turn in its way. */
const SOON_MS = 1_000;
/** The platform knows no alarm after the year 2189; one that is too early only looks again. In ms. */
const FARTHEST_ALARM = 365 * 24 * 60 * 60_000;
const DEFAULT_PAGE_ROWS = 1_000;
const DEFAULT_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Every rule of `SessionPort`, once, for the Durable Object and for the in-memory session. Synchronous: what one call
 * decides and stores is never interleaved with another. The lease's deadline is kept in memory only.
 */
export class SessionLedger {
  readonly #storage: SessionStorage;
  readonly #options: LedgerOptions;
  #deadline: number;

  /** An object that starts grants the stored lease one full term, unless it knows that the holder was silent before. */
  constructor(storage: SessionStorage, options: LedgerOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#deadline = storage.lease().grace ?? options.now() + options.leaseMs;
  }

  notice(): Notice {
    const storage = this.#storage;
    return { head: storage.head(), openTurn: openTurnOf(storage.lease()), queued: queuedTurns(storage) };
  }

  accept(start: TurnStart): Accepted | Deferred | NotStarted {
    const accepted: Accepted = { status: 'accepted', turn: start.turn };
    return this.#commit(() => {
      const refused = this.#refuse(start);
      if (refused?.status === 'known' && refused.turn === start.turn) return accepted;
      if (refused !== null) return refused;
      this.#storeStart(start);
      this.#storage.setLease({
        ...this.#storage.lease(),
        turn: start.turn,
        state: 'free',
        expired: 0,
        grace: null,
      });
      this.#schedule(start.turn, this.#options.now());
      return accepted;
    });
  }

  begin({ start, nonce, reader }: BeginRequest): Leased | Deferred | NotStarted {
    const own = this.#held(start.turn, nonce);
    if (own !== null) return this.#answer(own, reader);
    const begun = this.#commit(() => {
      const refused = this.#refuse(start);
      if (refused !== null) return refused;
      this.#storeStart(start);
      const term = { cause: 'started', expired: 0, expiredFor: 0 } as const;
      return this.#take({ ...this.#storage.lease(), ...term, turn: start.turn, nonce });
    });
    return 'status' in begun ? begun : this.#answer(begun, reader);
  }

  resume({ turn, nonce, reader }: ResumeRequest): Leased | NotResumed {
    const own = this.#held(turn, nonce);
    if (own !== null) return this.#answer(own, reader);
    const lease = this.#storage.lease();
    if (lease.turn !== turn) return { status: 'not-open' };
    if (lease.state === 'suspended') return { status: 'suspended', turn };
    if (this.#isLive(lease)) return this.#busy(lease, turn);
    const term = this.#termAfter(lease, turn);
    const taken = this.#commit(() => this.#take({ ...lease, ...term, turn, nonce }));
    return this.#answer(taken, reader);
  }

  append(epoch: number, from: number, change: Change): Appended | Fenced {
    const lease = this.#storage.lease();
    const holds = lease.epoch === epoch && lease.state === 'held';
    const at = this.#answeredBefore(lease, { epoch, from, change });
    if (at !== null) {
      if (holds) this.#heard(lease);
      return this.#appended(from + change.events.length - 1, at);
    }
    if (!holds) return { status: 'stale' };
    if (from !== this.#storage.head() + 1) return { status: 'gap' };
    const now = this.#options.now();
    const rows = toStoredRows(change.events, { epoch, from, at: now });
    this.#commit(() => this.#storeChange(lease, rows, change));
    if (rows.length === 0 && change.release !== undefined) this.#options.onChange();
    this.#deadline = now + this.#options.leaseMs;
    return this.#appended(from + rows.length - 1, now);
  }

  renew(epoch: number): Renewed | Fenced {
    const lease = this.#storage.lease();
    if (lease.epoch !== epoch || lease.state !== 'held') return { status: 'stale' };
    this.#heard(lease);
    return { status: 'renewed', inbox: this.#notes() };
  }

  /**
   * The same unread note twice is one note. A note for a suspended turn makes it wait for a holder again; one for a turn
   * that waits is found when it starts, and what is `late` waits for whoever holds the session next.
   */
  post(kind: NoteKind, turn: string, body: string, answers?: WaitAnswer): Posted {
    const closed = answers && whyClosed(this.#storage, answers);
    if (closed) return closed;
    if (!this.#isAddressee(kind, turn)) return 'no-such-turn';
    return this.#commit(() => {
      const now = this.#options.now();
      if (answers && isOver(this.#storage, answers.wait, now)) {
        this.#expire(answers.wait);
        return 'expired';
      }
      if (answers) closeWait(this.#storage, turn, { ...answers, now });
      this.#note(kind, turn, body);
      return 'posted';
    });
  }

  #isAddressee(kind: NoteKind, turn: string): boolean {
    if (kind === 'late') return this.#storage.turnStart(turn) !== null;
    return (
      this.#storage.lease().turn === turn || (kind === 'cancel' && waitsAs(this.#storage, turn) !== null)
    );
  }

  #note(kind: NoteKind, turn: string, body: string): void {
    const unread = this.#storage.notes(turn);
    if (!unread.some((row) => row.kind === kind && row.turn === turn && row.body === body)) {
      this.#storage.addInbox(kind, turn, body);
    }
    const lease = this.#storage.lease();
    if (lease.turn !== turn || kind === 'late') return;
    if (lease.state === 'suspended') this.#storage.setLease({ ...lease, state: 'free' });
    if (this.#isLive(lease)) this.#arm();
    else this.#schedule(turn, this.#options.now());
  }

  /** Nobody answered in time: the holder is told, and no answer is taken any more. */
  #expire(wait: string): void {
    const { turn } = this.#storage.lease();
    if (turn === null) {
      this.#storage.unschedule('expiry', wait);
      return;
    }
    closeWait(this.#storage, turn, { wait, now: this.#options.now() });
    this.#note('expired', turn, wait);
  }

  read(query: ReadQuery): EventPage | null {
    if (!this.#storage.exists()) return null;
    return pageOfEvents(this.#storage, {
      ...query,
      maxBytes: query.maxBytes ?? DEFAULT_PAGE_BYTES,
      limit: query.limit ?? DEFAULT_PAGE_ROWS,
    });
  }

  /** Whether there was a session. */
  erase(): boolean {
    const existed = this.#storage.exists();
    if (existed) this.#storage.erase();
    return existed;
  }

  /**
   * Answers the turns to hand to a runner now. Each stays due again after a term, so that a lost hand-over is repeated;
   * one whose holder lives is due at its deadline. A session whose time is over is erased.
   */
  alarm(): string[] {
    if (!this.#storage.exists()) return [];
    if (this.#isOutdated()) {
      this.erase();
      this.#options.onChange();
      return [];
    }
    return this.#commit(() => {
      const now = this.#options.now();
      queueDue(this.#storage, now);
      this.#startNext();
      const due = (kind: AgendaEntry['kind']): string[] =>
        this.#storage
          .agenda()
          .filter((entry) => entry.kind === kind && entry.due <= now)
          .map(({ ref }) => ref);
      for (const wait of due('expiry')) this.#expire(wait);
      const handedOver = due('turn').filter((turn) => this.#isWaiting(turn));
      this.#arm();
      return handedOver;
    });
  }

  /** Moves the turn's entry, and says whether the turn needs a holder. */
  #isWaiting(turn: string): boolean {
    const lease = this.#storage.lease();
    const isLive = this.#isLive(lease);
    const isWaiting = lease.turn === turn && lease.state !== 'suspended' && !isLive;
    if (isWaiting) {
      this.#storage.schedule({ kind: 'turn', ref: turn, due: this.#options.now() + this.#options.leaseMs });
    } else if (lease.turn === turn && isLive) {
      this.#storage.schedule({ kind: 'turn', ref: turn, due: this.#deadline });
      this.#storage.setLease({ ...lease, grace: this.#deadline });
    } else {
      this.#storage.unschedule('turn', turn);
    }
    return isWaiting;
  }

  /** The lease that this nonce was given before, renewed; `null` if it holds none. */
  #held(turn: string, nonce: string): Lease | null {
    const lease = this.#storage.lease();
    const isOwn = lease.state === 'held' && lease.nonce === nonce && lease.turn === turn;
    return isOwn ? this.#heard(lease) : null;
  }

  /** A turn that was accepted and of which nothing is journaled yet is only now started. */
  #termAfter({ state, expired }: Lease, turn: string): Pick<Lease, 'cause' | 'expired' | 'expiredFor'> {
    if (state === 'held') {
      return { cause: 'expired', expired: expired + 1, expiredFor: this.#options.now() - this.#deadline };
    }
    const isNew = this.#storage.turnStart(turn) === this.#storage.head();
    return { cause: isNew ? 'started' : 'handed-over', expired, expiredFor: 0 };
  }

  /** Why this turn cannot start now. A turn that is stored already is `known`, with or without a key. */
  #refuse(start: TurnStart): Deferred | NotStarted | null {
    const known = this.#known(start);
    if (known !== null) return known;
    const deferred = this.#defer(start);
    if (deferred !== null) return deferred;
    const lease = this.#storage.lease();
    if (lease.turn === null) return null;
    if (lease.state === 'suspended') return { status: 'suspended', turn: lease.turn };
    return this.#busy(lease, lease.turn);
  }

  /** What became of a turn, or of another one under its key, that was stored before. */
  #known({ turn, request }: TurnStart): Deferred | NotStarted | null {
    if (request !== undefined) this.#storage.forgetRequests(this.#options.now());
    const known = request === undefined ? null : this.#storage.request(request.key);
    if (known !== null && known.bodyHash !== request?.bodyHash) return { status: 'key-reused' };
    if (known !== null && known.turn !== turn) return { status: 'known', turn: known.turn };
    const isStored = known !== null || this.#storage.turnStart(turn) !== null;
    return waitsAs(this.#storage, turn) ?? (isStored ? { status: 'known', turn } : null);
  }

  #defer(start: TurnStart): ReturnType<typeof defer> {
    const now = this.#options.now();
    const deferred = defer(this.#storage, start, now);
    if (deferred === null || deferred.status === 'full') return deferred;
    this.#open(start);
    this.#remember(start, 0);
    const lease = this.#storage.lease();
    const isLeft = lease.turn !== null && lease.state !== 'suspended' && !this.#isLive(lease);
    if (isLeft && lease.turn !== null) this.#schedule(lease.turn, now);
    else this.#arm();
    return deferred;
  }

  #busy(lease: Lease, turn: string): Extract<NotResumed, { status: 'busy' }> {
    if (this.#isLive(lease)) {
      return { status: 'busy', turn, retryAfter: this.#deadline - this.#options.now() };
    }
    this.#schedule(turn, this.#options.now());
    return { status: 'busy', turn, retryAfter: SOON_MS };
  }

  #storeStart(start: TurnStart): void {
    this.#open(start);
    this.#addEvent(start.started);
    this.#remember(start, this.#storage.head());
  }

  /** The first that is stored of a session. */
  #open({ opening }: TurnStart): void {
    if (this.#storage.head() > 0) return;
    this.#storage.setLease({ ...this.#storage.lease(), epoch: this.#options.firstEpoch() });
    this.#addEvent(opening);
  }

  #addEvent(row: NewRow): void {
    const place = { epoch: 0, from: this.#storage.head() + 1, at: this.#options.now() };
    this.#storage.addEvents(toStoredRows([row], place));
  }

  /** Under which key the turn is known again, and for how long the session is kept. */
  #remember({ turn, request, retainMs }: TurnStart, seq: number): void {
    const now = this.#options.now();
    if (request !== undefined) {
      const { key, bodyHash, ttl } = request;
      this.#storage.addRequest({ key, bodyHash, turn, seq, expires: now + ttl });
    }
    if (retainMs !== undefined) this.#retain(retainMs);
  }

  /** Counts from now. One entry: a session is kept as long as the last message says. */
  #retain(ms: number): void {
    for (const { kind, ref } of this.#storage.agenda()) {
      if (kind === 'retention') this.#storage.unschedule(kind, ref);
    }
    this.#storage.schedule({ kind: 'retention', ref: String(ms), due: this.#options.now() + ms });
    this.#arm();
  }

  /** Nothing has happened for as long as the session is to be kept, and nothing is about to. */
  #isOutdated(): boolean {
    const storage = this.#storage;
    const entry = storage.agenda().find(({ kind }) => kind === 'retention');
    if (entry === undefined || entry.due > this.#options.now()) return false;
    if (storage.lease().turn === null && storage.waiting().length === 0) return true;
    this.#commit(() => this.#retain(Number(entry.ref)));
    return false;
  }

  /** The next of the turns that wait gets a holder, if no turn is open. */
  #startNext(): void {
    const turn = startNext(this.#storage, this.#options.now());
    if (turn !== null) this.#schedule(turn, this.#options.now());
  }

  #take(next: Lease & { readonly turn: string }): Lease {
    const lease: Lease = { ...next, epoch: next.epoch + 1, state: 'held', grace: null };
    this.#deadline = this.#options.now() + this.#options.leaseMs;
    this.#storage.setLease(lease);
    this.#schedule(next.turn, this.#deadline);
    return lease;
  }

  #storeChange(lease: Lease, rows: readonly StoredRow[], change: Change): void {
    this.#storage.addEvents(rows);
    if (change.inboxRead !== undefined) this.#storage.removeInbox(change.inboxRead);
    if (change.snapshot !== undefined) this.#storage.setSnapshot(change.snapshot);
    const now = this.#options.now();
    for (const { wait, after } of change.expiries ?? []) {
      this.#storage.schedule({ kind: 'expiry', ref: wait, due: now + after });
    }
    scheduleTurns(this.#storage, change.scheduled ?? [], now);
    if (change.expiries !== undefined || change.scheduled !== undefined) this.#arm();
    const expired = change.progress === true ? 0 : lease.expired;
    const changed = expired !== lease.expired || lease.grace !== null;
    const next: Lease = { ...lease, expired, grace: null };
    if (change.release !== undefined) this.#release(next, change.release, change.resumeAfter);
    else if (changed) this.#storage.setLease(next);
  }

  /** Notes that nobody took in are dropped with the turn that they were for, or find it another holder. */
  #release(lease: Lease, release: NonNullable<Change['release']>, resumeAfter = 0): void {
    const { turn } = lease;
    if (turn === null) return;
    const hasNote = this.#storage.notes(turn).some((row) => row.turn === turn && row.kind !== 'late');
    switch (release === 'suspended' && hasNote ? 'yielded' : release) {
      case 'yielded':
        this.#storage.setLease({ ...lease, state: 'free' });
        this.#schedule(turn, this.#options.now() + resumeAfter);
        return;
      case 'suspended':
        this.#storage.setLease({ ...lease, state: 'suspended' });
        break;
      case 'ended':
        this.#storage.setLease({ ...lease, state: 'free', turn: null });
        this.#clear(turn);
    }
    this.#storage.unschedule('turn', turn);
    this.#startNext();
    this.#arm();
  }

  /** What was left for a turn that has ended. What is late is for whoever comes next. */
  #clear(turn: string): void {
    const moot = this.#storage.notes(turn).filter((row) => row.turn === turn && row.kind !== 'late');
    this.#storage.removeInbox(moot.map((row) => row.id));
    for (const { kind, ref } of this.#storage.agenda()) {
      if (kind === 'expiry') this.#storage.unschedule(kind, ref);
      if (kind === 'retention') this.#retain(Number(ref));
    }
  }

  #notes(): InboxRow[] {
    const { turn } = this.#storage.lease();
    return turn === null ? [] : this.#storage.notes(turn);
  }

  /** When exactly this append was stored before, however long ago; `null` if it was not. */
  #answeredBefore(lease: Lease, { epoch, from, change }: AppendRequest): number | null {
    if (change.events.length > 0) return storedAt(this.#storage, { epoch, from, events: change.events });
    const isReleased = change.release !== undefined && lease.epoch === epoch && lease.state !== 'held';
    return isReleased ? this.#options.now() : null;
  }

  /** The holder was heard: its term begins anew. Writes only if an alarm has looked since. */
  #heard(lease: Lease): Lease {
    this.#deadline = this.#options.now() + this.#options.leaseMs;
    if (lease.grace === null) return lease;
    const next: Lease = { ...lease, grace: null };
    this.#commit(() => this.#storage.setLease(next));
    return next;
  }

  #answer(lease: Lease, { reducer, messageTypes, maxBytes }: Reader): Leased {
    const snapshot = this.#storage.snapshot(reducer);
    const types = snapshot === null ? undefined : { names: messageTypes, until: snapshot.seq };
    const first = snapshot?.messagesFrom ?? 1;
    const covered = types === undefined ? null : this.#storage.bodies({ ...types, from: first, maxBytes });
    const from = covered === null ? first : (snapshot?.seq ?? 0) + 1;
    return {
      status: 'leased',
      epoch: lease.epoch,
      leaseMs: this.#options.leaseMs,
      cause: lease.cause,
      expirations: lease.expired,
      expiredFor: lease.expiredFor,
      name: this.#storage.name,
      snapshot,
      covered: covered ?? [],
      page: pageOfEvents(this.#storage, { from, types, maxBytes, limit: Number.MAX_SAFE_INTEGER }),
      inbox: this.#notes(),
    };
  }

  #appended(head: number, at: number): Appended {
    return { status: 'appended', head, at, inbox: this.#notes() };
  }

  #isLive(lease: Lease): boolean {
    return lease.state === 'held' && this.#deadline > this.#options.now();
  }

  #schedule(turn: string, due: number): void {
    this.#storage.schedule({ kind: 'turn', ref: turn, due });
    this.#arm();
  }

  #arm(): void {
    const due = this.#storage.agenda()[0]?.due;
    this.#storage.arm(due === undefined ? null : Math.min(due, this.#options.now() + FARTHEST_ALARM));
  }

  #commit<T>(change: () => T): T {
    const before = this.#storage.head();
    const result = this.#storage.transaction(change);
    if (this.#storage.head() > before) this.#options.onChange();
    return result;
  }
}
