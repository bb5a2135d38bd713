import type { InboxMessage, PostedMessage, PostOutcome, WaitAnswer } from '../src/journal/inbox-message.ts';
import { listDueRefs, scheduleAlarm } from './alarms.ts';
import { keepBlobs } from './blobs.ts';
import {
  isWaiting,
  type LedgerScope,
  NO_EPOCH,
  type SessionStorage,
  type StoredMessage,
} from './session-storage.ts';
import { findWaitStatus } from './waiting-turns.ts';

/**
 * Returns the unread messages for the holder of the open turn, except those that it already `holds`. Returns
 * as many as fit in one reply. The others follow once the holder has read these or holds them.
 */
export function listUnreadMessages(storage: SessionStorage, holds: readonly number[] = []): InboxMessage[] {
  const { turn: open } = storage.lease();
  if (open === null || storage.inbox.messages().length === 0) return [];
  const told: InboxMessage[] = [];
  let size = 0;
  for (const { id, kind, turn } of listUnreadOfTurn(open, storage.inbox.messages()).toSorted(compareByRank)) {
    if (holds.includes(id)) continue;
    const body = storage.inbox.body(id);
    size += body.length;
    if (told.length > 0 && size > MAX_REPLY_CHARACTERS) break;
    told.push({ id, kind, turn, body });
  }
  return told.toSorted((a, b) => a.id - b.id);
}

/** A message for the holder of a turn. */
interface UnreadMessage extends StoredMessage {
  readonly kind: InboxMessage['kind'];
}

/**
 * Returns the unread messages for the holder of this turn: those for the turn itself, late results, and
 * messages for the model.
 */
const listUnreadOfTurn = (turn: string, messages: readonly StoredMessage[]): UnreadMessage[] =>
  messages
    .filter(isUnread)
    .filter((message) => message.kind === 'steer' || message.kind === 'late' || message.turn === turn);

const isUnread = (message: StoredMessage): message is UnreadMessage =>
  message.kind !== 'message' && message.kind !== 'scheduled' && message.kind !== 'note';

/** Returns the newest message that the holder of the open turn has not read, or `undefined`. */
export function findNewestUnread(
  storage: SessionStorage,
  messages = storage.inbox.messages(),
): number | undefined {
  const { turn } = storage.lease();
  return turn === null ? undefined : listUnreadOfTurn(turn, messages).at(-1)?.id;
}

/**
 * Returns whether to notify watchers about the messages: whether other turns wait, or there are more messages
 * to read.
 */
export function hasNews(storage: SessionStorage, before: readonly StoredMessage[]): boolean {
  const messages = storage.inbox.messages();
  if (messages === before) return false;
  const { length } = before.filter(isWaiting);
  return (
    messages.filter(isWaiting).length !== length ||
    (findNewestUnread(storage) ?? 0) > (findNewestUnread(storage, before) ?? 0)
  );
}

/**
 * The maximum characters of messages in one reply. A character has at most two bytes, and an RPC message can
 * be 32 MiB.
 */
const MAX_REPLY_CHARACTERS = 4 * 1024 * 1024;

const compareByRank = (a: UnreadMessage, b: UnreadMessage): number => getRank(a) - getRank(b);

/** Returns the rank of a message. Messages of kinds that only newer code knows come last. */
const getRank = ({ kind }: UnreadMessage): number => (isKnownKind(kind) ? RANKS[kind] : UNKNOWN_RANK);

const isKnownKind = (kind: string): boolean => Object.hasOwn(RANKS, kind);

/** The order of messages if not all fit. A message that can become its own turn must not delay the others. */
const RANKS: Readonly<Record<InboxMessage['kind'], number>> = {
  cancel: 0,
  expired: 0,
  answer: 1,
  late: 2,
  steer: 3,
};

const UNKNOWN_RANK = 4;

/** Returns the reason why a message is refused, or `null` if it belongs in the inbox. Does not store it. */
export function findPostProblem(
  storage: SessionStorage,
  { kind, turn, answers }: PostedMessage,
): Exclude<PostOutcome, 'posted'> | null {
  const closed = answers && findClosedWaitProblem(storage, answers);
  return closed ?? (canReceive(storage, kind, turn) ? null : 'no-such-turn');
}

/** Adds a message to the inbox, unless it answers a wait whose expiry was not processed yet. */
export function postOrExpire(scope: LedgerScope, message: PostedMessage): 'posted' | 'expired' {
  const { turn, answers } = message;
  if (answers !== undefined) {
    if (listDueRefs(scope, 'expiry').includes(answers.wait)) {
      expireWait(scope, answers.wait);
      return 'expired';
    }
    closeWait(scope, turn, answers);
  }
  if (message.blobs) keepBlobs(scope, message.blobs);
  addMessage(scope, message);
  return 'posted';
}

/** Closes an expired wait, so that it no longer accepts an answer, and posts the expiry to the holder. */
export function expireWait(scope: LedgerScope, wait: string): void {
  const { turn } = scope.storage.lease();
  if (turn === null) {
    scope.storage.alarms.remove('expiry', wait);
    return;
  }
  closeWait(scope, turn, { wait, bodyHash: EXPIRED_HASH });
  addMessage(scope, { kind: 'expired', turn, body: wait });
}

/** Returns the unread messages for this turn only. */
const listOwnMessages = (storage: SessionStorage, turn: string): UnreadMessage[] =>
  listUnreadOfTurn(turn, storage.inbox.messages()).filter(
    (message) => message.turn === turn && message.kind !== 'late',
  );

/** Returns whether this turn has an unread message that a holder of this version can use. */
export const hasUsableMessage = (storage: SessionStorage, turn: string): boolean =>
  listOwnMessages(storage, turn).some(({ kind }) => isKnownKind(kind));

/** Returns whether a cancel of this turn is unread by its holder. */
export const isCancelled = (storage: SessionStorage, turn: string): boolean =>
  listOwnMessages(storage, turn).some(({ kind }) => kind === 'cancel');

/** Drops unread messages for an ended turn. Late results stay for the next holder. */
export const dropMessages = (storage: SessionStorage, turn: string): void =>
  storage.inbox.remove(listOwnMessages(storage, turn).map(({ id }) => id));

/**
 * Returns whether a turn can receive a message of this kind. A waiting turn can receive only a cancel, but
 * not if its message steers another turn. Late results and notes can belong to any turn.
 */
function canReceive(storage: SessionStorage, kind: PostedMessage['kind'], turn: string): boolean {
  if (kind === 'late' || kind === 'note') return storage.turnStart(turn) !== null;
  if (storage.lease().turn === turn) return true;
  const waits = kind === 'cancel' ? findWaitStatus(storage, turn) : null;
  return waits !== null && waits.status !== 'steering';
}

/**
 * Adds a message to the inbox, unless an equal one is there unread. A suspended turn that gets a message
 * waits for a holder again.
 */
function addMessage(scope: LedgerScope, { kind, turn, body }: PostedMessage): void {
  const { storage, clock } = scope;
  const { inbox } = storage;
  const isLeft = inbox
    .messages()
    .some((message) => message.kind === kind && message.turn === turn && inbox.body(message.id) === body);
  if (!isLeft) inbox.add(kind, turn, body);
  const lease = storage.lease();
  if (kind === 'note' && lease.state !== 'held') recordNotes(scope);
  if (kind === 'late' || kind === 'note') return; // These are for the next lease holder, or for the journal.
  if (lease.turn !== turn) {
    queueCancelledTurn(scope, turn);
    return;
  }
  const state = lease.state === 'suspended' ? 'free' : lease.state;
  if (!clock.isLive) storage.setLease({ ...lease, state, due: scope.now() });
  scheduleAlarm(scope);
}

/**
 * Journals the waiting notes. Call it only while the session has no lease holder, since a holder would not
 * know these events.
 */
export function recordNotes({ storage, now }: Pick<LedgerScope, 'storage' | 'now'>): void {
  const { inbox } = storage;
  const notes = inbox.messages().filter(({ kind }) => kind === 'note');
  const events = notes.map(({ id, turn }) => ({ type: 'module-event', turn, body: inbox.body(id) }));
  storage.addEvents(events, { epoch: NO_EPOCH, at: now() });
  inbox.remove(notes.map(({ id }) => id));
}

/** Queues a cancelled scheduled turn at once, since it only has to end. */
function queueCancelledTurn(scope: LedgerScope, turn: string): void {
  const { storage, now } = scope;
  if (findWaitStatus(storage, turn)?.status === 'scheduled') {
    storage.alarms.add({ kind: 'start', ref: turn, due: now() });
  }
  scheduleAlarm(scope);
}

/** Returns why a wait no longer accepts an answer, or `null` if it does. */
function findClosedWaitProblem(
  { requests }: SessionStorage,
  { wait, bodyHash }: WaitAnswer,
): Extract<PostOutcome, 'expired' | 'known' | 'answered'> | null {
  const taken = requests.find(toAnswerKey(wait));
  if (taken === null) return null;
  if (taken.bodyHash === EXPIRED_HASH) return 'expired';
  return taken.bodyHash === bodyHash ? 'known' : 'answered';
}

/** Records the only answer of a wait, or its expiry. */
function closeWait({ storage, now }: LedgerScope, turn: string, { wait, bodyHash }: WaitAnswer): void {
  storage.requests.forget(now());
  storage.requests.add({ key: toAnswerKey(wait), bodyHash, turn, seq: 0, expires: now() + ANSWER_TTL_MS });
  storage.alarms.remove('expiry', wait);
}

const toAnswerKey = (wait: string): string => `answer ${wait}`;

/** Stored in place of an answer's hash if the wait expired. */
const EXPIRED_HASH = '';

/**
 * How long an answer is stored outside the journal, in ms, to recognize a repeat that arrives before the
 * first is journaled.
 */
const ANSWER_TTL_MS = 7 * 24 * 60 * 60_000;
