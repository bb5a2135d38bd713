import type { InboxMessage, Posted, PostedMessage, WaitAnswer } from '../src/journal/inbox-message.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import { keepBlobs } from './blobs.ts';
import {
  isWaiting,
  type LedgerScope,
  NO_EPOCH,
  type SessionStorage,
  type StoredMessage,
} from './session-storage.ts';
import { waitsAs } from './waiting-turns.ts';

/**
 * The unread messages for whoever holds the open turn, but for those that it `holds` already: as many as one answer may hold; the
 * others come when these were read, or are held.
 */
export function unreadMessages(storage: SessionStorage, holds: readonly number[] = []): InboxMessage[] {
  const { turn: open } = storage.lease();
  if (open === null || storage.inbox.messages().length === 0) return [];
  const told: InboxMessage[] = [];
  let size = 0;
  for (const { id, kind, turn } of unreadFor(open, storage.inbox.messages()).toSorted(byRank)) {
    if (holds.includes(id)) continue;
    const body = storage.inbox.body(id);
    size += body.length;
    if (told.length > 0 && size > MOST_AT_ONCE) break;
    told.push({ id, kind, turn, body });
  }
  return told.toSorted((a, b) => a.id - b.id);
}

/** A message for the holder of a turn. */
interface UnreadMessage extends StoredMessage {
  readonly kind: InboxMessage['kind'];
}

/** The unread messages for the holder of this turn: those for the turn itself, and all that are late or for the model. */
const unreadFor = (turn: string, messages: readonly StoredMessage[]): UnreadMessage[] =>
  messages
    .filter(isUnread)
    .filter((message) => message.kind === 'steer' || message.kind === 'late' || message.turn === turn);

const isUnread = (message: StoredMessage): message is UnreadMessage =>
  message.kind !== 'message' && message.kind !== 'scheduled' && message.kind !== 'note';

/** Returns the newest message that the holder of the open turn has not read, or `undefined`. */
export function newestUnread(
  storage: SessionStorage,
  messages = storage.inbox.messages(),
): number | undefined {
  const { turn } = storage.lease();
  return turn === null ? undefined : unreadFor(turn, messages).at(-1)?.id;
}

/** Whether watchers are to be told that the messages are others than before: other turns wait, or there is more to read. */
export function isNews(storage: SessionStorage, before: readonly StoredMessage[]): boolean {
  const messages = storage.inbox.messages();
  if (messages === before) return false;
  const { length } = before.filter(isWaiting);
  return (
    messages.filter(isWaiting).length !== length ||
    (newestUnread(storage) ?? 0) > (newestUnread(storage, before) ?? 0)
  );
}

/** Characters of messages in one answer: two bytes each at the most, and an RPC message weighs at most 32 MiB. */
const MOST_AT_ONCE = 4 * 1024 * 1024;

const byRank = (a: UnreadMessage, b: UnreadMessage): number => rankOf(a) - rankOf(b);

/** Messages of a kind that only a newer version of this code knows are told last. */
const rankOf = ({ kind }: UnreadMessage): number => (isKnownKind(kind) ? RANK[kind] : UNKNOWN_RANK);

const isKnownKind = (kind: string): boolean => Object.hasOwn(RANK, kind);

/** What is told first, if not all can be: what may be a turn of its own keeps nothing else from the holder. */
const RANK: Readonly<Record<InboxMessage['kind'], number>> = {
  cancel: 0,
  expired: 0,
  answer: 1,
  late: 2,
  steer: 3,
};

const UNKNOWN_RANK = 4;

/** Why a message is not taken; `null` when it is for the inbox. Stores nothing. */
export function whyNotPosted(
  storage: SessionStorage,
  { kind, turn, answers }: PostedMessage,
): Exclude<Posted, 'posted'> | null {
  const closed = answers && whyClosed(storage, answers);
  return closed ?? (isAddressee(storage, kind, turn) ? null : 'no-such-turn');
}

/** Leaves a message in the inbox, unless it answers a wait whose time is over, though nobody has looked yet. */
export function leaveOrExpire(scope: LedgerScope, message: PostedMessage): 'posted' | 'expired' {
  const { turn, answers } = message;
  if (answers !== undefined) {
    if (dueRefs(scope, 'expiry').includes(answers.wait)) {
      expireWait(scope, answers.wait);
      return 'expired';
    }
    closeWait(scope, turn, answers);
  }
  if (message.blobs) keepBlobs(scope, message.blobs);
  leaveMessage(scope, message);
  return 'posted';
}

/** Nobody answered in time: the holder is told, and no answer is taken any more. */
export function expireWait(scope: LedgerScope, wait: string): void {
  const { turn } = scope.storage.lease();
  if (turn === null) {
    scope.storage.alarms.remove('expiry', wait);
    return;
  }
  closeWait(scope, turn, { wait, bodyHash: EXPIRED });
  leaveMessage(scope, { kind: 'expired', turn, body: wait });
}

/** The unread messages that are for this turn and no other. */
const ownMessages = (storage: SessionStorage, turn: string): UnreadMessage[] =>
  unreadFor(turn, storage.inbox.messages()).filter(
    (message) => message.turn === turn && message.kind !== 'late',
  );

/** Whether there is something unread for this turn on which a holder of this version can go on. */
export const isCalledFor = (storage: SessionStorage, turn: string): boolean =>
  ownMessages(storage, turn).some(({ kind }) => isKnownKind(kind));

/** Somebody has asked that this turn be stopped, and its holder has not heard of it. */
export const isCancelled = (storage: SessionStorage, turn: string): boolean =>
  ownMessages(storage, turn).some(({ kind }) => kind === 'cancel');

/** Drops what was left for a turn that has ended, and nobody took in. What is late is for whoever comes next. */
export const dropMessages = (storage: SessionStorage, turn: string): void =>
  storage.inbox.remove(ownMessages(storage, turn).map(({ id }) => id));

/**
 * Whether a turn can be left such a message. A turn that waits can only be cancelled; one on its way into another turn is
 * none. What is late, and a note, may be of any turn that ever was.
 */
function isAddressee(storage: SessionStorage, kind: PostedMessage['kind'], turn: string): boolean {
  if (kind === 'late' || kind === 'note') return storage.turnStart(turn) !== null;
  if (storage.lease().turn === turn) return true;
  const waits = kind === 'cancel' ? waitsAs(storage, turn) : null;
  return waits !== null && waits.status !== 'steering';
}

/** The same unread message twice is one message. A suspended turn that gets one waits for a holder again. */
function leaveMessage(scope: LedgerScope, { kind, turn, body }: PostedMessage): void {
  const { storage, clock } = scope;
  const { inbox } = storage;
  const isLeft = inbox
    .messages()
    .some((message) => message.kind === kind && message.turn === turn && inbox.body(message.id) === body);
  if (!isLeft) inbox.add(kind, turn, body);
  const lease = storage.lease();
  if (kind === 'note' && lease.state !== 'held') journalNotes(scope);
  if (kind === 'late' || kind === 'note') return; // for the next lease holder, or the journal
  if (lease.turn !== turn) {
    startNow(scope, turn);
    return;
  }
  const state = lease.state === 'suspended' ? 'free' : lease.state;
  if (!clock.isLive) storage.setLease({ ...lease, state, due: scope.now() });
  scheduleAlarm(scope);
}

/** Journals the notes that wait. Call it only if no one holds the session: a lease holder would not know these events. */
export function journalNotes({ storage, now }: Pick<LedgerScope, 'storage' | 'now'>): void {
  const { inbox } = storage;
  const notes = inbox.messages().filter(({ kind }) => kind === 'note');
  const events = notes.map(({ id, turn }) => ({ type: 'module-event', turn, body: inbox.body(id) }));
  storage.addEvents(events, { epoch: NO_EPOCH, at: now() });
  inbox.remove(notes.map(({ id }) => id));
}

/** A scheduled turn that is cancelled gets in line at once: it only has to end. */
function startNow(scope: LedgerScope, turn: string): void {
  const { storage, now } = scope;
  if (waitsAs(storage, turn)?.status === 'scheduled') {
    storage.alarms.add({ kind: 'start', ref: turn, due: now() });
  }
  scheduleAlarm(scope);
}

/** Why an answer is not taken by its wait any more; `null` while it is. */
function whyClosed(
  { requests }: SessionStorage,
  { wait, bodyHash }: WaitAnswer,
): Extract<Posted, 'expired' | 'known' | 'answered'> | null {
  const taken = requests.find(keyOf(wait));
  if (taken === null) return null;
  if (taken.bodyHash === EXPIRED) return 'expired';
  return taken.bodyHash === bodyHash ? 'known' : 'answered';
}

/** Takes the one answer of a wait, or that nobody answered in time. */
function closeWait({ storage, now }: LedgerScope, turn: string, { wait, bodyHash }: WaitAnswer): void {
  storage.requests.forget(now());
  storage.requests.add({ key: keyOf(wait), bodyHash, turn, seq: 0, expires: now() + ANSWER_TTL });
  storage.alarms.remove('expiry', wait);
}

const keyOf = (wait: string): string => `answer ${wait}`;

/** In the place of an answer's hash: nobody answered in time. */
const EXPIRED = '';

/** How long an answer is remembered beside the journal, in ms: for one that was sent before the journal told of it. */
const ANSWER_TTL = 7 * 24 * 60 * 60_000;
