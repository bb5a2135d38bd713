import { copyOf, type FileStorage, type StoredFile } from '../../durable-objects/file-storage.ts';
import {
  type Alarm,
  type AlarmStorage,
  type Bodies,
  type BodyQuery,
  bytesIn,
  type CredentialStorage,
  type InboxStorage,
  type Lease,
  NEVER,
  NO_LEASE,
  type RequestStorage,
  type Scan,
  type SessionStorage,
  type SnapshotStorage,
  type StoredBy,
  type StoredCredential,
  type StoredMessage,
  type StoredRequest,
  type StoredRow,
} from '../../durable-objects/session-storage.ts';
import type { NewRow } from '../journal/event-page.ts';
import type { InboxKind } from '../journal/inbox-message.ts';
import type { FileGone, KeptFile } from '../journal/kept-file.ts';
import type { Snapshot } from '../journal/snapshot.ts';

/** A session kept in arrays. It has no roll-back: the ledger decides before it stores, and nothing here throws. */
export class MemoryStorage implements SessionStorage {
  readonly name: string;
  readonly inbox = new MemoryInbox();
  readonly requests = new MemoryRequests();
  readonly alarms: MemoryAlarms;
  readonly files = new MemoryFiles();
  readonly credentials = memoryCredentials();
  readonly snapshots = new MemorySnapshot();
  #events: StoredRow[] = [];
  #lease: Lease = NO_LEASE;

  constructor(name: string, setAlarm: (due: number | null) => void) {
    this.name = name;
    this.alarms = new MemoryAlarms(setAlarm);
  }

  transaction<T>(change: () => T): T {
    return change();
  }

  /** Counted anew: only a session that has a limit is asked. */
  bytes(): number {
    return this.#events.reduce((sum, row) => sum + row.bytes, this.files.bytes());
  }

  head(): number {
    return this.#events.length;
  }

  opening(): string | null {
    return this.#events[0]?.body ?? null;
  }

  addEvents(rows: readonly NewRow[], { epoch, at }: StoredBy): void {
    for (const { type, turn, body } of rows)
      this.#events.push({ seq: this.head() + 1, epoch, at, type, turn, body, bytes: bytesIn(body) });
  }

  *events({ from, turn, types, limit }: Scan): Iterable<StoredRow> {
    let taken = 0;
    for (const row of this.#events.slice(Math.max(from, 1) - 1)) {
      if (taken === limit) return;
      if (turn !== undefined && row.turn !== turn) continue;
      if (types !== undefined && row.seq <= types.until && !types.names.includes(row.type)) continue;
      taken += 1;
      yield row;
    }
  }

  bodies({ names, from, after = from - 1, until, maxBytes }: BodyQuery): Bodies {
    const rows = this.#events.filter(({ seq, type }) => seq > after && seq <= until && names.includes(type));
    if (rows.reduce((bytes, row) => bytes + row.bytes, 0) > maxBytes) return { texts: [], until: after };
    return { texts: rows.length === 0 ? [] : [`[${rows.map(({ body }) => body).join(',')}]`], until };
  }

  lastAppend(epoch: number): number | null {
    const last = this.#events.at(-1);
    return last?.epoch === epoch ? last.at : null;
  }

  turnStart(turn: string): number | null {
    return this.#events.find((row) => row.turn === turn && row.type === 'turn-started')?.seq ?? null;
  }

  lease(): Lease {
    return this.#lease;
  }

  setLease(lease: Lease): void {
    this.#lease = lease;
  }

  erase(rows: readonly Alarm[]): void {
    this.#events = [];
    this.#lease = NO_LEASE;
    this.snapshots.clear();
    this.inbox.clear();
    this.requests.clear();
    this.alarms.clear();
    this.files.clear();
    this.credentials.set([]);
    for (const row of rows) this.alarms.add(row);
  }
}

class MemorySnapshot implements SnapshotStorage {
  #snapshot: Snapshot | null = null;

  find(reducer: number): Snapshot | null {
    return this.#snapshot?.reducer === reducer ? this.#snapshot : null;
  }

  set(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
  }

  clear(): void {
    this.#snapshot = null;
  }
}

class MemoryInbox implements InboxStorage {
  #messages: readonly KeptMessage[] = [];
  #ids = 0;

  messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  body(id: number): string {
    return this.#messages.find((message) => message.id === id)?.body ?? '';
  }

  take(id: number): string {
    const body = this.body(id);
    this.remove([id]);
    return body;
  }

  add(kind: InboxKind, turn: string, body: string): void {
    this.#ids += 1;
    this.#messages = [...this.#messages, { id: this.#ids, kind, turn, body, bytes: bytesIn(body) }];
  }

  remove(ids: readonly number[]): void {
    if (ids.length > 0) this.#messages = this.#messages.filter(({ id }) => !ids.includes(id));
  }

  queueSteered(): void {
    this.#messages = this.#messages.map((message) =>
      message.kind === 'steer' ? { ...message, kind: 'message' } : message,
    );
  }

  clear(): void {
    this.#messages = [];
  }
}

interface KeptMessage extends StoredMessage {
  readonly body: string;
}

class MemoryRequests implements RequestStorage {
  #requests = new Map<string, StoredRequest>();

  find(key: string): StoredRequest | null {
    return this.#requests.get(key) ?? null;
  }

  add(request: StoredRequest): void {
    this.#requests.set(request.key, request);
  }

  forget(now: number): void {
    for (const { key, expires } of this.#requests.values()) if (expires <= now) this.#requests.delete(key);
  }

  expire(before: number, expires: number): void {
    for (const request of this.#requests.values()) {
      if (request.expires === NEVER && request.seq < before) this.add({ ...request, expires });
    }
  }

  clear(): void {
    this.#requests.clear();
  }
}

class MemoryAlarms implements AlarmStorage {
  readonly set: (due: number | null) => void;
  #alarms: Alarm[] = [];

  constructor(set: (due: number | null) => void) {
    this.set = set;
  }

  all(): Alarm[] {
    return this.#alarms.toSorted((a, b) => a.due - b.due);
  }

  add(alarm: Alarm): void {
    this.remove(alarm.kind, alarm.ref);
    this.#alarms.push(alarm);
  }

  remove(kind: Alarm['kind'], ref: string): void {
    this.#alarms = this.#alarms.filter((alarm) => alarm.kind !== kind || alarm.ref !== ref);
  }

  clear(): void {
    this.#alarms = [];
    this.set(null);
  }
}

interface MemoryFile extends Omit<StoredFile, 'copy'> {
  readonly at: number;
  /** Copies that a store outside is to delete, and how many of these it has deleted. */
  readonly version: number;
  readonly deleted: number;
}

class MemoryFiles implements FileStorage {
  readonly isEmpty = undefined;
  #files = new Map<string, MemoryFile>();
  #bytes = new Map<string, Uint8Array>();

  find(id: string): StoredFile | null {
    const file = this.#files.get(id);
    return file === undefined ? null : toStoredFile(file);
  }

  bytes(): number {
    return this.#kept.reduce((sum, { size }) => sum + size, 0);
  }

  hasGone(): boolean {
    return this.#kept.length < this.#files.size;
  }

  add({ bytes, size, copy: _, outside: __, ...file }: KeptFile, at: number): void {
    const known = this.#files.get(file.id);
    const kept = known?.gone === null ? known : undefined;
    const isHere = bytes !== undefined;
    this.#files.set(file.id, {
      ...{ ...file, version: 0, deleted: 0 },
      ...known,
      ...{ at, gone: null },
      size: isHere ? size : (kept?.size ?? size),
      isHere: isHere || kept?.isHere === true,
      isOutside: !isHere || kept?.isOutside === true,
    });
    if (isHere) this.#bytes.set(file.id, bytes);
  }

  keepLonger(id: string, at: number): void {
    const file = this.#files.get(id);
    if (file !== undefined) this.#files.set(id, { ...file, at });
  }

  remove(id: string, gone: FileGone): void {
    const file = this.#files.get(id);
    if (file === undefined) return;
    const version = file.version + (file.isOutside ? 1 : 0);
    this.#files.set(id, { ...file, gone, version, isHere: false, isOutside: false });
    this.#bytes.delete(id);
  }

  oldest(): number | null {
    return this.#kept.length === 0 ? null : Math.min(...this.#kept.map(({ at }) => at));
  }

  keptUntil(most: number): StoredFile[] {
    return this.#kept.filter(({ at }) => at <= most).map(toStoredFile);
  }

  staleCopies(most: number): string[] {
    const stale = [...this.#files.values()].filter(({ deleted, version }) => deleted < version);
    return stale.slice(0, most).map(({ id, deleted }) => copyOf(id, deleted));
  }

  forgetCopies(copies: readonly string[]): void {
    for (const [id, file] of this.#files) {
      if (copies.includes(copyOf(id, file.deleted)))
        this.#files.set(id, { ...file, deleted: file.deleted + 1 });
    }
  }

  read(id: string, from: number, to: number): Uint8Array {
    return this.#bytes.get(id)?.subarray(from, to) ?? new Uint8Array();
  }

  clear(): void {
    this.#files.clear();
    this.#bytes.clear();
  }

  get #kept(): MemoryFile[] {
    return [...this.#files.values()].filter(({ gone }) => gone === null);
  }
}

const toStoredFile = ({ at: _, version, deleted: __, ...file }: MemoryFile): StoredFile => ({
  ...file,
  copy: copyOf(file.id, version),
});

function memoryCredentials(): CredentialStorage {
  let all: readonly StoredCredential[] = [];
  return {
    all: () => all,
    set: (credentials) => {
      all = credentials;
    },
  };
}
