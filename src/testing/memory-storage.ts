import {
  type AgendaEntry,
  type BodyQuery,
  type Lease,
  NO_LEASE,
  type NoteRow,
  type Scan,
  type SessionStorage,
  type StoredRequest,
  type StoredRow,
  type WaitingRow,
} from '../../durable-objects/session-storage.ts';
import type { InboxKind } from '../journal/session-port.ts';
import type { Snapshot } from '../journal/snapshot.ts';

/** A session kept in arrays. It has no roll-back: the ledger decides before it stores, and nothing here throws. */
export class MemoryStorage implements SessionStorage {
  readonly name: string;
  readonly #arm: (due: number | null) => void;
  #exists = false;
  #events: StoredRow[] = [];
  #lease: Lease = NO_LEASE;
  #requests = new Map<string, StoredRequest>();
  #inbox: KeptRow[] = [];
  #inboxIds = 0;
  #agenda: AgendaEntry[] = [];
  #snapshot: Snapshot | null = null;

  constructor(name: string, arm: (due: number | null) => void) {
    this.name = name;
    this.#arm = arm;
  }

  exists(): boolean {
    return this.#exists;
  }

  transaction<T>(change: () => T): T {
    this.#exists = true;
    return change();
  }

  head(): number {
    return this.#events.length;
  }

  addEvents(rows: readonly StoredRow[]): void {
    this.#events.push(...rows);
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

  bodies({ names, from, until, maxBytes }: BodyQuery): readonly string[] | null {
    const rows = this.#events.filter(({ seq, type }) => seq >= from && seq <= until && names.includes(type));
    if (rows.reduce((bytes, row) => bytes + row.bytes, 0) > maxBytes) return null;
    return rows.length === 0 ? [] : [`[${rows.map(({ body }) => body).join(',')}]`];
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

  request(key: string): StoredRequest | null {
    return this.#requests.get(key) ?? null;
  }

  addRequest(request: StoredRequest): void {
    this.#requests.set(request.key, request);
  }

  forgetRequests(now: number): void {
    for (const { key, expires } of this.#requests.values()) if (expires <= now) this.#requests.delete(key);
  }

  notes(turn: string): NoteRow[] {
    return this.#inbox.flatMap(({ kind, body: _, ...row }) => {
      if (kind === 'message' || kind === 'scheduled') return [];
      return kind === 'steer' || kind === 'late' || row.turn === turn ? [{ ...row, kind }] : [];
    });
  }

  noteBody(id: number): string {
    return this.#inbox.find((row) => row.id === id)?.body ?? '';
  }

  waiting(): WaitingRow[] {
    return this.#inbox.flatMap(({ id, kind, turn }) =>
      kind === 'message' || kind === 'steer' || kind === 'scheduled' ? [{ id, kind, turn }] : [],
    );
  }

  takeWaiting(id: number): string {
    const body = this.noteBody(id);
    this.removeInbox([id]);
    return body;
  }

  addInbox(kind: InboxKind, turn: string, body: string): void {
    this.#inboxIds += 1;
    this.#inbox.push({ id: this.#inboxIds, kind, turn, body });
  }

  removeInbox(ids: readonly number[]): void {
    this.#inbox = this.#inbox.filter((row) => !ids.includes(row.id));
  }

  queueSteered(): void {
    this.#inbox = this.#inbox.map((row) => (row.kind === 'steer' ? { ...row, kind: 'message' } : row));
  }

  agenda(): AgendaEntry[] {
    return this.#agenda.toSorted((a, b) => a.due - b.due);
  }

  schedule(entry: AgendaEntry): void {
    this.unschedule(entry.kind, entry.ref);
    this.#agenda.push(entry);
  }

  unschedule(kind: AgendaEntry['kind'], ref: string): void {
    this.#agenda = this.#agenda.filter((entry) => entry.kind !== kind || entry.ref !== ref);
  }

  arm(due: number | null): void {
    this.#arm(due);
  }

  snapshot(reducer: number): Snapshot | null {
    return this.#snapshot?.reducer === reducer ? this.#snapshot : null;
  }

  setSnapshot(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
  }

  erase(): void {
    this.#exists = false;
    this.#events = [];
    this.#lease = NO_LEASE;
    this.#requests.clear();
    this.#inbox = [];
    this.#agenda = [];
    this.#snapshot = null;
    this.#arm(null);
  }
}

interface KeptRow {
  readonly id: number;
  readonly kind: InboxKind;
  readonly turn: string;
  readonly body: string;
}
