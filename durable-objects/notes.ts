import type { InboxRow, NoteKind } from '../src/journal/session-port.ts';
import { arm, wake } from './agenda.ts';
import type { LedgerScope } from './ledger-scope.ts';
import type { SessionStorage } from './session-storage.ts';
import { closeWait } from './wait-answers.ts';
import { waitsAs } from './waiting-turns.ts';

/** The unread notes for whoever holds the open turn. */
export function unreadNotes(storage: SessionStorage): InboxRow[] {
  const { turn } = storage.lease();
  return turn === null ? [] : storage.notes(turn);
}

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
  const unread = storage.notes(turn);
  if (!unread.some((row) => row.kind === kind && row.turn === turn && row.body === body)) {
    storage.addInbox(kind, turn, body);
  }
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
export const ownNotes = (storage: SessionStorage, turn: string): InboxRow[] =>
  storage.notes(turn).filter((row) => row.turn === turn && row.kind !== 'late');
