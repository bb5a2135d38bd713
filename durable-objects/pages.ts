import type { EventPage, FoldStart, Notice, OpenTurn, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { Reader } from '../src/journal/session-port.ts';
import { newestUnread } from './inbox.ts';
import { incarnationOf, type Lease, type SessionStorage } from './session-storage.ts';
import { steeredInto, waitingTurns, waitsAs } from './waiting-turns.ts';

const DEFAULT_PAGE_ROWS = 1_000;
const DEFAULT_PAGE_BYTES = 4 * 1024 * 1024;

/** Answers one page of the journal, and how the session stands. */
export function readPage(storage: SessionStorage, query: ReadQuery): EventPage {
  const { maxBytes = DEFAULT_PAGE_BYTES, limit = DEFAULT_PAGE_ROWS, turn, folded } = query;
  if (folded !== undefined) {
    const { page, ...foldStart } = pageToFold(storage, { ...folded, maxBytes });
    return { ...page, foldStart };
  }
  const { covered, ...range } = furtherTexts(storage, query, maxBytes);
  const page = pageAfter(covered, storage, { ...query, ...range, maxBytes, limit });
  if (covered.length > 0) return { ...page, covered };
  const into = turn === undefined ? null : steeredInto(storage, turn);
  return into === null ? page : { ...page, into };
}

/** Answers what a session is folded from, and the events behind that as far as one answer may hold them. */
export function pageToFold(
  storage: SessionStorage,
  reader: Reader,
): FoldStart & { readonly page: EventPage } {
  const { reducer, messageTypes: names, maxBytes } = reader;
  const limit = Number.MAX_SAFE_INTEGER;
  const snapshot = storage.snapshots.find(reducer);
  if (snapshot === null)
    return { snapshot, covered: [], page: pageOfEvents(storage, { from: 1, maxBytes, limit }) };
  const { seq: until, messagesFrom: first = 1 } = snapshot;
  const { texts, until: last } = storage.bodies({ names, from: first, until, maxBytes });
  const query = { from: last + 1, types: { names, until }, maxBytes, limit };
  return { snapshot, covered: texts, page: pageAfter(texts, storage, query) };
}

/** Texts of messages, and which events come after them. */
interface FurtherTexts extends Pick<FoldStart, 'covered'>, Pick<ReadQuery, 'from' | 'types'> {}

/** Goes on with the texts of an answer before, which did not hold all of them; answers none where these are not asked for. */
function furtherTexts(
  storage: SessionStorage,
  { from, types }: Pick<ReadQuery, 'from' | 'types'>,
  maxBytes: number,
): FurtherTexts {
  const none = { covered: [], from, types };
  if (types?.textsFrom === undefined || from > types.until) return none;
  const { names, until, textsFrom } = types;
  const { texts, until: last } = storage.bodies({ names, from: textsFrom, after: from - 1, until, maxBytes });
  return last < from ? none : { covered: texts, from: last + 1, types };
}

type PageQuery = ReadQuery & { readonly maxBytes: number; readonly limit: number };

/** Fills a page behind texts of messages. When more of these follow, it has no event: the next page goes on with them. */
function pageAfter(covered: readonly string[], storage: SessionStorage, query: PageQuery): EventPage {
  const { from, types } = query;
  const isCut = covered.length > 0 && types !== undefined && from <= types.until;
  if (!isCut) return pageOfEvents(storage, query);
  return { ...pageOfEvents(storage, { ...query, from: storage.head() + 1 }), next: from };
}

/** Fills a page up to its bytes and its rows, with at least one event if there is one; `next` is the first left out. */
function pageOfEvents(storage: SessionStorage, query: PageQuery): EventPage {
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
  const incarnation = incarnationOf(storage.opening());
  const told = { head: storage.head(), ...(incarnation !== undefined && { incarnation }) };
  const page = { rows, next, ...told, openTurn, waiting: waitingTurns(storage) };
  return waits === null ? page : { ...page, waits };
}

/** The turn that is unfinished, by its lease. */
const openTurnOf = ({ turn, state }: Lease): OpenTurn | null =>
  turn === null ? null : { id: turn, state: state === 'suspended' ? 'waiting' : 'running' };

/** What watchers are told of a session now. */
export function noticeOf(storage: SessionStorage): Notice {
  const unread = newestUnread(storage);
  return {
    head: storage.head(),
    openTurn: openTurnOf(storage.lease()),
    waiting: waitingTurns(storage),
    ...(unread !== undefined && { unread }),
  };
}
