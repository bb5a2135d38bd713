import type { BlobStorage, StaleCopy, StoredBlob } from '../../durable-objects/blob-storage.ts';
import {
  type Alarm,
  type AlarmStorage,
  type AppendStamp,
  type BodyQuery,
  type BodyTexts,
  type CredentialStorage,
  countBytes,
  type EventQuery,
  type InboxStorage,
  type Lease,
  NEVER,
  NO_LEASE,
  type RequestStorage,
  type SessionStorage,
  type SnapshotStorage,
  type StoredCredential,
  type StoredMessage,
  type StoredRequest,
  type StoredRow,
} from '../../durable-objects/session-storage.ts';
import type { BlobGoneReason, BlobLoad, KeptBlob } from '../journal/blob.ts';
import type { NewRow } from '../journal/event-page.ts';
import type { InboxKind } from '../journal/inbox-message.ts';
import type { Snapshot } from '../journal/snapshot.ts';

/**
 * Stores a session in arrays. It needs no rollback: the ledger decides before it stores, and these methods do
 * not throw.
 */
export class MemoryStorage implements SessionStorage {
  readonly name: string;
  readonly inbox = new MemoryInbox();
  readonly requests = new MemoryRequests();
  readonly alarms: MemoryAlarms;
  readonly blobs = new MemoryBlobs();
  readonly credentials = createMemoryCredentials();
  readonly snapshots = new MemorySnapshot();
  #events: StoredRow[] = [];
  #lease: Lease = NO_LEASE;

  readonly #isOffered: boolean;

  /**
   * `isOffered`: `true` if rows of modules are offered to a callback. Otherwise an erased session leaves no
   * rows.
   */
  constructor(name: string, setAlarm: (due: number | null) => void, isOffered = true) {
    this.name = name;
    this.#isOffered = isOffered;
    this.alarms = new MemoryAlarms(setAlarm);
  }

  transaction<T>(change: () => T): T {
    return change();
  }

  /** Computes the size each time, since only a session with a limit calls this. */
  bytes(): number {
    return this.#events.reduce((sum, row) => sum + row.bytes, this.blobs.load()?.bytes ?? 0);
  }

  head(): number {
    return this.#events.length;
  }

  opening(): string | null {
    return this.#events[0]?.body ?? null;
  }

  addEvents(rows: readonly NewRow[], { epoch, at }: AppendStamp): void {
    for (const { type, turn, body } of rows)
      this.#events.push({ seq: this.head() + 1, epoch, at, type, turn, body, bytes: countBytes(body) });
  }

  *events({ from, turn, types, limit }: EventQuery): Iterable<StoredRow> {
    let taken = 0;
    for (const row of this.#events.slice(Math.max(from, 1) - 1)) {
      if (taken === limit) return;
      if (turn !== undefined && row.turn !== turn) continue;
      if (types !== undefined && row.seq <= types.until && !types.names.includes(row.type)) continue;
      taken += 1;
      yield row;
    }
  }

  bodies({ names, from, after = from - 1, until, maxBytes }: BodyQuery): BodyTexts {
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
    this.blobs.clear();
    this.credentials.set([]);
    if (this.#isOffered) for (const row of rows) this.alarms.add(row);
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
  #messages: readonly MemoryMessage[] = [];
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
    this.#messages = [...this.#messages, { id: this.#ids, kind, turn, body, bytes: countBytes(body) }];
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

interface MemoryMessage extends StoredMessage {
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
  at: number | null | undefined;
  #alarms: Alarm[] = [];
  readonly #set: (due: number | null) => void;

  constructor(set: (due: number | null) => void) {
    this.#set = set;
  }

  set(due: number | null): void {
    this.at = due;
    this.#set(due);
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

type MemoryBlob = StoredBlob & {
  readonly at: number;
  /** The number of copies in an external store that were deleted. */
  readonly deleted: number;
};

class MemoryBlobs implements BlobStorage {
  readonly isEmpty = undefined;
  #blobs = new Map<string, MemoryBlob>();
  #bytes = new Map<number, Uint8Array>();

  find(id: string): StoredBlob | null {
    return this.#blobs.get(id) ?? null;
  }

  load(): BlobLoad | undefined {
    if (this.#blobs.size === 0) return undefined;
    const kept = this.#kept.map(([, { size }]) => size);
    return { bytes: kept.reduce((sum, size) => sum + size, 0), gone: this.#blobs.size - kept.length };
  }

  add({ id, about, size, bytes }: KeptBlob, at: number): void {
    const known = this.#blobs.get(id);
    const kept = known?.gone === null ? known : undefined;
    const { seq, version, deleted } = known ?? { seq: this.#blobs.size + 1, version: 0, deleted: 0 };
    this.#blobs.set(id, {
      ...{ seq, version, deleted, at, gone: null, about: known?.about ?? about },
      size: bytes ? size : (kept?.size ?? size),
      here: bytes ? 1 : (kept?.here ?? 0),
      outside: bytes ? (kept?.outside ?? 0) : 1,
    });
    if (bytes) this.#bytes.set(seq, bytes);
  }

  remove(id: string, gone: BlobGoneReason): void {
    const blob = this.#blobs.get(id);
    if (!blob) return;
    const version = blob.version + blob.outside;
    this.#blobs.set(id, { ...blob, gone, version, here: 0, outside: 0 });
    this.#bytes.delete(blob.seq);
  }

  oldest(): number | null {
    const times = this.#kept.map(([, { at }]) => at);
    return times.length === 0 ? null : Math.min(...times);
  }

  keptUntil(most: number): string[] {
    return this.#kept.filter(([, { at }]) => at <= most).map(([id]) => id);
  }

  stale(most: number): StaleCopy[] {
    const stale = [...this.#blobs].filter(([, { deleted, version }]) => deleted < version);
    return stale.slice(0, most).map(([id, { deleted }]) => ({ id, version: deleted }));
  }

  forgetStale(copies: readonly StaleCopy[]): void {
    for (const { id, version } of copies) {
      const blob = this.#blobs.get(id);
      if (blob) this.#blobs.set(id, { ...blob, deleted: Math.max(blob.deleted, version + 1) });
    }
  }

  read({ seq }: StoredBlob, from: number, to: number): Uint8Array {
    return this.#bytes.get(seq)?.subarray(from, to) ?? new Uint8Array();
  }

  clear(): void {
    this.#blobs.clear();
    this.#bytes.clear();
  }

  get #kept(): [string, MemoryBlob][] {
    return [...this.#blobs].filter(([, { gone }]) => gone === null);
  }
}

function createMemoryCredentials(): CredentialStorage {
  let all: readonly StoredCredential[] = [];
  return {
    all: () => all,
    set: (credentials) => {
      all = credentials;
    },
  };
}
