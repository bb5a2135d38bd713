import type { EventPage, FoldStart, Notice, OpenTurn, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { Change, Leased, Reader } from '../src/journal/session-port.ts';
import { retainAnew, scheduleAlarm, scheduleTurn } from './alarms.ts';
import { oweAnnouncements } from './announcements.ts';
import { dropMessages, isCalledFor, newestUnread, unreadMessages } from './inbox.ts';
import type { Lease, LeaseTimes, LedgerScope, SessionStorage } from './session-storage.ts';
import { countSilent, pauseWhenYielded, type TakeOvers } from './take-overs.ts';
import { loadOf, startNext, waitingTurns, waitsAs } from './waiting-turns.ts';

interface LeaseOptions {
  readonly leaseMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How a lease came to be given. */
type Cause = Pick<Lease, 'cause' | 'expiredFor'> & Partial<TakeOvers>;

/**
 * Who holds a session, and until when: for a term after the holder was last heard. That is stored before the holder is
 * answered, so an object that starts grants what is left of the term. A holder gives itself up after three quarters of a term:
 * the last quarter is for the clocks of two machines, which need not agree.
 */
export class LeaseClock implements LeaseTimes {
  readonly #storage: SessionStorage;
  readonly #options: LeaseOptions;
  /** In ms since the epoch. */
  #heard: number;

  constructor(storage: SessionStorage, options: LeaseOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#heard = lastHeard(storage, options.now());
  }

  get ms(): number {
    return this.#options.leaseMs;
  }

  get deadline(): number {
    return this.#heard + this.#options.leaseMs;
  }

  get isLive(): boolean {
    return this.#storage.lease().state === 'held' && this.deadline > this.#options.now();
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
    const lease = this.#storage.lease();
    this.extend();
    this.#storage.setLease({
      ...lease,
      ...cause,
      ...{ turn, nonce, epoch: lease.epoch + 1, state: 'held', heard: this.#heard, taken: this.#heard },
    });
    scheduleTurn({ storage: this.#storage, now: this.#options.now }, turn, this.deadline);
  }

  /** Begins the term anew, of a holder of which something was stored with the time at which it came. */
  extend(): void {
    this.#heard = this.#options.now();
  }

  /** The holder was heard, and nothing of what it said is stored: its term begins anew, which is. */
  heard(): void {
    this.extend();
    const heard = this.#heard;
    this.#storage.transaction(() => this.#storage.setLease({ ...this.#storage.lease(), heard }));
  }

  /** How the next lease of the open turn comes to be given; one of which nothing is journaled yet is only now started. */
  nextCause(turn: string): Cause {
    const { state, taken } = this.#storage.lease();
    if (state === 'held') {
      const counts = countSilent(this.#storage, { lived: this.#heard - taken, term: this.ms });
      return { cause: 'expired', expiredFor: this.#options.now() - this.deadline, ...counts };
    }
    const isNew = this.#storage.turnStart(turn) === this.#storage.head();
    return { cause: isNew ? 'started' : 'handed-over', expiredFor: 0 };
  }
}

/**
 * When the holder was last heard, by what is stored: its lease, or an event that it appended since. A clock that is behind that of
 * the machine before grants a term from now. So does a lease of a version that did not store it, until the next alarm does.
 */
function lastHeard(storage: SessionStorage, now: number): number {
  const { epoch, heard } = storage.lease();
  return heard === null ? now : Math.min(now, Math.max(heard, storage.lastAppend(epoch) ?? heard));
}

/**
 * Answers what whoever was just given the lease is told: who came before, and the session as far as one answer may hold
 * it.
 */
export function leasedAnswer({ storage, clock }: LedgerScope, reader: Reader): Leased {
  const { epoch, cause, expired, expiredFor, strikes } = storage.lease();
  const { snapshot, covered, ...range } = foldRange(storage, reader);
  const fileBytes = storage.files.bytes();
  return {
    status: 'leased',
    epoch,
    leaseMs: clock.ms,
    cause,
    expirations: expired,
    strikes,
    expiredFor,
    name: storage.name,
    snapshot,
    covered,
    page: pageAfter(covered, storage, {
      ...range,
      maxBytes: reader.maxBytes,
      limit: Number.MAX_SAFE_INTEGER,
    }),
    inbox: unreadMessages(storage),
    ...loadOf(storage),
    ...(fileBytes > 0 && { fileBytes }),
  };
}

type PageQuery = ReadQuery & { readonly maxBytes: number; readonly limit: number };

/** Fills a page behind texts of messages. When more of these follow, it has no event: the next page goes on with them. */
export function pageAfter(covered: readonly string[], storage: SessionStorage, query: PageQuery): EventPage {
  const { from, types } = query;
  const isCut = covered.length > 0 && types !== undefined && from <= types.until;
  if (!isCut) return pageOfEvents(storage, query);
  return { ...pageOfEvents(storage, { ...query, from: storage.head() + 1 }), next: from };
}

/** Fills a page up to its bytes and its rows, with at least one event if there is one; `next` is the first left out. */
function pageOfEvents(storage: SessionStorage, query: PageQuery): EventPage {
  const rows: Row[] = [];
  let bytes = 0;
  let next: number | null = null;
  const { turn, types } = query;
  const from = turn === undefined ? query.from : Math.max(query.from, storage.turnStart(turn) ?? 1);
  const limit = Math.max(query.limit, 1);
  for (const row of storage.events({ from, turn, types, limit: limit + 1 })) {
    bytes += row.bytes;
    if (rows.length === limit || (rows.length > 0 && bytes > query.maxBytes)) {
      next = row.seq;
      break;
    }
    rows.push({ seq: row.seq, at: row.at, type: row.type, turn: row.turn, body: row.body });
  }
  const openTurn = openTurnOf(storage.lease());
  const waits = turn === undefined ? null : waitsAs(storage, turn);
  const told = { head: storage.head(), ...incarnationOf(storage) };
  const page = { rows, next, ...told, openTurn, waiting: waitingTurns(storage) };
  return waits === null ? page : { ...page, waits };
}

/** The event that opens a session says it. What is none was stored by somebody else, and says nothing. */
function incarnationOf(storage: SessionStorage): Pick<EventPage, 'incarnation'> {
  try {
    const { incarnation }: { incarnation?: unknown } = Object(JSON.parse(storage.opening() ?? 'null'));
    return typeof incarnation === 'string' ? { incarnation } : {};
  } catch {
    return {};
  }
}

/** The turn that is unfinished, by its lease. */
export const openTurnOf = ({ turn, state }: Lease): OpenTurn | null =>
  turn === null ? null : { id: turn, state: state === 'suspended' ? 'waiting' : 'running' };

/** What watchers are told of a session now. */
export function noticeOf(storage: SessionStorage): Notice {
  const unread = newestUnread(storage);
  return {
    head: storage.head(),
    openTurn: openTurnOf(storage.lease()),
    waiting: waitingTurns(storage),
    ...(unread !== undefined && { unread }),
  };
}

/** Whether watchers are to be told of what became of a session: there are more events, other turns wait, or there is more to read. */
export const isNews = (before: Notice, { head, waiting, unread = 0 }: Notice): boolean =>
  head > before.head || waiting.length !== before.waiting.length || unread > (before.unread ?? 0);

/** Gives the lease of the open turn back. A suspended turn that has an unread message is one that waits for a holder. */
export function release(
  scope: LedgerScope,
  lease: Lease,
  { release: how, resumeAfter = 0, announce }: Pick<Change, 'release' | 'resumeAfter' | 'announce'>,
): void {
  const { storage, now } = scope;
  const { turn } = lease;
  if (turn === null || how === undefined) return;
  const isAwaited = how === 'yielded' || (how === 'suspended' && isCalledFor(storage, turn));
  if (isAwaited) {
    storage.setLease({ ...lease, state: 'free' });
    scheduleTurn(scope, turn, now() + pauseWhenYielded(lease, resumeAfter));
    return;
  }
  storage.alarms.remove('turn', turn);
  oweAnnouncements(scope, announce);
  if (how === 'suspended') storage.setLease({ ...lease, state: 'suspended' });
  else endTurn(scope, lease, turn);
  scheduleAlarm(scope);
}

/** The turn is over: the next of those that wait is started in the same commit. */
function endTurn(scope: LedgerScope, lease: Lease, turn: string): void {
  const { storage } = scope;
  storage.setLease({ ...lease, state: 'free', turn: null });
  dropMessages(storage, turn);
  storage.inbox.queueSteered();
  retainAnew(scope);
  startNext(scope);
}

/** What a session is folded from, and which events come after it. */
interface FoldRange extends FoldStart, Pick<ReadQuery, 'from' | 'types'> {}

/** Goes on with the texts of an answer before, which did not hold all of them; answers none where these are not asked for. */
export function furtherTexts(
  storage: SessionStorage,
  { from, types }: Pick<ReadQuery, 'from' | 'types'>,
  maxBytes: number,
): Omit<FoldRange, 'snapshot'> {
  const none = { covered: [], from, types };
  if (types?.textsFrom === undefined || from > types.until) return none;
  const { names, until, textsFrom } = types;
  const { texts, until: last } = storage.bodies({ names, from: textsFrom, after: from - 1, until, maxBytes });
  return last < from ? none : { covered: texts, from: last + 1, types };
}

/** Answers what a session is folded from, as far as the reader can use it and one answer may hold it. */
export function foldRange(storage: SessionStorage, { reducer, messageTypes, maxBytes }: Reader): FoldRange {
  const snapshot = storage.snapshot(reducer);
  if (snapshot === null) return { snapshot, covered: [], from: 1 };
  const { seq: until, messagesFrom: first = 1 } = snapshot;
  const names = messageTypes;
  const covered = storage.bodies({ names, from: first, until, maxBytes });
  return { snapshot, covered: covered.texts, from: covered.until + 1, types: { names, until } };
}
