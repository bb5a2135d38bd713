import type {
  Accepted,
  Appended,
  BeginRequest,
  Change,
  EventPage,
  Fenced,
  InboxKind,
  Leased,
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
import { pageOfEvents } from './page-of-events.ts';
import type { AgendaEntry, Lease, SessionStorage, StoredRow } from './session-storage.ts';
import { storedAt, toStoredRows } from './stored-rows.ts';
import { closeWait, isOver, whyClosed } from './wait-answers.ts';

export interface LedgerOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told after events were stored or a lease was given back, before the call that did so answers. Must not throw. */
  readonly onHead: (head: number) => void;
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

  head(): number {
    return this.#storage.head();
  }

  accept(start: TurnStart): Accepted | NotStarted {
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

  begin({ start, nonce, reader }: BeginRequest): Leased | NotStarted {
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
    if (rows.length === 0 && change.release !== undefined) this.#options.onHead(this.#storage.head());
    this.#deadline = now + this.#options.leaseMs;
    return this.#appended(from + rows.length - 1, now);
  }

  renew(epoch: number): Renewed | Fenced {
    const lease = this.#storage.lease();
    if (lease.epoch !== epoch || lease.state !== 'held') return { status: 'stale' };
    this.#heard(lease);
    return { status: 'renewed', inbox: this.#storage.inbox() };
  }

  /** The same unread note twice is one note. A note for a suspended turn makes it wait for a holder again. */
  post(kind: InboxKind, turn: string, body: string, answers?: WaitAnswer): Posted {
    const lease = this.#storage.lease();
    const closed = answers && whyClosed(this.#storage, answers);
    if (closed) return closed;
    if (lease.turn !== turn) return 'no-such-turn';
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

  #note(kind: InboxKind, turn: string, body: string): void {
    const unread = this.#storage.inbox();
    if (!unread.some((row) => row.kind === kind && row.turn === turn && row.body === body)) {
      this.#storage.addInbox(kind, turn, body);
    }
    const lease = this.#storage.lease();
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

  /**
   * Answers the turns to hand to a runner now. Each stays due again after a term, so that a lost hand-over is repeated;
   * one whose holder lives is due at its deadline.
   */
  alarm(): string[] {
    if (!this.#storage.exists()) return [];
    return this.#commit(() => {
      const now = this.#options.now();
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
  #refuse({ turn, request }: TurnStart): NotStarted | null {
    if (request !== undefined) {
      this.#storage.forgetRequests(this.#options.now());
      const known = this.#storage.request(request.key);
      if (known !== null && known.bodyHash !== request.bodyHash) return { status: 'key-reused' };
      if (known !== null) return { status: 'known', turn: known.turn };
    }
    if (this.#storage.turnStart(turn) !== null) return { status: 'known', turn };
    const lease = this.#storage.lease();
    if (lease.turn === null) return null;
    if (lease.state === 'suspended') return { status: 'suspended', turn: lease.turn };
    return this.#busy(lease, lease.turn);
  }

  #busy(lease: Lease, turn: string): Extract<NotResumed, { status: 'busy' }> {
    if (this.#isLive(lease)) {
      return { status: 'busy', turn, retryAfter: this.#deadline - this.#options.now() };
    }
    this.#schedule(turn, this.#options.now());
    return { status: 'busy', turn, retryAfter: SOON_MS };
  }

  #storeStart({ opening, started, request, turn }: TurnStart): void {
    const head = this.#storage.head();
    const rows = head === 0 ? [opening, started] : [started];
    const now = this.#options.now();
    this.#storage.addEvents(toStoredRows(rows, { epoch: 0, from: head + 1, at: now }));
    if (request === undefined) return;
    const { key, bodyHash, ttl } = request;
    const seq = head + rows.length;
    this.#storage.addRequest({ key, bodyHash, turn, seq, expires: now + ttl });
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
    if (change.expiries !== undefined) this.#arm();
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
    const hasNote = this.#storage.inbox().some((row) => row.turn === turn);
    switch (release === 'suspended' && hasNote ? 'yielded' : release) {
      case 'yielded':
        this.#storage.setLease({ ...lease, state: 'free' });
        this.#schedule(turn, this.#options.now() + resumeAfter);
        return;
      case 'suspended':
        this.#storage.setLease({ ...lease, state: 'suspended' });
        break;
      case 'ended': {
        this.#storage.setLease({ ...lease, state: 'free', turn: null });
        const moot = this.#storage.inbox().filter((row) => row.turn === turn);
        this.#storage.removeInbox(moot.map((row) => row.id));
        for (const { kind, ref } of this.#storage.agenda()) this.#storage.unschedule(kind, ref);
      }
    }
    this.#storage.unschedule('turn', turn);
    this.#arm();
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
    const covered = types === undefined ? null : this.#storage.bodies({ ...types, maxBytes });
    const from = covered === null ? 1 : (snapshot?.seq ?? 0) + 1;
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
      inbox: this.#storage.inbox(),
    };
  }

  #appended(head: number, at: number): Appended {
    return { status: 'appended', head, at, inbox: this.#storage.inbox() };
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
    const head = this.#storage.head();
    if (head > before) this.#options.onHead(head);
    return result;
  }
}
