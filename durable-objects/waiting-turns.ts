import type { Deferred, NotStarted, ScheduledTurn, TurnStart } from '../src/journal/session-port.ts';
import type { SessionStorage, WaitingRow } from './session-storage.ts';
import { toStoredRows } from './stored-rows.ts';

/** As many messages may wait in a session: each is kept whole, and nobody waits for the last of more. */
export const MOST_WAITING = 100;

const isQueued = ({ kind }: WaitingRow): boolean => kind !== 'scheduled';

/** How long it is known into which turn a message went, in ms: longer than any key by which it is asked for. */
const STEERED_TTL = 8 * 24 * 60 * 60_000;

const steeredKey = (turn: string): string => `steered ${turn}`;

/** The turns that wait: in the order in which they start, and then those that wait for their time. */
export function queuedTurns(storage: Pick<SessionStorage, 'waiting'>): string[] {
  const rows = storage.waiting();
  const later = rows.filter((row) => !isQueued(row));
  return [...rows.filter(isQueued), ...later].map(({ turn }) => turn);
}

/** How this turn waits; `null` when it does not. */
export function waitsAs(storage: SessionStorage, turn: string): Deferred | null {
  const row = storage.waiting().find((one) => one.turn === turn);
  switch (row?.kind) {
    case undefined:
      return null;
    case 'message':
      return { status: 'queued', turn };
    case 'steer':
      return { status: 'steering', turn, into: storage.lease().turn ?? turn };
    case 'scheduled': {
      const entry = storage.agenda().find(({ kind, ref }) => kind === 'start' && ref === turn);
      return { status: 'scheduled', turn, at: entry?.due ?? 0 };
    }
  }
}

/** Stores a turn that cannot, or is not to, start now; `null` when it starts. What is refused changes nothing. */
export function defer(
  storage: SessionStorage,
  { turn, started, whenBusy, delayMs }: TurnStart,
  now: number,
): Deferred | Extract<NotStarted, { status: 'full' }> | null {
  const kind = delayMs !== undefined ? 'scheduled' : whenBusy === 'steer' ? 'steer' : 'message';
  const isFree = storage.lease().turn === null;
  if (kind !== 'scheduled' && (isFree || whenBusy === undefined)) return null;
  if (storage.waiting().length >= MOST_WAITING) return { status: 'full', most: MOST_WAITING };
  storage.addInbox(kind, turn, started.body);
  if (delayMs !== undefined) storage.schedule({ kind: 'start', ref: turn, due: now + delayMs });
  return waitsAs(storage, turn);
}

/** These messages were taken into the open turn. Their own rows go, so that it is kept here for whoever sends one again. */
export function keepSteered(storage: SessionStorage, read: readonly number[], now: number): void {
  const into = storage.lease().turn;
  for (const { id, kind, turn } of into === null ? [] : storage.waiting()) {
    if (kind !== 'steer' || !read.includes(id)) continue;
    const key = steeredKey(turn);
    storage.addRequest({ key, bodyHash: '', turn: into ?? '', seq: 0, expires: now + STEERED_TTL });
  }
}

/** The turn that took in a message which would have been this one; `null` for any other. */
export const steeredInto = (storage: SessionStorage, turn: string): string | null =>
  storage.request(steeredKey(turn))?.turn ?? null;

/** Stores the turns that a call of this session has scheduled. Their number is bounded by that of the calls of a turn. */
export function scheduleTurns(
  storage: SessionStorage,
  scheduled: readonly ScheduledTurn[],
  now: number,
): void {
  for (const { started, after } of scheduled) {
    storage.addInbox('scheduled', started.turn, started.body);
    storage.schedule({ kind: 'start', ref: started.turn, due: now + after });
  }
}

/** The scheduled turns whose time has come get in line behind those that wait already. */
export function queueDue(storage: SessionStorage, now: number): void {
  for (const { kind, ref, due } of storage.agenda()) {
    if (kind !== 'start' || due > now) continue;
    storage.unschedule('start', ref);
    const row = storage.waiting().find(({ turn }) => turn === ref);
    if (row) storage.addInbox('message', ref, storage.takeWaiting(row.id));
  }
}

/** When no turn is open, the first of those that wait is started: it is answered, and needs a holder. */
export function startNext(storage: SessionStorage, now: number): string | null {
  const lease = storage.lease();
  const next = storage.waiting().find(isQueued);
  if (lease.turn !== null || !next) return null;
  const { turn } = next;
  const started = { type: 'turn-started', turn, body: storage.takeWaiting(next.id) };
  storage.addEvents(toStoredRows([started], { epoch: 0, from: storage.head() + 1, at: now }));
  storage.setLease({ ...lease, turn, state: 'free', expired: 0, grace: null });
  return turn;
}
