import type { Leased, Reader } from '../src/journal/session-port.ts';
import type { LedgerScope } from './lease-term.ts';
import { unreadNotes } from './notes.ts';
import { pageOfEvents } from './page-of-events.ts';

/** What whoever was just given the lease is told: who came before, and the session as far as one answer may hold it. */
export function leasedAnswer(
  { storage, term }: LedgerScope,
  { reducer, messageTypes, maxBytes }: Reader,
): Leased {
  const { epoch, cause, expired, expiredFor } = storage.lease();
  const snapshot = storage.snapshot(reducer);
  const types = snapshot === null ? undefined : { names: messageTypes, until: snapshot.seq };
  const first = snapshot?.messagesFrom ?? 1;
  const covered = types === undefined ? null : storage.bodies({ ...types, from: first, maxBytes });
  const from = covered === null ? first : (snapshot?.seq ?? 0) + 1;
  return {
    status: 'leased',
    epoch,
    leaseMs: term.ms,
    cause,
    expirations: expired,
    expiredFor,
    name: storage.name,
    snapshot,
    covered: covered ?? [],
    page: pageOfEvents(storage, { from, types, maxBytes, limit: Number.MAX_SAFE_INTEGER }),
    inbox: unreadNotes(storage),
  };
}
