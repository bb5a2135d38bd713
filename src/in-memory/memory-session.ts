import { SessionLedger } from '../../durable-objects/ledger.ts';
import type { DueOutcome, DueRow, HandOver } from '../journal/agenda.ts';
import { LIVE, type Line, type LiveMessage, type Watcher } from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Clock } from '../session/read-platform.ts';
import { MemoryStorage } from './memory-storage.ts';

/** Options of sessions in memory. */
export interface MemorySessionsOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /**
   * The maximum number of bytes of one session. It counts as full 16 MiB below that. Defaults to no limit.
   */
  readonly mostBytes?: number | undefined;
  /**
   * Called by a session's alarm with a turn that has no lease holder. It is not awaited, and its failure is
   * ignored.
   */
  readonly dispatch: (handOver: HandOver) => unknown;
  /**
   * Called by a session's alarm with a due row, and again after a while if it rejects. If absent, rows of
   * modules remain, and external files are not deleted.
   */
  readonly due?: ((row: DueRow) => Promise<DueOutcome>) | undefined;
}

/** Sessions in memory, which follow the rules of the Durable Object. */
export interface MemorySessions {
  /** Returns the session of this name, always the same object. */
  session(name: string): SessionPort;
  /** Simulates a crash of the object: its rows and alarm remain, its memory and watchers are lost. */
  restart(name: string): void;
}

/**
 * Creates sessions with the rules of `SessionObject`, in this process. They share no objects with the caller.
 */
export function createMemorySessions(options: MemorySessionsOptions): MemorySessions {
  const sessions = new Map<string, MemorySession>();
  function find(name: string): MemorySession {
    const found = sessions.get(name) ?? new MemorySession(name, options);
    sessions.set(name, found);
    return found;
  }
  return { session: (name) => find(name).port, restart: (name) => find(name).restart() };
}

class MemorySession {
  readonly port: SessionPort;
  readonly #name: string;
  readonly #options: MemorySessionsOptions;
  readonly #storage: MemoryStorage;
  /** The watchers with their names. */
  readonly #watchers = new Map<Watcher, string>();
  #named = 0;
  /**
   * The connection whose pings get a response, its number, and the time of the last ping; `null` before the
   * first.
   */
  #heartbeat: { readonly watcher: Watcher; readonly line: number; pinged: number | null } | undefined;
  #ledger: SessionLedger;
  #clearAlarm: () => void = () => {};
  /** The number of sessions that have started under this name. Each has its own epochs. */
  #opened = 0;

  constructor(name: string, options: MemorySessionsOptions) {
    this.#name = name;
    this.#options = options;
    this.#storage = new MemoryStorage(name, (due) => this.#setAlarm(due), options.due !== undefined);
    this.#ledger = this.#start();
    this.port = {
      accept: async (start) => copyData(this.#ledger.accept(copyData(start))),
      begin: async (request) => copyData(this.#ledger.begin(copyData(request))),
      resume: async (request) => copyData(this.#ledger.resume(copyData(request))),
      append: async (epoch, from, change) => copyData(this.#ledger.append(epoch, from, copyData(change))),
      renew: async (epoch, inboxHeld) => copyData(this.#ledger.renew(epoch, inboxHeld)),
      post: async (message) => this.#ledger.post(copyData(message)),
      read: async (query) => copyData(this.#ledger.read(copyData(query))),
      blob: async (query) => copyData(this.#ledger.blob(copyData(query))),
      blobStates: async (ids) => copyData(this.#ledger.blobStates(ids)),
      removeBlob: async (id) => this.#ledger.removeBlob(id),
      credential: async (epoch, key) => this.#ledger.credential(epoch, key),
      keepCredential: async (epoch, key, value) => this.#ledger.keepCredential(epoch, key, value),
      watch: async (watcher) => this.#watch(watcher),
      erase: async () => this.#ledger.erase(),
    };
  }

  restart(): void {
    this.#fence();
    this.#ledger = this.#start();
    for (const watcher of this.#watchers.keys()) this.#break(watcher);
  }

  #start(): SessionLedger {
    const { clock, leaseMs, mostBytes } = this.#options;
    return new SessionLedger(this.#storage, {
      leaseMs,
      mostBytes,
      now: () => clock.now(),
      watchers: {
        notify: () => this.#tellAll(),
        hasReaders: () => [...this.#watchers.keys()].some(({ holder }) => holder === undefined),
        hasLiveReaders: () => this.#liveReaders.length > 0,
        pinged: (line) => (this.#heartbeat?.line === line ? this.#heartbeat.pinged : undefined),
        fence: () => this.#fence(),
      },
      firstEpoch: () => {
        this.#opened += 1;
        return (this.#opened - 1) * 1_000_000;
      },
    });
  }

  #watch(watcher: Watcher): Line {
    const { holder } = watcher;
    const isReader = holder === undefined;
    const name = `r${++this.#named}`;
    const line = isReader ? 0 : this.#ledger.clock.lineOpened(holder);
    if (line > 0) {
      this.#fence();
      this.#heartbeat = { watcher, line, pinged: null };
    }
    this.#watchers.set(watcher, name);
    if (isReader) this.#ledger.wake();
    this.#tell(watcher, !isReader && this.#liveReaders.length > 0 ? LIVE : undefined);
    if (this.#liveReaders.includes(watcher)) this.#tellHolders(name);
    return {
      close: () => this.#close(watcher),
      show: (message) => this.#show(watcher, message),
      ping: () => {
        if (isReader) this.#ledger.wake();
        else this.#heard(watcher);
      },
    };
  }

  #close(watcher: Watcher): void {
    if (!this.#watchers.delete(watcher)) return;
    const { holder } = watcher;
    const heartbeat = this.#heartbeat;
    if (holder === undefined || heartbeat?.watcher !== watcher) return;
    this.#heartbeat = undefined;
    this.#ledger.clock.lineClosed({ ...heartbeat, epoch: holder });
  }

  /** Closes the connection of a watcher from this side. */
  #break(watcher: Watcher): void {
    if (this.#watchers.delete(watcher)) queueMicrotask(watcher.onClosed);
  }

  /** Closes the connections of holders, and stops responding to their pings. */
  #fence(): void {
    this.#heartbeat = undefined;
    for (const watcher of this.#watchers.keys()) if (watcher.holder !== undefined) this.#break(watcher);
  }

  /** Handles the ping of a holder. */
  #heard(watcher: Watcher): void {
    if (this.#heartbeat?.watcher !== watcher) {
      this.#break(watcher);
      return;
    }
    this.#heartbeat.pinged = this.#options.clock.now();
    queueMicrotask(() => {
      if (this.#watchers.has(watcher)) watcher.onHeld?.();
    });
  }

  get #liveReaders(): Watcher[] {
    return [...this.#watchers.keys()].filter(({ holder, onLive }) => holder === undefined && onLive);
  }

  #tell(watcher: Watcher, joined?: string): void {
    const notice = this.#ledger.notice();
    const isHolder = watcher.holder !== undefined;
    const live = this.#liveReaders.length > 0;
    const told = isHolder ? { ...notice, live, ...(joined !== undefined && { joined }) } : notice;
    queueMicrotask(() => {
      if (this.#watchers.has(watcher)) watcher.onNotice(copyData(told));
    });
  }

  #tellAll(): void {
    for (const watcher of this.#watchers.keys()) this.#tell(watcher);
  }

  #tellHolders(joined?: string): void {
    for (const watcher of this.#watchers.keys())
      if (watcher.holder !== undefined) this.#tell(watcher, joined);
  }

  /** Watchers in memory read everything at once, so there is always room for more events. */
  #show({ holder }: Watcher, { to, ...message }: LiveMessage): boolean {
    if (holder === undefined || !this.#ledger.clock.isHeldBy(holder)) return true;
    const names = to?.split(' ');
    const readers = this.#liveReaders.filter((one) => names?.includes(this.#watchers.get(one) ?? '') ?? true);
    if (readers.length === 0) this.#tellHolders();
    for (const watcher of readers) {
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onLive?.(copyData(message));
      });
    }
    return true;
  }

  #setAlarm(due: number | null): void {
    const { clock } = this.#options;
    this.#clearAlarm();
    this.#clearAlarm =
      due === null ? () => {} : clock.after(Math.max(0, due - clock.now()), () => this.#alarm());
  }

  #alarm(): void {
    const { dispatch } = this.#options;
    const { turns, rows } = this.#ledger.alarm();
    for (const turn of turns) {
      const handOver = { name: this.#name, turn };
      Promise.resolve(handOver)
        .then(dispatch)
        .catch(() => {});
    }
    for (const row of rows) void this.#offer({ name: this.#name, ...row });
  }

  /** Offers a row. If that fails, the row becomes due again. */
  async #offer(row: DueRow): Promise<void> {
    const outcome = await this.#options.due?.(row).catch(() => undefined);
    if (outcome !== undefined) this.#ledger.settleRow(row, outcome);
  }
}

/**
 * Copies data like RPC does, so that each side has its own copy. `structuredClone` handles values that are
 * not plain data.
 */
function copyData<T>(data: T): T {
  if (typeof data !== 'object' || data === null)
    return typeof data === 'function' ? structuredClone(data) : data;
  if (data instanceof Uint8Array) return data.slice() as T & Uint8Array; // only these bytes, without the rest of their buffer
  if (Array.isArray(data)) return data.map((item: unknown) => copyData(item)) as T; // the items have the same types
  if (Object.getPrototypeOf(data) !== Object.prototype) return structuredClone(data);
  const fields = Object.entries(data).map(([key, value]: [string, unknown]) => [key, copyData(value)]);
  return Object.fromEntries(fields) as T; // the fields have the same types
}
