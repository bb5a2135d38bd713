import type * as wire from '../src/journal/live-items.ts';
import type { Change, Leased, Reader } from '../src/journal/session-port.ts';
import { addToAgenda } from './agenda.ts';
import { retainAnew, scheduleAlarm, scheduleTurn } from './alarms.ts';
import { dropMessages, isCalledFor, journalNotes, unreadMessages } from './inbox.ts';
import { pageToFold } from './pages.ts';
import type { Lease, LeaseTimes, LedgerScope, LedgerWatchers, SessionStorage } from './session-storage.ts';
import { countChange, countSilent, isSameCount, pauseWhenYielded, type TakeOvers } from './take-overs.ts';
import { loadOf, startNext } from './waiting-turns.ts';

interface LeaseOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent: no holder has a line. */
  readonly watchers?: Pick<LedgerWatchers, 'pinged' | 'fence'> | undefined;
  /** The epoch before the first of a new session. */
  readonly firstEpoch: () => number;
}

// As the holder has it, which the compiler sees to.
const LINE_TERMS: typeof wire.LINE_TERMS = 3;

/** The line of a holder that has closed. */
export interface ClosedLine {
  readonly epoch: number;
  readonly line: number;
  /** When the last ping came over it, in ms since the epoch; `null` if none did. */
  readonly pinged: number | null;
}

/** How a lease came to be given. */
type Cause = Pick<Lease, 'cause' | 'expiredFor'> & Partial<TakeOvers>;

/**
 * Who holds a session, and until when: for a term after the holder was last heard. A message is stored before the holder is
 * answered, so an object that starts grants what is left of the term. A ping over the holder's line is not: the platform answers it, and
 * knows when as long as the line is open. The object sees the line close, and stores that as the last word. If it lost the line without
 * seeing that, as with a restart, it waits for as many terms after the last stored word as the holder may live by its pings alone.
 * A holder gives itself up after three quarters of these times: the last quarter is for the clocks of two machines, which need not agree.
 */
export class LeaseClock implements LeaseTimes {
  readonly ms: number;
  readonly #storage: SessionStorage;
  readonly #options: LeaseOptions;
  readonly #now: () => number;
  /** When the last message of the holder came, in ms since the epoch. */
  #heard: number;

  constructor(storage: SessionStorage, options: LeaseOptions) {
    this.ms = options.leaseMs;
    this.#storage = storage;
    this.#options = options;
    this.#now = options.now;
    this.#heard = lastHeard(storage);
  }

  get deadline(): number {
    const hasLine = this.#storage.lease().line > 0;
    if (hasLine && this.#pinged === undefined) return this.nextLook;
    return Math.min(hasLine ? this.#last : this.#heard, this.#now()) + this.ms;
  }

  get nextLook(): number {
    return Math.min(this.#last, this.#now()) + LINE_TERMS * this.ms;
  }

  get lived(): number {
    return this.#last - this.#storage.lease().taken;
  }

  /** As `LedgerWatchers.pinged`, of the holder. */
  get #pinged(): number | null | undefined {
    const { line } = this.#storage.lease();
    return line > 0 ? this.#options.watchers?.pinged(line) : undefined;
  }

  /** When the last message or ping of the holder came. */
  get #last(): number {
    return Math.max(this.#heard, this.#pinged ?? this.#heard);
  }

  get isLive(): boolean {
    return this.#storage.lease().state === 'held' && this.deadline > this.#now();
  }

  /** Whether whoever was given this epoch still holds the session, however long it was silent. */
  isHeldBy(epoch: number): boolean {
    const lease = this.#storage.lease();
    return lease.epoch === epoch && lease.state === 'held';
  }

  /** The same request for a lease again: its term begins anew if it was given one, and has it still. */
  isGivenTo(turn: string, nonce: string): boolean {
    const lease = this.#storage.lease();
    const isGiven = lease.state === 'held' && lease.nonce === nonce && lease.turn === turn;
    if (isGiven) this.heard();
    return isGiven;
  }

  /** Gives the session to whoever minted the nonce, for a full term; at its end the turn is looked at. */
  take(turn: string, nonce: string, cause: Cause): void {
    const storage = this.#storage;
    const now = this.#now;
    const lease = storage.lease();
    const { watchers, firstEpoch } = this.#options;
    const taken = now();
    this.#heard = taken;
    // Only a holder with a line can be answered without the object.
    if (lease.line !== 0) watchers?.fence();
    storage.setLease({
      ...lease,
      ...cause,
      ...{ turn, nonce, epoch: (lease.epoch || firstEpoch()) + 1, state: 'held', line: 0 },
      ...{ heard: taken, heardSeq: storage.head(), taken, due: taken + this.ms },
    });
    scheduleAlarm({ storage, now, clock: this });
  }

  /** Begins the term anew, of a holder of which something was stored with the time at which it came. */
  stored(at: number): void {
    this.#heard = at;
  }

  /** The holder was heard, and nothing of what it said is stored: its term begins anew, which is. */
  heard(): void {
    this.#store({ heard: this.#now() });
  }

  #store({ heard = this.#heard, ...change }: Partial<Pick<Lease, 'heard' | 'line'>>): void {
    const storage = this.#storage;
    this.#heard = heard;
    const stamp = { heard, heardSeq: storage.head(), ...change };
    storage.transaction(() => storage.setLease({ ...storage.lease(), ...stamp }));
  }

  /**
   * Opens a line for the holder with this epoch. Returns its number, or 0 if another one holds the session; then nothing is stored. What
   * was heard over a line before, of which the object has not seen the close, is not known any more: this counts in its place.
   */
  lineOpened(epoch: number): number {
    if (!this.isHeldBy(epoch)) return 0;
    const before = this.#storage.lease().line;
    const line = Math.abs(before) + 1;
    this.#store({ line, ...(before > 0 && { heard: this.#now() }) });
    return line;
  }

  /**
   * Stores what was heard over a line that has closed, and that no more will be. Does nothing if the line was not the last one of the
   * holder: something later was stored then.
   */
  lineClosed({ epoch, line, pinged }: ClosedLine): void {
    const storage = this.#storage;
    if (!this.isHeldBy(epoch) || storage.lease().line !== line) return;
    storage.transaction(() => {
      this.#store({ heard: Math.max(this.#heard, pinged ?? this.#heard), line: -line });
      scheduleAlarm({ storage, now: this.#now, clock: this });
    });
  }

  /**
   * Begins a term now if the clock was set back since the holder was heard, and stores that, so that it happens once. Stores nothing
   * otherwise.
   */
  heedSetBack(): void {
    const now = this.#now;
    const storage = this.#storage;
    const { turn, state } = storage.lease();
    if (turn === null || state !== 'held' || this.#heard <= now()) return;
    storage.transaction(() => {
      this.heard();
      scheduleTurn({ storage, now, clock: this }, { ...storage.lease(), due: this.deadline });
    });
  }

  /** How the next lease of the open turn comes to be given; one of which nothing is journaled yet is only now started. */
  nextCause(turn: string): Cause {
    if (this.#storage.lease().state === 'held') {
      const counts = countSilent(this.#storage, this);
      return { cause: 'expired', expiredFor: this.#now() - this.deadline, ...counts };
    }
    const isNew = this.#storage.turnStart(turn) === this.#storage.head();
    return { cause: isNew ? 'started' : 'handed-over', expiredFor: 0 };
  }
}

/**
 * Returns when the holder was last heard, by what is stored: its lease, or an event that it appended since; in the future if the clock
 * was set back.
 */
function lastHeard(storage: SessionStorage): number {
  const { epoch, heard, heardSeq } = storage.lease();
  return storage.head() > heardSeq ? (storage.lastAppend(epoch) ?? heard) : heard;
}

/**
 * Answers what whoever was just given the lease is told: who came before, and the session as far as one answer may hold
 * it.
 */
export function leasedAnswer({ storage, clock, watchers }: LedgerScope, reader: Reader): Leased {
  const { epoch, cause, expired, expiredFor, strikes } = storage.lease();
  const blobs = storage.blobs.isEmpty ? undefined : storage.blobs.load();
  return {
    status: 'leased',
    epoch,
    leaseMs: clock.ms,
    cause,
    expirations: expired,
    strikes,
    expiredFor,
    name: storage.name,
    ...pageToFold(storage, reader),
    inbox: unreadMessages(storage),
    ...loadOf(storage),
    ...(watchers?.hasLiveReaders() && { live: true }),
    ...(blobs && { blobs }),
  };
}

/** When exactly this append of a holder was stored before, however long ago; `null` if it was not. */
export function storedBefore(
  { storage, now }: LedgerScope,
  { epoch, from, change }: { readonly epoch: number; readonly from: number; readonly change: Change },
): number | null {
  const { events, release: how } = change;
  if (events.length === 0) {
    const lease = storage.lease();
    const isReleased = how !== undefined && lease.epoch === epoch && lease.state !== 'held';
    return isReleased ? now() : null;
  }
  if (from + events.length - 1 > storage.head()) return null;
  const found = [...storage.events({ from, limit: events.length })];
  const isSame = found.every((row, i) => row.epoch === epoch && row.type === events[i]?.type);
  return isSame ? (found[0]?.at ?? null) : null;
}

/** What an append makes of the lease, and adds to the agenda. Most leave its row as it is: the events say when the holder was heard. */
export function settleLease(scope: LedgerScope, change: Change): void {
  const { storage, now } = scope;
  const { agenda, release: how } = change;
  if (how && storage.inbox.messages().length > 0) journalNotes(scope);
  const lease = storage.lease();
  const stamp = { heard: now(), heardSeq: storage.head() };
  const { turn } = lease;
  // A suspended turn that has an unread message is one that waits for a holder.
  const isCalled = how === 'suspended' && turn !== null && isCalledFor(storage, turn);
  if (agenda && !isCalled) addToAgenda(scope, agenda);
  if (how === 'ended') {
    endTurn(scope, { ...lease, ...stamp });
    return;
  }
  const next = { ...lease, ...countChange(storage, change), ...stamp };
  if (how === undefined) {
    if (!isSameCount(next, lease) || change.events.length === 0) storage.setLease(next);
    return;
  }
  if (turn === null) return;
  const isNext = how === 'yielded' || isCalled;
  const due = isNext ? now() + pauseWhenYielded(next, change.resumeAfter ?? 0) : null;
  storage.setLease({ ...next, state: isNext ? 'free' : 'suspended', due });
  scheduleAlarm(scope);
}

/**
 * Ends the turn of the lease. In the same commit, its waits are removed, the session's retention restarts, and the next waiting turn
 * starts.
 */
function endTurn(scope: LedgerScope, lease: Lease): void {
  const { storage } = scope;
  const { alarms } = storage;
  const { turn } = lease;
  if (turn === null) return;
  storage.setLease({ ...lease, state: 'free', turn: null, due: null });
  for (const { kind, ref } of alarms.all()) if (kind === 'expiry') alarms.remove(kind, ref);
  retainAnew(scope);
  if (storage.inbox.messages().length > 0) {
    dropMessages(storage, turn);
    storage.inbox.queueSteered();
    startNext(scope);
  }
  scheduleAlarm(scope);
}
