import type { InboxRow, NoteKind, Posted, WaitAnswer } from '../src/journal/session-port.ts';
import { arm, wake } from './agenda.ts';
import type { LedgerScope } from './lease-term.ts';
import type { NoteRow, SessionStorage } from './session-storage.ts';
import { waitsAs } from './waiting-turns.ts';

/** Characters of notes in one answer: two bytes each at the most, and an RPC message weighs at most 32 MiB. */
const MOST_AT_ONCE = 4 * 1024 * 1024;

/** What is told first, if not all can be: a message may be left for a turn of its own, and keeps nothing else from the holder. */
const RANK: Readonly<Record<InboxRow['kind'], number>> = {
  cancel: 0,
  expired: 0,
  answer: 1,
  late: 2,
  steer: 3,
};

/** The unread notes for whoever holds the open turn, as many as one answer may hold; the others come when these were read. */
export function unreadNotes(storage: SessionStorage): InboxRow[] {
  const { turn } = storage.lease();
  const told: InboxRow[] = [];
  let size = 0;
  for (const row of turn === null ? [] : storage.notes(turn).toSorted(byRank)) {
    const body = storage.noteBody(row.id);
    size += body.length;
    if (told.length > 0 && size > MOST_AT_ONCE) break;
    told.push({ ...row, body });
  }
  return told.toSorted((a, b) => a.id - b.id);
}

const byRank = (a: NoteRow, b: NoteRow): number => RANK[a.kind] - RANK[b.kind];

/**
 * Whether a turn can be left such a note. A turn that waits can only be cancelled; a message on its way into another turn is
 * none. What is late may be of any turn that ever was.
 */
export function isAddressee(storage: SessionStorage, kind: NoteKind, turn: string): boolean {
  if (kind === 'late') return storage.turnStart(turn) !== null;
  if (storage.lease().turn === turn) return true;
  const waits = kind === 'cancel' ? waitsAs(storage, turn) : null;
  return waits !== null && waits.status !== 'steering';
}

type Note = Pick<InboxRow, 'turn' | 'body'> & { readonly kind: NoteKind };

/** The same unread note twice is one note. A suspended turn that gets one waits for a holder again. */
export function leaveNote(scope: LedgerScope, { kind, turn, body }: Note): void {
  const { storage, term } = scope;
  const unread = storage.notes(turn).filter((row) => row.kind === kind && row.turn === turn);
  if (!unread.some(({ id }) => storage.noteBody(id) === body)) storage.addInbox(kind, turn, body);
  const lease = storage.lease();
  if (kind === 'late') return; // for whoever comes next
  if (lease.turn === turn && lease.state === 'suspended') storage.setLease({ ...lease, state: 'free' });
  if (lease.turn !== turn) startNow(scope, turn);
  else if (term.isLive) arm(scope);
  else wake(scope, turn);
}

/** A scheduled turn that is cancelled gets in line at once: it only has to end. */
function startNow(scope: LedgerScope, turn: string): void {
  const { storage, now } = scope;
  if (waitsAs(storage, turn)?.status === 'scheduled') {
    storage.schedule({ kind: 'start', ref: turn, due: now() });
  }
  arm(scope);
}

/** Nobody answered in time: the holder is told, and no answer is taken any more. */
export function expireWait(scope: LedgerScope, wait: string): void {
  const { storage, now } = scope;
  const { turn } = storage.lease();
  if (turn === null) {
    storage.unschedule('expiry', wait);
    return;
  }
  closeWait(storage, turn, { wait, now: now() });
  leaveNote(scope, { kind: 'expired', turn, body: wait });
}

/** What was left for a turn that has ended, and nobody took in. What is late is for whoever comes next. */
export function dropNotes(storage: SessionStorage, turn: string): void {
  storage.removeInbox(ownNotes(storage, turn).map(({ id }) => id));
  for (const { kind, ref } of storage.agenda()) if (kind === 'expiry') storage.unschedule(kind, ref);
}

/** The unread notes that are for this turn and no other. */
export const ownNotes = (storage: SessionStorage, turn: string): NoteRow[] =>
  storage.notes(turn).filter((row) => row.turn === turn && row.kind !== 'late');

/** How long an answer is remembered beside the journal, in ms: for one that was sent before the journal told of it. */
const ANSWER_TTL = 7 * 24 * 60 * 60_000;
/** In the place of an answer's hash: nobody answered in time. */
const EXPIRED = '';

const keyOf = (wait: string): string => `answer ${wait}`;

/** Why an answer is not taken by its wait any more; `null` while it is. */
export function whyClosed(
  storage: SessionStorage,
  { wait, bodyHash }: WaitAnswer,
): Extract<Posted, 'expired' | 'known' | 'answered'> | null {
  const taken = storage.request(keyOf(wait));
  if (taken === null) return null;
  if (taken.bodyHash === EXPIRED) return 'expired';
  return taken.bodyHash === bodyHash ? 'known' : 'answered';
}

/** Whether the time of a wait is over, though nobody may have looked yet. */
export const isOver = (storage: SessionStorage, wait: string, now: number): boolean =>
  storage.agenda().some(({ kind, ref, due }) => kind === 'expiry' && ref === wait && due <= now);

/** Takes the one answer of a wait; without one, nobody answered in time. */
export function closeWait(
  storage: SessionStorage,
  turn: string,
  {
    wait,
    bodyHash = EXPIRED,
    now,
  }: { readonly wait: string; readonly bodyHash?: string; readonly now: number },
): void {
  storage.forgetRequests(now);
  storage.addRequest({ key: keyOf(wait), bodyHash, turn, seq: 0, expires: now + ANSWER_TTL });
  storage.unschedule('expiry', wait);
}
