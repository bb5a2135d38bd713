import type { EventPage, OpenTurn, ReadQuery, Row } from '../src/journal/session-port.ts';
import type { Lease, SessionStorage } from './session-storage.ts';
import { waitingTurns, waitsAs } from './waiting-turns.ts';

type PageQuery = ReadQuery & { readonly maxBytes: number; readonly limit: number };

/** Fills a page up to its bytes and its rows, with at least one event if there is one; `next` is the first left out. */
export function pageOfEvents(storage: SessionStorage, query: PageQuery): EventPage {
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
  const page = { rows, next, head: storage.head(), openTurn, waiting: waitingTurns(storage) };
  return waits === null ? page : { ...page, waits };
}

/** The turn that is unfinished, by its lease. */
export const openTurnOf = ({ turn, state }: Lease): OpenTurn | null =>
  turn === null ? null : { id: turn, state: state === 'suspended' ? 'waiting' : 'running' };
