import type {
  Accepted,
  Appended,
  BeginRequest,
  Change,
  Deferred,
  EventPage,
  Fenced,
  Leased,
  NoteKind,
  Notice,
  NotResumed,
  NotStarted,
  Posted,
  ReadQuery,
  Renewed,
  ResumeRequest,
  TurnStart,
  WaitAnswer,
} from '../src/journal/session-port.ts';
import { arm, dueRefs, isOutdated, retainAnew, takeDueTurns, wake } from './agenda.ts';
import { LeaseTerm, type LedgerScope } from './lease-term.ts';
import { leasedAnswer } from './leased-answer.ts';
import { closeWait, expireWait, isAddressee, isOver, leaveNote, unreadNotes, whyClosed } from './notes.ts';
import { openTurnOf, pageOfEvents } from './page-of-events.ts';
import { goOn, release } from './release.ts';
import type { SessionStorage, StoredRow } from './session-storage.ts';
import { storedAt, toStoredRows } from './stored-rows.ts';
import {
  busy,
  keepSteered,
  queueDue,
  scheduleTurns,
  storeStart,
  waitingTurns,
  whyNotNow,
} from './waiting-turns.ts';

interface LedgerOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when what watchers are told has changed, before the call that did so answers. Must not throw. */
  readonly onChange: () => void;
  /** The epoch before the first of a new session: unlike all of those of a session of this name that was erased. */
  readonly firstEpoch: () => number;
}

interface AppendRequest {
  readonly epoch: number;
  readonly from: number;
  readonly change: Change;
}

const DEFAULT_PAGE_ROWS = 1_000;
const DEFAULT_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * The methods of `SessionPort`, once, for the Durable Object and for the in-memory session. Synchronous: what one call
 * decides and stores is never interleaved with another, and commits together. The rules stand beside it, each kind in a
 * file: who holds the session (`lease-term`, `release`), how a turn starts or waits (`start-turns`, `waiting-turns`), what is
 * left for a holder (`notes`, `wait-answers`), and what is due when (`agenda`, `retention`).
 */
export class SessionLedger {
  readonly #storage: SessionStorage;
  readonly #scope: LedgerScope;
  readonly #onChange: () => void;

  constructor(storage: SessionStorage, { leaseMs, now, onChange, firstEpoch }: LedgerOptions) {
    this.#storage = storage;
    this.#scope = { storage, now, firstEpoch, term: new LeaseTerm(storage, { leaseMs, now }) };
    this.#onChange = onChange;
  }

  notice(): Notice {
    const storage = this.#storage;
    return { head: storage.head(), openTurn: openTurnOf(storage.lease()), waiting: waitingTurns(storage) };
  }

  accept(start: TurnStart): Accepted | Deferred | NotStarted {
    const { turn } = start;
    return this.#commit(() => {
      const other = whyNotNow(this.#scope, start);
      const isStored = other?.status === 'known' && other.turn === turn && other.into === undefined;
      if (other !== null && !isStored) return other;
      if (other === null) {
        storeStart(this.#scope, start);
        this.#storage.setLease({
          ...this.#storage.lease(),
          ...{ turn, state: 'free', expired: 0, grace: null },
        });
        wake(this.#scope, turn);
      }
      return { status: 'accepted', turn };
    });
  }

  begin({ start, nonce, reader }: BeginRequest): Leased | Deferred | NotStarted {
    const { term } = this.#scope;
    if (term.isGivenTo(start.turn, nonce)) return leasedAnswer(this.#scope, reader);
    const other = this.#commit(() => {
      const instead = whyNotNow(this.#scope, start);
      if (instead !== null) return instead;
      storeStart(this.#scope, start);
      term.take(start.turn, nonce, { cause: 'started', expired: 0, expiredFor: 0 });
      wake(this.#scope, start.turn, term.deadline);
      return null;
    });
    return other ?? leasedAnswer(this.#scope, reader);
  }

  resume({ turn, nonce, reader }: ResumeRequest): Leased | NotResumed {
    const { term } = this.#scope;
    if (term.isGivenTo(turn, nonce)) return leasedAnswer(this.#scope, reader);
    const lease = this.#storage.lease();
    if (lease.turn !== turn) return { status: 'not-open' };
    if (lease.state === 'suspended') return { status: 'suspended', turn };
    if (term.isLive) return busy(this.#scope, turn);
    this.#commit(() => {
      term.take(turn, nonce, term.next(turn));
      wake(this.#scope, turn, term.deadline);
    });
    return leasedAnswer(this.#scope, reader);
  }

  append(epoch: number, from: number, change: Change): Appended | Fenced {
    const { term, now } = this.#scope;
    const holds = term.isHeldBy(epoch);
    const before = this.#answeredBefore({ epoch, from, change });
    if (before !== null) {
      if (holds) term.heard();
      return this.#appended(epoch, from + change.events.length - 1, before);
    }
    if (!holds) return { status: 'stale' };
    if (from !== this.#storage.head() + 1) return { status: 'gap' };
    const at = now();
    const rows = toStoredRows(change.events, { epoch, from, at });
    this.#commit(() => this.#storeChange(rows, change));
    if (rows.length === 0 && change.release !== undefined) this.#onChange();
    term.extend();
    return this.#appended(epoch, from + rows.length - 1, at);
  }

  renew(epoch: number): Renewed | Fenced {
    const { term } = this.#scope;
    if (!term.isHeldBy(epoch)) return { status: 'stale' };
    term.heard();
    return { status: 'renewed', inbox: unreadNotes(this.#storage) };
  }

  post(kind: NoteKind, turn: string, body: string, answers?: WaitAnswer): Posted {
    const storage = this.#storage;
    const closed = answers && whyClosed(storage, answers);
    if (closed) return closed;
    if (!isAddressee(storage, kind, turn)) return 'no-such-turn';
    return this.#commit(() => {
      const now = this.#scope.now();
      if (answers && isOver(storage, answers.wait, now)) {
        expireWait(this.#scope, answers.wait);
        return 'expired';
      }
      if (answers) closeWait(storage, turn, { ...answers, now });
      leaveNote(this.#scope, { kind, turn, body });
      return 'posted';
    });
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
    if (isOutdated(this.#scope)) {
      this.erase();
      this.#onChange();
      return [];
    }
    return this.#commit(() => {
      const scope = this.#scope;
      if (dueRefs(scope, 'retention').length > 0) retainAnew(scope);
      queueDue(this.#storage, scope.now());
      goOn(scope);
      for (const wait of dueRefs(scope, 'expiry')) expireWait(scope, wait);
      const handedOver = takeDueTurns(scope);
      arm(scope);
      return handedOver;
    });
  }

  #storeChange(rows: readonly StoredRow[], change: Change): void {
    const storage = this.#storage;
    const now = this.#scope.now();
    storage.addEvents(rows);
    if (change.inboxRead !== undefined) {
      keepSteered(storage, change.inboxRead, now);
      storage.removeInbox(change.inboxRead);
    }
    if (change.snapshot !== undefined) storage.setSnapshot(change.snapshot);
    for (const { wait, after } of change.expiries ?? []) {
      storage.schedule({ kind: 'expiry', ref: wait, due: now + after });
    }
    scheduleTurns(storage, change.scheduled ?? [], now);
    if (change.expiries !== undefined || change.scheduled !== undefined) arm(this.#scope);
    this.#keepLease(change);
  }

  /** Most appends leave the lease's row as it is. */
  #keepLease(change: Change): void {
    const lease = this.#storage.lease();
    const expired = change.progress === true ? 0 : lease.expired;
    const next = { ...lease, expired, grace: null };
    if (change.release !== undefined) release(this.#scope, next, change);
    else if (expired !== lease.expired || lease.grace !== null) this.#storage.setLease(next);
  }

  /** When exactly this append was stored before, however long ago; `null` if it was not. */
  #answeredBefore({ epoch, from, change }: AppendRequest): number | null {
    if (change.events.length > 0) return storedAt(this.#storage, { epoch, from, events: change.events });
    const lease = this.#storage.lease();
    const isReleased = change.release !== undefined && lease.epoch === epoch && lease.state !== 'held';
    return isReleased ? this.#scope.now() : null;
  }

  /** Whoever has given the lease back is told of no notes: they are for the next holder. */
  #appended(epoch: number, head: number, at: number): Appended {
    const inbox = this.#scope.term.isHeldBy(epoch) ? unreadNotes(this.#storage) : [];
    return { status: 'appended', head, at, inbox };
  }

  /** Stores everything that `change` does, or nothing, and has watchers told when there is something new. */
  #commit<T>(change: () => T): T {
    const storage = this.#storage;
    const head = storage.head();
    const waiting = storage.waiting().length;
    const result = storage.transaction(change);
    if (storage.head() > head || storage.waiting().length !== waiting) this.#onChange();
    return result;
  }
}
