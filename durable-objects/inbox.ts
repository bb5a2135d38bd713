import type {
  InboxMessage,
  InboxMessageKind,
  Posted,
  PostedMessage,
  WaitAnswer,
} from '../src/journal/inbox-message.ts';
import { dueRefs, scheduleAlarm, scheduleTurn } from './alarms.ts';
import { keepFiles } from './files.ts';
import type { LedgerScope, SessionStorage, UnreadMessage } from './session-storage.ts';
import { waitsAs } from './waiting-turns.ts';

/**
 * The unread messages for whoever holds the open turn, but for those that it `holds` already: as many as one answer may hold; the
 * others come when these were read, or are held.
 */
export function unreadMessages(storage: SessionStorage, holds: readonly number[] = []): InboxMessage[] {
  const told: InboxMessage[] = [];
  let size = 0;
  for (const message of unreadHeads(storage).toSorted(byRank)) {
    if (holds.includes(message.id)) continue;
    const body = storage.inbox.body(message.id);
    size += body.length;
    if (told.length > 0 && size > MOST_AT_ONCE) break;
    told.push({ ...message, body });
  }
  return told.toSorted((a, b) => a.id - b.id);
}

/** The newest message that is unread by whoever holds the open turn; `undefined` when there is none. */
export const newestUnread = (storage: SessionStorage): number | undefined => unreadHeads(storage).at(-1)?.id;

function unreadHeads(storage: SessionStorage): UnreadMessage[] {
  const { turn } = storage.lease();
  return turn === null ? [] : storage.inbox.unread(turn);
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
  if (message.files?.length) keepFiles(scope, message.files);
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
export const ownMessages = ({ inbox }: SessionStorage, turn: string): UnreadMessage[] =>
  inbox.unread(turn).filter((message) => message.turn === turn && message.kind !== 'late');

/** Whether there is something unread for this turn on which a holder of this version can go on. */
export const isCalledFor = (storage: SessionStorage, turn: string): boolean =>
  ownMessages(storage, turn).some(({ kind }) => isKnownKind(kind));

/** Somebody has asked that this turn be stopped, and its holder has not heard of it. */
export const isCancelled = (storage: SessionStorage, turn: string): boolean =>
  ownMessages(storage, turn).some(({ kind }) => kind === 'cancel');

/** Drops what was left for a turn that has ended, and nobody took in. What is late is for whoever comes next. */
export function dropMessages(storage: SessionStorage, turn: string): void {
  storage.inbox.remove(ownMessages(storage, turn).map(({ id }) => id));
  for (const { kind, ref } of storage.alarms.all()) if (kind === 'expiry') storage.alarms.remove(kind, ref);
}

/**
 * Whether a turn can be left such a message. A turn that waits can only be cancelled; one on its way into another turn is
 * none. What is late may be of any turn that ever was.
 */
function isAddressee(storage: SessionStorage, kind: InboxMessageKind, turn: string): boolean {
  if (kind === 'late') return storage.turnStart(turn) !== null;
  if (storage.lease().turn === turn) return true;
  const waits = kind === 'cancel' ? waitsAs(storage, turn) : null;
  return waits !== null && waits.status !== 'steering';
}

/** The same unread message twice is one message. A suspended turn that gets one waits for a holder again. */
function leaveMessage(scope: LedgerScope, { kind, turn, body }: PostedMessage): void {
  const { storage, clock } = scope;
  const { inbox } = storage;
  const unread = inbox.unread(turn).filter((message) => message.kind === kind && message.turn === turn);
  if (!unread.some(({ id }) => inbox.body(id) === body)) inbox.add(kind, turn, body);
  const lease = storage.lease();
  if (kind === 'late') return; // for whoever comes next
  if (lease.turn === turn && lease.state === 'suspended') storage.setLease({ ...lease, state: 'free' });
  if (lease.turn !== turn) startNow(scope, turn);
  else if (clock.isLive) scheduleAlarm(scope);
  else scheduleTurn(scope, turn);
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
