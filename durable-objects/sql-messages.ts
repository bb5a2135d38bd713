import { type BodyQuery, type BodyTexts, ENCODER, type SessionStorage } from './session-storage.ts';
import { CHUNK_BYTES, joinChunks, type MessagesOwner, type SqlChunks } from './sql-tables.ts';

/** The size in bytes at which a joined text is full. Each addition rewrites the whole row of the text. */
const MAX_JOINED_BYTES = CHUNK_BYTES / 2;

/**
 * The minimum number of events whose messages are joined. Fewer are reread instead, since writing a row costs
 * as much as reading a thousand.
 */
const MIN_JOINED_EVENTS = 100;

/** The prefix of the owners of joined texts in `chunks`. The types of the messages follow. */
const OWNER_PREFIX = 'messages ';

/** The joined messages of one range of the journal: bodies separated by commas, in UTF-8. */
interface JoinedText {
  /** The last event that it covers. */
  readonly seq: number;
  /** The first event of all joined texts together. Compaction has replaced the messages before it. */
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** A request for joined texts after the event `after`. */
interface JoinedQuery extends Pick<BodyQuery, 'from' | 'until' | 'maxBytes'> {
  readonly after: number;
}

interface JoinedPage {
  readonly texts: readonly JoinedText[];
  /** `true` if there are more texts that do not fit. */
  readonly isCut: boolean;
}

/** New messages, and the texts before them. */
interface JoinRequest {
  readonly joined: readonly JoinedText[];
  readonly added: JoinedText;
  readonly after: number;
}

type JoinedColumns = { readonly seq: number; readonly from: number; readonly body: ArrayBuffer };

/**
 * A cache of the messages that a snapshot covers, which every lease needs. They are joined into a few texts
 * in `chunks`, so that a lease does not read each event of a long session. A text is built from the journal
 * when a lease requests it, and ignored if it does not match the request, so the journal stays authoritative.
 */
export class SqlMessages {
  readonly #sql: SqlStorage;
  readonly #chunks: SqlChunks;
  readonly #events: SessionStorage['events'];

  /** `events`: reads the session's events, as in its storage. */
  constructor(sql: SqlStorage, chunks: SqlChunks, events: SessionStorage['events']) {
    this.#sql = sql;
    this.#chunks = chunks;
    this.#events = events;
  }

  /** Implements `SessionStorage.bodies`. */
  bodies({ names, from, after = from - 1, until, maxBytes }: BodyQuery): BodyTexts {
    const owner = `${OWNER_PREFIX}${names.join(' ')}` as const;
    const isJoined = after < from || this.#endsAt(owner, after);
    const { texts: joined, isCut } = isJoined
      ? this.#joined(owner, { from, after, until, maxBytes })
      : { texts: [], isCut: false };
    let bytes = joined.reduce((sum, text) => sum + text.bytes.length, 0);
    let last = joined.at(-1)?.seq ?? after;
    if (isCut) return { texts: toTexts(joined), until: last };
    const covered = last;
    const bodies: string[] = [];
    const limit = Number.MAX_SAFE_INTEGER;
    for (const event of this.#events({ from: covered + 1, types: { names, until }, limit })) {
      if (event.seq > until) break;
      bytes += event.bytes + 1; // Includes a comma.
      if (bytes > maxBytes) break;
      bodies.push(event.body);
      last = event.seq;
    }
    const isAll = bytes <= maxBytes;
    if (isAll) last = until;
    const added = { seq: last, from, bytes: ENCODER.encode(bodies.join(',')) };
    // The next reply must continue after the end of a text. Otherwise the start of the following texts would
    // be unknown.
    const isWorthIt = last - covered >= MIN_JOINED_EVENTS || (!isAll && bodies.length > 0);
    const texts = isJoined && isWorthIt ? this.#join(owner, { joined, added, after }) : [...joined, added];
    return { texts: toTexts(texts), until: last };
  }

  /** Returns whether a text ends with this event, so that the next text begins with the next event. */
  #endsAt(owner: string, seq: number): boolean {
    const ends = this.#sql.exec('SELECT 1 FROM chunks WHERE owner = ? AND seq = ? LIMIT 1', owner, seq);
    return ends.toArray().length > 0;
  }

  /**
   * Returns the first texts that fit in `maxBytes`, provided that they begin where the conversation now
   * begins and do not extend past `until`.
   */
  #joined(owner: string, { from, after, until, maxBytes }: JoinedQuery): JoinedPage {
    const rows = this.#sql.exec<JoinedColumns>(
      'SELECT seq, messages_from AS "from", body FROM chunks WHERE owner = ? AND seq > ? ORDER BY seq, part',
      ...[owner, after < from ? 0 : after],
    );
    const texts: JoinedText[] = [];
    let parts: JoinedColumns[] = [];
    let bytes = 0;
    for (const row of rows) {
      if (row.from !== from || row.seq > until) return { texts: [], isCut: false };
      if (parts[0] && parts[0].seq !== row.seq) {
        texts.push(toJoinedText(parts));
        parts = [];
      }
      bytes += row.body.byteLength;
      if (bytes > maxBytes) return { texts, isCut: true };
      parts.push(row);
    }
    if (parts.length > 0) texts.push(toJoinedText(parts));
    return { texts, isCut: false };
  }

  /**
   * Stores the new messages, joined with the last text unless that is full. Removes texts that no longer
   * match, and returns all texts.
   */
  #join(owner: MessagesOwner, { joined, added, after }: JoinRequest): readonly JoinedText[] {
    const last = joined.at(-1);
    const kept = last !== undefined && last.bytes.length < MAX_JOINED_BYTES ? joined.slice(0, -1) : joined;
    const text = kept === joined ? added : { ...added, bytes: joinWithComma(last?.bytes, added.bytes) };
    this.#sql.exec(
      'DELETE FROM chunks WHERE owner BETWEEN ? AND ? AND (owner <> ? OR seq > ?)',
      ...[OWNER_PREFIX, `${OWNER_PREFIX}~`, owner, kept.at(-1)?.seq ?? (after < added.from ? 0 : after)],
    );
    this.#chunks.addBytes(owner, text.bytes, { seq: text.seq, messagesFrom: text.from });
    return [...kept, text];
  }
}

function toJoinedText(parts: readonly JoinedColumns[]): JoinedText {
  const [first] = parts;
  const bytes = new Uint8Array(parts.reduce((sum, { body }) => sum + body.byteLength, 0));
  let at = 0;
  for (const { body } of parts) {
    bytes.set(new Uint8Array(body), at);
    at += body.byteLength;
  }
  return { seq: first?.seq ?? 0, from: first?.from ?? 1, bytes };
}

const toTexts = (joined: readonly JoinedText[]): string[] =>
  joined.flatMap(({ bytes }) => (bytes.length === 0 ? [] : [`[${joinChunks([bytes])}]`]));

const COMMA = 0x2c;

function joinWithComma(before: Uint8Array = new Uint8Array(), after: Uint8Array): Uint8Array {
  if (before.length === 0 || after.length === 0) return before.length === 0 ? after : before;
  const both = new Uint8Array(before.length + 1 + after.length);
  both.set(before);
  both[before.length] = COMMA;
  both.set(after, before.length + 1);
  return both;
}
