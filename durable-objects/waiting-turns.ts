import type { DeferredTurn, WaitingTurn } from '../src/journal/event-page.ts';
import type { WaitingKind, WaitingLoad } from '../src/journal/inbox-message.ts';
import type { ScheduledTurn, StartRefusal, TurnStart } from '../src/journal/session-port.ts';
import { addOutsideLane, addToAgenda } from './agenda.ts';
import { listDueRefs, scheduleAlarm, scheduleTurn, setRetention } from './alarms.ts';
import { findBlobRetention, scheduleBlobExpiry } from './blobs.ts';
import {
  countBytes,
  isWaiting,
  type LedgerScope,
  NEVER,
  NO_EPOCH,
  type SessionStorage,
  type WaitingMessage,
} from './session-storage.ts';
import { NO_TAKE_OVERS } from './take-overs.ts';

/** Equal to `MAX_WAITING_TURNS` of the port, which holders use when they schedule turns. */
export const MAX_WAITING_TURNS: WaitingLoad = { turns: 100, bytes: 10_000_000 };

const NO_WAITING_LOAD: WaitingLoad = { turns: 0, bytes: 0 };

/** Returns the waiting turns: queued ones in the order in which they start, followed by scheduled ones. */
export const listWaitingTurns = (storage: SessionStorage): WaitingTurn[] =>
  storage.inbox
    .messages()
    .filter(isWaiting)
    .sort((a, b) => Number(isQueued(b)) - Number(isQueued(a)))
    .map(({ turn, kind }) => ({ turn, status: STATUS_BY_KIND[kind] }));

/**
 * Returns the waiting load, for a holder that can schedule more turns. Returns an empty object if no turn
 * waits.
 */
export function getWaitingLoad(storage: SessionStorage): { readonly waiting?: WaitingLoad } {
  const messages = storage.inbox.messages().filter(isWaiting);
  if (messages.length === 0) return {};
  const bytes = messages.reduce((sum, one) => sum + one.bytes, 0);
  return { waiting: { turns: messages.length, bytes } };
}

/**
 * Returns whether the turn is in the queue. A steering message is, in case the open turn does not read it.
 */
const isQueued = ({ kind }: Pick<WaitingMessage, 'kind'>): boolean => kind !== 'scheduled';

const STATUS_BY_KIND: Readonly<Record<WaitingKind, WaitingTurn['status']>> = {
  message: 'queued',
  steer: 'steering',
  scheduled: 'scheduled',
};

/** Returns how this turn waits, or `null` if it does not. */
export function findWaitStatus(storage: SessionStorage, turn: string): DeferredTurn | null {
  switch (
    storage.inbox
      .messages()
      .filter(isWaiting)
      .find((one) => one.turn === turn)?.kind
  ) {
    case undefined:
      return null;
    case 'message':
      return { status: 'queued', turn };
    case 'steer':
      return { status: 'steering', turn, into: storage.lease().turn ?? turn };
    case 'scheduled': {
      const alarm = storage.alarms.all().find(({ kind, ref }) => kind === 'start' && ref === turn);
      return { status: 'scheduled', turn, at: alarm?.due ?? 0 };
    }
  }
}

/**
 * Returns the state of a turn that is already stored, by its id or by the key of its request. Returns `null`
 * if it is new.
 */
export function findStoredTurn(
  { storage, now }: LedgerScope,
  { turn, request }: TurnStart,
): DeferredTurn | StartRefusal | null {
  const { requests } = storage;
  if (request !== undefined) requests.forget(now());
  const taken = request === undefined ? null : requests.find(request.key);
  if (taken !== null && taken.bodyHash !== request?.bodyHash) return { status: 'key-reused' };
  const stored = taken?.turn ?? turn;
  const waits = findWaitStatus(storage, stored);
  if (waits !== null) return waits;
  const into = findSteeredTurn(storage, stored);
  if (into !== null) return { status: 'known', turn: stored, into };
  const isStored = taken !== null || storage.turnStart(stored) !== null;
  return isStored ? { status: 'known', turn: stored } : null;
}

/**
 * Stores the key of a turn's request, and the retention of the session and its blobs. The caller must
 * schedule the alarm.
 */
export function rememberRequest(scope: LedgerScope, start: TurnStart, seq: number): void {
  const { turn, request, blobRetainMs, keepsOutside = [], agenda } = start;
  if (request !== undefined) {
    const { key, bodyHash, ttl } = request;
    scope.storage.requests.add({ key, bodyHash, turn, seq, expires: scope.now() + ttl });
  }
  setRetention(scope, start);
  if (blobRetainMs !== undefined && !findBlobRetention(scope.storage))
    scheduleBlobExpiry(scope, blobRetainMs);
  for (const owner of keepsOutside) addOutsideLane(scope, owner);
  if (agenda) addToAgenda(scope, agenda);
}

/** Returns how a turn must wait, or `null` if it starts now, or is refused because it cannot wait. */
export function findWaitingKind(
  { storage }: LedgerScope,
  { whenBusy, delayMs }: TurnStart,
): WaitingKind | null {
  if (delayMs !== undefined) return 'scheduled';
  const { turn, state } = storage.lease();
  if (turn === null || whenBusy === undefined) return null;
  if (whenBusy === 'queue' || (whenBusy !== 'steer' && whenBusy.steer !== turn)) return 'message';
  // A steering message such as "Stop, that is wrong" would reach the model only after the call it is about
  // was approved and ran.
  return state === 'suspended' ? null : 'steer';
}

/**
 * Returns why a turn can neither start now nor wait, or `null` if it can. All waiting turns count,
 * regardless of their sender.
 */
export function findStartProblem(
  scope: LedgerScope,
  { started }: TurnStart,
  waits: WaitingKind | null,
): StartRefusal | null {
  const { storage } = scope;
  if (waits !== null) {
    const { turns, bytes } = getWaitingLoad(storage).waiting ?? NO_WAITING_LOAD;
    const isFull =
      turns >= MAX_WAITING_TURNS.turns || bytes + countBytes(started.body) > MAX_WAITING_TURNS.bytes;
    return isFull ? { status: 'full', most: MAX_WAITING_TURNS.turns } : null;
  }
  const { turn, state } = storage.lease();
  if (turn === null) return null;
  if (state === 'suspended') return { status: 'suspended', turn };
  const { clock, now } = scope;
  if (clock.isLive) return { status: 'busy', turn, retryAfter: clock.deadline - now() };
  scheduleTurn(scope, { ...storage.lease(), due: now() });
  return { status: 'busy', turn, retryAfter: RETRY_AFTER_MS };
}

/** The retry time for a caller if the blocking turn has no live holder. */
const RETRY_AFTER_MS = 1_000;

/** Stores a turn that starts later. */
export function deferTurn(
  scope: LedgerScope,
  { turn, started, delayMs }: TurnStart,
  kind: WaitingKind,
): DeferredTurn | null {
  const { storage, clock, now } = scope;
  storage.inbox.add(kind, turn, started.body);
  if (delayMs !== undefined) storage.alarms.add({ kind: 'start', ref: turn, due: now() + delayMs });
  const lease = storage.lease();
  // Another turn now waits for the open turn to end.
  if (lease.turn !== null && lease.state !== 'suspended' && !clock.isLive)
    scheduleTurn(scope, { ...lease, due: now() });
  else scheduleAlarm(scope);
  return findWaitStatus(storage, turn);
}

/**
 * Stores the turns that calls of this session scheduled, even if that exceeds the limit. The holder checked
 * the limit against the last reported load, and the number per turn is limited.
 */
export function deferScheduled({ storage, now }: LedgerScope, scheduled: readonly ScheduledTurn[]): void {
  for (const { started, after } of scheduled) {
    storage.inbox.add('scheduled', started.turn, started.body);
    storage.alarms.add({ kind: 'start', ref: started.turn, due: now() + after });
  }
}

/**
 * Removes messages that the holder has journaled. For a steered message, records the turn that includes it,
 * so that a repeated request finds it.
 */
export function removeJournaled({ storage }: LedgerScope, read: readonly number[]): void {
  const { inbox, requests } = storage;
  const into = storage.lease().turn;
  for (const { id, kind, turn } of inbox.messages()) {
    if (into === null || kind !== 'steer' || !read.includes(id)) continue;
    requests.add({
      key: `${STEERED_PREFIX}${turn}`,
      bodyHash: '',
      turn: into,
      seq: storage.head(),
      expires: NEVER,
    });
  }
  inbox.remove(read);
}

/**
 * Sets an expiry for the records of steered messages before the event `first`, where the conversation now
 * begins.
 */
export const forgetSteered = ({ storage, now }: LedgerScope, first: number): void =>
  storage.requests.expire(first, now() + MAX_KNOWN_MS);

/**
 * The maximum time for which a request is known by its key, in ms. Within that time, it must lead to a turn.
 */
const MAX_KNOWN_MS = 7 * 24 * 60 * 60_000;

/**
 * Returns the turn that includes the message of this turn id, or `null` if there is none or its record has
 * expired.
 */
export const findSteeredTurn = ({ requests }: SessionStorage, turn: string): string | null =>
  requests.find(`${STEERED_PREFIX}${turn}`)?.turn ?? null;

/** The prefix of the keys of steered messages. The id of the message's turn follows. */
const STEERED_PREFIX = 'steered ';

/** Queues the due scheduled turns behind those that already wait. */
export function queueDueTurns(scope: LedgerScope): void {
  const { storage } = scope;
  const { inbox, alarms } = storage;
  for (const turn of listDueRefs(scope, 'start')) {
    alarms.remove('start', turn);
    const message = storage.inbox
      .messages()
      .filter(isWaiting)
      .find((one) => one.turn === turn);
    if (message) inbox.add('message', turn, inbox.take(message.id));
  }
}

/** Starts the first queued turn if none is open. The turn then waits for a holder. */
export function startNext(scope: LedgerScope): void {
  const { storage, now } = scope;
  const next = storage.inbox.messages().filter(isWaiting).find(isQueued);
  if (storage.lease().turn !== null || !next) return;
  const { turn } = next;
  const started = { type: 'turn-started', turn, body: storage.inbox.take(next.id) };
  storage.addEvents([started], { epoch: NO_EPOCH, at: now() });
  openWithoutHolder(scope, turn);
}

/** Opens the turn that was just stored, without a holder. */
export function openWithoutHolder(scope: LedgerScope, turn: string): void {
  const { storage, now } = scope;
  scheduleTurn(scope, { ...storage.lease(), turn, state: 'free', due: now(), ...NO_TAKE_OVERS });
}
