import type * as wire from '../src/journal/live-items.ts';
import type { AppendData, LeaseGrant, ReaderCapabilities } from '../src/journal/session-port.ts';
import { addToAgenda } from './agenda.ts';
import { restartRetention, scheduleAlarm, scheduleTurn } from './alarms.ts';
import { dropMessages, hasUsableMessage, listUnreadMessages, recordNotes } from './inbox.ts';
import { readFoldPage } from './pages.ts';
import type { Lease, LeaseTimes, LedgerScope, LedgerWatchers, SessionStorage } from './session-storage.ts';
import {
  countAppend,
  countSilentHolder,
  isSameCount,
  pauseWhenYielded,
  type TakeOvers,
} from './take-overs.ts';
import { getWaitingLoad, startNext } from './waiting-turns.ts';

interface LeaseOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent if no holder has a line. */
  readonly watchers?: Pick<LedgerWatchers, 'pinged' | 'fence'> | undefined;
  /** The epoch before the first of a new session. */
  readonly firstEpoch: () => number;
}

// The compiler checks that it equals the holder's value.
const LINE_TERMS: typeof wire.LINE_TERMS = 3;

export interface ClosedLine {
  readonly epoch: number;
  readonly line: number;
  /** When the last ping arrived over it, in ms since the epoch, or `null` if there was no ping. */
  readonly pinged: number | null;
}

/** Why a lease was granted. */
type LeaseCause = Pick<Lease, 'cause' | 'expiredFor'> & Partial<TakeOvers>;

/**
 * Decides which invocation holds a session, and until when: for a term after the last sign of life from the
 * holder.
 *
 * A message is stored before its reply is sent, so an object that restarts grants the rest of the term. A
 * ping over the holder's line is not stored: the platform replies to it, and keeps its time while the line is
 * open. When the line closes, the object stores that time. If the object missed the close, such as in a
 * restart, it waits as many terms after the last stored message as a lease can last with pings alone.
 *
 * A holder stops after three quarters of these times. The last quarter allows for differences between the
 * clocks of two machines.
 */
export class LeaseClock implements LeaseTimes {
  readonly ms: number;
  readonly #storage: SessionStorage;
  readonly #options: LeaseOptions;
  readonly #now: () => number;
  /** When the holder's last message arrived, in ms since the epoch. */
  #heard: number;

  constructor(storage: SessionStorage, options: LeaseOptions) {
    this.ms = options.leaseMs;
    this.#storage = storage;
    this.#options = options;
    this.#now = options.now;
    this.#heard = getLastHeard(storage);
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

  /** The holder's value of `LedgerWatchers.pinged`. */
  get #pinged(): number | null | undefined {
    const { line } = this.#storage.lease();
    return line > 0 ? this.#options.watchers?.pinged(line) : undefined;
  }

  /** When the holder's last message or ping arrived. */
  get #last(): number {
    return Math.max(this.#heard, this.#pinged ?? this.#heard);
  }

  get isLive(): boolean {
    return this.#storage.lease().state === 'held' && this.deadline > this.#now();
  }

  /** Returns whether this epoch still holds the session, no matter how long its holder has been silent. */
  isHeldBy(epoch: number): boolean {
    const lease = this.#storage.lease();
    return lease.epoch === epoch && lease.state === 'held';
  }

  /** Returns whether this is a repeated request for the current lease. If so, restarts its term. */
  isGivenTo(turn: string, nonce: string): boolean {
    const lease = this.#storage.lease();
    const isGiven = lease.state === 'held' && lease.nonce === nonce && lease.turn === turn;
    if (isGiven) this.renew();
    return isGiven;
  }

  /**
   * Leases the session to the sender of the nonce for a full term. The turn is checked when the term ends.
   */
  take(turn: string, nonce: string, cause: LeaseCause): void {
    const storage = this.#storage;
    const now = this.#now;
    const lease = storage.lease();
    const { watchers, firstEpoch } = this.#options;
    const taken = now();
    this.#heard = taken;
    // The platform answers pings on the previous holder's line without this object, so the line is closed.
    if (lease.line !== 0) watchers?.fence();
    storage.setLease({
      ...lease,
      ...cause,
      ...{ turn, nonce, epoch: (lease.epoch || firstEpoch()) + 1, state: 'held', line: 0 },
      ...{ heard: taken, heardSeq: storage.head(), taken, due: taken + this.ms },
    });
    scheduleAlarm({ storage, now, clock: this });
  }

  /** Restarts the term. The time is stored with the holder's data. */
  stored(at: number): void {
    this.#heard = at;
  }

  /** Restarts the term and stores the time, for a message of the holder without other data to store. */
  renew(): void {
    this.#store({ heard: this.#now() });
  }

  #store({ heard = this.#heard, ...change }: Partial<Pick<Lease, 'heard' | 'line'>>): void {
    const storage = this.#storage;
    this.#heard = heard;
    const stamp = { heard, heardSeq: storage.head(), ...change };
    storage.transaction(() => storage.setLease({ ...storage.lease(), ...stamp }));
  }

  /**
   * Opens a line for the holder of this epoch. Returns its number, or 0 without a write if the epoch no
   * longer holds the session. If the object missed the close of the previous line, its last ping is unknown,
   * so the present time is used instead.
   */
  lineOpened(epoch: number): number {
    if (!this.isHeldBy(epoch)) return 0;
    const before = this.#storage.lease().line;
    const line = Math.abs(before) + 1;
    this.#store({ line, ...(before > 0 && { heard: this.#now() }) });
    return line;
  }

  /**
   * Stores the time of a closed line's last ping. Has no effect if it is not the holder's last line, since a
   * later time was already stored.
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
   * If the clock was set back since the holder's last message, starts a term now and stores it, so that this
   * happens only once. Otherwise, does not write.
   */
  onSetBack(): void {
    const now = this.#now;
    const storage = this.#storage;
    const { turn, state } = storage.lease();
    if (turn === null || state !== 'held' || this.#heard <= now()) return;
    storage.transaction(() => {
      this.renew();
      scheduleTurn({ storage, now, clock: this }, { ...storage.lease(), due: this.deadline });
    });
  }

  /**
   * Returns the cause of the next lease of the open turn. A turn without further events has only just
   * started.
   */
  nextCause(turn: string): LeaseCause {
    if (this.#storage.lease().state === 'held') {
      const counts = countSilentHolder(this.#storage, this);
      return { cause: 'expired', expiredFor: this.#now() - this.deadline, ...counts };
    }
    const isNew = this.#storage.turnStart(turn) === this.#storage.head();
    return { cause: isNew ? 'started' : 'handed-over', expiredFor: 0 };
  }
}

/**
 * Returns the time of the holder's last message, from the stored lease or a later event that it appended.
 * This is in the future if the clock was set back.
 */
function getLastHeard(storage: SessionStorage): number {
  const { epoch, heard, heardSeq } = storage.lease();
  return storage.head() > heardSeq ? (storage.lastAppend(epoch) ?? heard) : heard;
}

/**
 * Returns the reply to a new holder: the data of its lease, and as much of the session as fits in one reply.
 */
export function toLeaseGrant(
  { storage, clock, watchers }: LedgerScope,
  reader: ReaderCapabilities,
): LeaseGrant {
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
    ...readFoldPage(storage, reader),
    inbox: listUnreadMessages(storage),
    ...getWaitingLoad(storage),
    ...(watchers?.hasLiveReaders() && { live: true }),
    ...(blobs && { blobs }),
  };
}

/** Returns when a holder's identical append was stored, or `null` if it was not. */
export function findStoredAppend(
  { storage, now }: LedgerScope,
  { epoch, from, change }: { readonly epoch: number; readonly from: number; readonly change: AppendData },
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

/**
 * Updates the lease and the agenda after an append. Most appends leave the lease's row unchanged, since the
 * events show when the holder's last message arrived.
 */
export function settleLease(scope: LedgerScope, change: AppendData): void {
  const { storage, now } = scope;
  const { agenda, release: how } = change;
  if (how && storage.inbox.messages().length > 0) recordNotes(scope);
  const lease = storage.lease();
  const stamp = { heard: now(), heardSeq: storage.head() };
  const { turn } = lease;
  // A suspended turn with an unread message waits for a holder.
  const isCalled = how === 'suspended' && turn !== null && hasUsableMessage(storage, turn);
  if (agenda && !isCalled) addToAgenda(scope, agenda);
  if (how === 'ended') {
    endTurn(scope, { ...lease, ...stamp });
    return;
  }
  const next = { ...lease, ...countAppend(storage, change), ...stamp };
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
 * Ends the turn of the lease. In the same commit, its waits are removed, the session's retention restarts,
 * and the next waiting turn starts.
 */
function endTurn(scope: LedgerScope, lease: Lease): void {
  const { storage } = scope;
  const { alarms } = storage;
  const { turn } = lease;
  if (turn === null) return;
  storage.setLease({ ...lease, state: 'free', turn: null, due: null });
  for (const { kind, ref } of alarms.all()) if (kind === 'expiry') alarms.remove(kind, ref);
  restartRetention(scope);
  if (storage.inbox.messages().length > 0) {
    dropMessages(storage, turn);
    storage.inbox.queueSteered();
    startNext(scope);
  }
  scheduleAlarm(scope);
}
