import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type PackedEvents, unpackEvents } from '../../doors/journal.ts';

/** The stored data of a session. */
export interface StoredSession {
  /** The version of its tables. */
  readonly version: number;
  /** `body` is `null` if it is stored in parts. */
  readonly events: readonly { readonly seq: number; readonly type: string; readonly body: string | null }[];
  readonly lease: { readonly epoch: number; readonly turn: string | null; readonly state: string };
  /** The modules of its agenda rows. */
  readonly agenda: readonly string[];
  /** The body is parsed. */
  readonly snapshot?: { readonly seq: number; readonly reducer: number; readonly body: unknown };
}

/** Reads the databases of all sessions, by session name. No Worker may be running on the storage. */
export const readStoredSessions = (storage: string): ReadonlyMap<string, StoredSession> =>
  new Map(listDatabases(storage).flatMap(readStored));

/** Returns the database files of the sessions. */
export function listDatabases(storage: string): readonly string[] {
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' });
  const databases = files.filter((file) => file.endsWith('.sqlite') && !file.endsWith('metadata.sqlite'));
  return databases.map((file) => join(storage, file));
}

function readStored(file: string): [string, StoredSession][] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const { name, version } = database.prepare('SELECT name, version FROM schema').get() ?? {};
    const rows = database.prepare('SELECT seq, type, bytes, lengths, body FROM events ORDER BY seq').all();
    const events = rows.flatMap(({ body, ...row }) =>
      // The columns are those of journal-schema.ts.
      unpackEvents({ ...row, body: body ?? '' } as unknown as PackedEvents).map((event) => ({
        seq: event.seq,
        type: event.type,
        body: body === null ? null : event.body,
      })),
    );
    const agenda = database.prepare('SELECT kind FROM agenda ORDER BY due').all();
    const lease = database.prepare('SELECT epoch, turn, state FROM lease').get();
    const [snapshot] = database
      .prepare(`SELECT seq, reducer, body FROM chunks WHERE owner = 'snapshot'`)
      .all();
    const kept = snapshot && { ...snapshot, body: parse(snapshot.body) };
    // The columns are those of journal-schema.ts.
    const rest = { agenda: agenda.map(({ kind }) => kind), ...(kept && { snapshot: kept }) };
    return [[String(name), { version, events, lease, ...rest } as unknown as StoredSession]];
  } finally {
    database.close();
  }
}

const parse = (body: unknown): unknown =>
  JSON.parse(body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body));

/** Adds an overdue agenda row to every session of a storage. No Worker may be running on the storage. */
export function addToAgenda(storage: string, kind: string): void {
  for (const file of listDatabases(storage)) {
    const database = new DatabaseSync(file);
    database.prepare(`INSERT INTO agenda (kind, ref, due) VALUES (?, 'x', ?)`).run(kind, Date.now() - 1_000);
    database.close();
  }
}
