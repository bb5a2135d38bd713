import type { Deferred, WaitingTurn } from '../src/journal/event-page.ts';
import type { WaitingKind, WaitingLoad } from '../src/journal/inbox-message.ts';
import type { NotStarted, ScheduledTurn, TurnStart } from '../src/journal/session-port.ts';
import { addToAgenda, rememberOutside } from './agenda.ts';
import { dueRefs, retain, scheduleAlarm, scheduleTurn } from './alarms.ts';
import { retainBlobs, retentionOf } from './blobs.ts';
import {
  bytesIn,
  isWaiting,
  type LedgerScope,
  NEVER,
  NO_EPOCH,
  type SessionStorage,
  type WaitingMessage,
} from './session-storage.ts';
import { NO_TAKE_OVERS } from './take-overs.ts';

/** As `MAX_WAITING` of the port, which whoever schedules counts with. */
export const MOST_WAITING: WaitingLoad = { turns: 100, bytes: 10_000_000 };

const NOTHING_WAITS: WaitingLoad = { turns: 0, bytes: 0 };

/** The turns that wait: in the order in which they start, and then those that wait for their time. */
export const waitingTurns = (storage: SessionStorage): WaitingTurn[] =>
  storage.inbox
    .messages()
    .filter(isWaiting)
    .sort((a, b) => Number(isNext(b)) - Number(isNext(a)))
    .map(({ turn, kind }) => ({ turn, status: STATUSES[kind] }));

/** Answers how much waits, for whoever may schedule more; nothing when nothing does. */
export function loadOf(storage: SessionStorage): { readonly waiting?: WaitingLoad } {
  const messages = storage.inbox.messages().filter(isWaiting);
  if (messages.length === 0) return {};
  const bytes = messages.reduce((sum, one) => sum + one.bytes, 0);
  return { waiting: { turns: messages.length, bytes } };
}

/** It starts when those before it have ended; a message for the open turn does if that takes it in no more. */
const isNext = ({ kind }: Pick<WaitingMessage, 'kind'>): boolean => kind !== 'scheduled';

const STATUSES: Readonly<Record<WaitingKind, WaitingTurn['status']>> = {
  message: 'queued',
  steer: 'steering',
  scheduled: 'scheduled',
};

/** Answers how this turn waits; `null` when it does not. */
export function waitsAs(storage: SessionStorage, turn: string): Deferred | null {
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

/** Answers what became of a turn, or of another one under its key, that was stored before; `null` when it is new. */
export function whatBecameOf(
  { storage, now }: LedgerScope,
  { turn, request }: TurnStart,
): Deferred | NotStarted | null {
  const { requests } = storage;
  if (request !== undefined) requests.forget(now());
  const taken = request === undefined ? null : requests.find(request.key);
  if (taken !== null && taken.bodyHash !== request?.bodyHash) return { status: 'key-reused' };
  const stored = taken?.turn ?? turn;
  const waits = waitsAs(storage, stored);
  if (waits !== null) return waits;
  const into = steeredInto(storage, stored);
  if (into !== null) return { status: 'known', turn: stored, into };
  const isStored = taken !== null || storage.turnStart(stored) !== null;
  return isStored ? { status: 'known', turn: stored } : null;
}

/** Under which key the turn is known again, and for how long the session and its blobs are kept. The caller schedules the alarm. */
export function rememberRequest(scope: LedgerScope, start: TurnStart, seq: number): void {
  const { turn, request, blobRetainMs, keepsOutside = [], agenda } = start;
  if (request !== undefined) {
    const { key, bodyHash, ttl } = request;
    scope.storage.requests.add({ key, bodyHash, turn, seq, expires: scope.now() + ttl });
  }
  retain(scope, start);
  if (blobRetainMs !== undefined && !retentionOf(scope.storage)) retainBlobs(scope, blobRetainMs);
  for (const owner of keepsOutside) rememberOutside(scope, owner);
  if (agenda) addToAgenda(scope, agenda);
}

/**
 * Tells as what a turn waits that is for later; `null` when it is to start now, or is refused as one that is not for
 * later would be.
 */
export function waitingKindOf(
  { storage }: LedgerScope,
  { whenBusy, delayMs }: TurnStart,
): WaitingKind | null {
  if (delayMs !== undefined) return 'scheduled';
  const { turn, state } = storage.lease();
  if (turn === null || whenBusy === undefined) return null;
  if (whenBusy === 'queue' || (whenBusy !== 'steer' && whenBusy.steer !== turn)) return 'message';
  // "Stop, that is wrong" would reach the model only when what it is about was approved, and done.
  return state === 'suspended' ? null : 'steer';
}

/** Why a turn can neither start now nor wait; `null` when it can. All that wait count alike, whoever sent them and for whatever time. */
export function whyRefused(
  scope: LedgerScope,
  { started }: TurnStart,
  waits: WaitingKind | null,
): NotStarted | null {
  const { storage } = scope;
  if (waits !== null) {
    const { turns, bytes } = loadOf(storage).waiting ?? NOTHING_WAITS;
    const isFull = turns >= MOST_WAITING.turns || bytes + bytesIn(started.body) > MOST_WAITING.bytes;
    return isFull ? { status: 'full', most: MOST_WAITING.turns } : null;
  }
  const { turn, state } = storage.lease();
  if (turn === null) return null;
  if (state === 'suspended') return { status: 'suspended', turn };
  const { clock, now } = scope;
  if (clock.isLive) return { status: 'busy', turn, retryAfter: clock.deadline - now() };
  scheduleTurn(scope, { ...storage.lease(), due: now() });
  return { status: 'busy', turn, retryAfter: SOON_MS };
}

/** What a caller is told to wait when nobody holds the turn in its way. */
const SOON_MS = 1_000;

/** Stores a turn that is for later. */
export function defer(
  scope: LedgerScope,
  { turn, started, delayMs }: TurnStart,
  kind: WaitingKind,
): Deferred | null {
  const { storage, clock, now } = scope;
  storage.inbox.add(kind, turn, started.body);
  if (delayMs !== undefined) storage.alarms.add({ kind: 'start', ref: turn, due: now() + delayMs });
  const lease = storage.lease();
  // Somebody waits for the open turn now.
  if (lease.turn !== null && lease.state !== 'suspended' && !clock.isLive)
    scheduleTurn(scope, { ...lease, due: now() });
  else scheduleAlarm(scope);
  return waitsAs(storage, turn);
}

/**
 * Stores the turns that calls of this session have scheduled, though too many may wait by now: their holder has counted with what it
 * was told last, and one turn schedules only so many.
 */
export function deferScheduled({ storage, now }: LedgerScope, scheduled: readonly ScheduledTurn[]): void {
  for (const { started, after } of scheduled) {
    storage.inbox.add('scheduled', started.turn, started.body);
    storage.alarms.add({ kind: 'start', ref: started.turn, due: now() + after });
  }
}

/** Its holder has taken these messages into the open turn. Of a steered one it is stored where it went, for requests that name it again. */
export function takeIn({ storage }: LedgerScope, read: readonly number[]): void {
  const { inbox, requests } = storage;
  const into = storage.lease().turn;
  for (const { id, kind, turn } of inbox.messages()) {
    if (into === null || kind !== 'steer' || !read.includes(id)) continue;
    requests.add({ key: `${STEERED}${turn}`, bodyHash: '', turn: into, seq: storage.head(), expires: NEVER });
  }
  inbox.remove(read);
}

/** Forgets, after a while, where messages were steered that stood before the event `first`, with which the conversation now begins. */
export const forgetSteered = ({ storage, now }: LedgerScope, first: number): void =>
  storage.requests.expire(first, now() + LONGEST_KNOWN);

/** No request is known for longer by its key, in ms: as long as it is, it leads to a turn. */
const LONGEST_KNOWN = 7 * 24 * 60 * 60_000;

/** Returns the turn that has taken in the message with the id of this one; `null` when none has, or that is forgotten. */
export const steeredInto = ({ requests }: SessionStorage, turn: string): string | null =>
  requests.find(`${STEERED}${turn}`)?.turn ?? null;

/** Keys of steered messages begin so; the id of the message's turn follows. */
const STEERED = 'steered ';

/** The scheduled turns whose time has come get in line behind those that wait already. */
export function queueDue(scope: LedgerScope): void {
  const { storage } = scope;
  const { inbox, alarms } = storage;
  for (const turn of dueRefs(scope, 'start')) {
    alarms.remove('start', turn);
    const message = storage.inbox
      .messages()
      .filter(isWaiting)
      .find((one) => one.turn === turn);
    if (message) inbox.add('message', turn, inbox.take(message.id));
  }
}

/** Starts the first of the turns that wait, when none is open: it is answered, and gets a holder. */
export function startNext(scope: LedgerScope): void {
  const { storage, now } = scope;
  const next = storage.inbox.messages().filter(isWaiting).find(isNext);
  if (storage.lease().turn !== null || !next) return;
  const { turn } = next;
  const started = { type: 'turn-started', turn, body: storage.inbox.take(next.id) };
  storage.addEvents([started], { epoch: NO_EPOCH, at: now() });
  awaitHolder(scope, turn);
}

/** The turn that was just stored is the open one, and nobody's yet. */
export function awaitHolder(scope: LedgerScope, turn: string): void {
  const { storage, now } = scope;
  scheduleTurn(scope, { ...storage.lease(), turn, state: 'free', due: now(), ...NO_TAKE_OVERS });
}
