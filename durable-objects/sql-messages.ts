import { type Bodies, type BodyQuery, bytesIn } from './session-storage.ts';
import { CHUNK_BYTES, fromChunks, toChunks } from './sql-tables.ts';

/** A joined text that weighs more takes in no further messages: it is one row, which each addition writes anew. */
const FULL_BYTES = CHUNK_BYTES / 2;

/** So many events are read again and again before their messages are joined: a row written costs as much as a thousand read. */
const JOINED_AFTER = 100;

/** Owners of the joined texts in `chunks` begin so; what follows are the types of the messages. */
const OWNER = 'messages ';

/** Messages of one stretch of the journal, joined: bodies with commas between them, in UTF-8. */
interface Joined {
  /** The last event that it covers. */
  readonly seq: number;
  /** The first of all joined texts together: what was compacted away before is in none. */
  readonly from: number;
  readonly bytes: Uint8Array;
}

type JoinedColumns = { readonly seq: number; readonly from: number; readonly body: ArrayBuffer };
type BodyColumns = [seq: number, body: string | null];

/**
 * The messages that a snapshot covers, for every lease anew. They are kept a second time, joined to a few texts in `chunks`: a
 * lease then reads those, and not each event of a long session. A text is made of the journal when a lease asks for it,
 * and left out of account when it does not fit what is asked for, so that the journal alone says what is in a session.
 */
export class SqlMessages {
  readonly #sql: SqlStorage;
  /** Reads a body that is too long for its row. */
  readonly #longBody: (seq: number) => string;

  constructor(sql: SqlStorage, longBody: (seq: number) => string) {
    this.#sql = sql;
    this.#longBody = longBody;
  }

  /** As `SessionStorage.bodies`. */
  bodies({ names, from, until, maxBytes }: BodyQuery): Bodies {
    const owner = `${OWNER}${names.join(' ')}`;
    const all = this.#joined(owner, { from, until });
    const fitting = withinBytes(all, maxBytes);
    let bytes = fitting.reduce((sum, text) => sum + text.bytes.length, 0);
    let last = fitting.at(-1)?.seq ?? from - 1;
    if (fitting.length < all.length) return { texts: toTexts(fitting), until: last };
    const covered = last;
    const bodies: string[] = [];
    for (const [seq, body] of this.#rows(names, covered + 1, until)) {
      const text = body ?? this.#longBody(seq);
      bytes += bytesIn(text) + 1; // and a comma
      if (bytes > maxBytes) break;
      bodies.push(text);
      last = seq;
    }
    if (bytes <= maxBytes) last = until;
    const added = { seq: last, from, bytes: new TextEncoder().encode(bodies.join(',')) };
    const texts = last - covered < JOINED_AFTER ? [...fitting, added] : this.#join(owner, fitting, added);
    return { texts: toTexts(texts), until: last };
  }

  /** The texts that begin where the conversation does now, and go no further than is asked for. */
  #joined(owner: string, { from, until }: Pick<BodyQuery, 'from' | 'until'>): readonly Joined[] {
    const rows = this.#sql.exec<JoinedColumns>(
      'SELECT seq, messages_from AS "from", body FROM chunks WHERE owner = ? ORDER BY seq, part',
      owner,
    );
    const parts = Map.groupBy(rows, ({ seq }) => seq);
    const joined = [...parts.values()].map((same) => toJoined(same));
    return joined.every((text) => text.from === from && text.seq <= until) ? joined : [];
  }

  *#rows(names: readonly string[], from: number, until: number): Iterable<BodyColumns> {
    const rows = this.#sql.exec(
      'SELECT seq, body FROM events WHERE seq BETWEEN ? AND ? AND type IN (SELECT value FROM json_each(?)) ORDER BY seq',
      ...[from, until, JSON.stringify(names)],
    );
    yield* rows.raw<BodyColumns>();
  }

  /** Stores what is new, with the last text unless that is full; answers all texts. What fits no more goes. */
  #join(owner: string, joined: readonly Joined[], added: Joined): readonly Joined[] {
    const last = joined.at(-1);
    const kept = last !== undefined && last.bytes.length < FULL_BYTES ? joined.slice(0, -1) : joined;
    const text = kept === joined ? added : { ...added, bytes: withComma(last?.bytes, added.bytes) };
    this.#sql.exec(
      'DELETE FROM chunks WHERE owner BETWEEN ? AND ? AND (owner <> ? OR seq > ?)',
      ...[OWNER, `${OWNER}~`, owner, kept.at(-1)?.seq ?? 0],
    );
    toChunks(text.bytes).forEach((chunk, part) => {
      this.#sql.exec(
        'INSERT INTO chunks (owner, seq, part, messages_from, body) VALUES (?, ?, ?, ?, ?)',
        ...[owner, text.seq, part, text.from, chunk],
      );
    });
    return [...kept, text];
  }
}

/** The first of them that weigh no more together. */
function withinBytes(joined: readonly Joined[], maxBytes: number): readonly Joined[] {
  let bytes = 0;
  const end = joined.findIndex((text) => {
    bytes += text.bytes.length;
    return bytes > maxBytes;
  });
  return end === -1 ? joined : joined.slice(0, end);
}

function toJoined(parts: readonly JoinedColumns[]): Joined {
  const [first] = parts;
  const bytes = new Uint8Array(parts.reduce((sum, { body }) => sum + body.byteLength, 0));
  let at = 0;
  for (const { body } of parts) {
    bytes.set(new Uint8Array(body), at);
    at += body.byteLength;
  }
  return { seq: first?.seq ?? 0, from: first?.from ?? 1, bytes };
}

const toTexts = (joined: readonly Joined[]): string[] =>
  joined.flatMap(({ bytes }) => (bytes.length === 0 ? [] : [`[${fromChunks([bytes])}]`]));

const COMMA = 0x2c;

function withComma(before: Uint8Array = new Uint8Array(), after: Uint8Array): Uint8Array {
  if (before.length === 0 || after.length === 0) return before.length === 0 ? after : before;
  const both = new Uint8Array(before.length + 1 + after.length);
  both.set(before);
  both[before.length] = COMMA;
  both.set(after, before.length + 1);
  return both;
}
