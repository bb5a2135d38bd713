import type { EventPage, FoldStart, Notice, OpenTurn, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { ReaderCapabilities } from '../src/journal/session-port.ts';
import { findNewestUnread } from './inbox.ts';
import { type Lease, parseIncarnation, type SessionStorage } from './session-storage.ts';
import { findSteeredTurn, findWaitStatus, listWaitingTurns } from './waiting-turns.ts';

const DEFAULT_PAGE_ROWS = 1_000;
const DEFAULT_PAGE_BYTES = 4 * 1024 * 1024;

/** Returns one page of the journal, and the state of the session. */
export function readPage(storage: SessionStorage, query: ReadQuery): EventPage {
  const { maxBytes = DEFAULT_PAGE_BYTES, limit = DEFAULT_PAGE_ROWS, turn, folded } = query;
  if (folded !== undefined) {
    const { page, ...foldStart } = readFoldPage(storage, { ...folded, maxBytes });
    return { ...page, foldStart };
  }
  const { covered, ...range } = readFurtherTexts(storage, query, maxBytes);
  const page = readPageAfterTexts(covered, storage, { ...query, ...range, maxBytes, limit });
  if (covered.length > 0) return { ...page, covered };
  const into = turn === undefined ? null : findSteeredTurn(storage, turn);
  return into === null ? page : { ...page, into };
}

/** Returns the data from which to fold a session, and as many later events as fit in one reply. */
export function readFoldPage(
  storage: SessionStorage,
  reader: ReaderCapabilities,
): FoldStart & { readonly page: EventPage } {
  const { reducer, messageTypes: names, maxBytes } = reader;
  const limit = Number.MAX_SAFE_INTEGER;
  const snapshot = storage.snapshots.find(reducer);
  if (snapshot === null)
    return { snapshot, covered: [], page: readEventPage(storage, { from: 1, maxBytes, limit }) };
  const { seq: until, messagesFrom: first = 1 } = snapshot;
  const { texts, until: last } = storage.bodies({ names, from: first, until, maxBytes });
  const query = { from: last + 1, types: { names, until }, maxBytes, limit };
  return { snapshot, covered: texts, page: readPageAfterTexts(texts, storage, query) };
}

/** Texts of messages, and the range of the events after them. */
interface MessageTexts extends Pick<FoldStart, 'covered'>, Pick<ReadQuery, 'from' | 'types'> {}

/**
 * Returns the texts that did not fit in an earlier reply. Returns no texts if the query does not request
 * them.
 */
function readFurtherTexts(
  storage: SessionStorage,
  { from, types }: Pick<ReadQuery, 'from' | 'types'>,
  maxBytes: number,
): MessageTexts {
  const none = { covered: [], from, types };
  if (types?.textsFrom === undefined || from > types.until) return none;
  const { names, until, textsFrom } = types;
  const { texts, until: last } = storage.bodies({ names, from: textsFrom, after: from - 1, until, maxBytes });
  return last < from ? none : { covered: texts, from: last + 1, types };
}

type PageQuery = ReadQuery & { readonly maxBytes: number; readonly limit: number };

/**
 * Fills a page after texts of messages. If more texts follow, it has no events, and the next page continues
 * with the texts.
 */
function readPageAfterTexts(
  covered: readonly string[],
  storage: SessionStorage,
  query: PageQuery,
): EventPage {
  const { from, types } = query;
  const isCut = covered.length > 0 && types !== undefined && from <= types.until;
  if (!isCut) return readEventPage(storage, query);
  return { ...readEventPage(storage, { ...query, from: storage.head() + 1 }), next: from };
}

/**
 * Fills a page up to its limits of bytes and rows, with at least one event if there is any. `next` is the
 * first omitted event.
 */
function readEventPage(storage: SessionStorage, query: PageQuery): EventPage {
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
  const openTurn = findOpenTurn(storage.lease());
  const waits = turn === undefined ? null : findWaitStatus(storage, turn);
  const incarnation = parseIncarnation(storage.opening());
  const told = { head: storage.head(), ...(incarnation !== undefined && { incarnation }) };
  const page = { rows, next, ...told, openTurn, waiting: listWaitingTurns(storage) };
  return waits === null ? page : { ...page, waits };
}

const findOpenTurn = ({ turn, state }: Lease): OpenTurn | null =>
  turn === null ? null : { id: turn, state: state === 'suspended' ? 'waiting' : 'running' };

/** Returns the current notice for watchers of a session. */
export function createNotice(storage: SessionStorage): Notice {
  const unread = findNewestUnread(storage);
  return {
    head: storage.head(),
    openTurn: findOpenTurn(storage.lease()),
    waiting: listWaitingTurns(storage),
    ...(unread !== undefined && { unread }),
  };
}
