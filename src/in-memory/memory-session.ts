import { SessionLedger } from '../../durable-objects/ledger.ts';
import type { DueOutcome, DueRow, HandOver } from '../journal/agenda.ts';
import { LIVE, type Line, type LiveMessage, type Watcher } from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Clock } from '../session/read-platform.ts';
import { MemoryStorage } from './memory-storage.ts';

/** What sessions in memory are made with. */
export interface MemorySessionsOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** What one session may weigh, in bytes; any weight unless given. It is full 16 MiB before that. */
  readonly mostBytes?: number | undefined;
  /** Called by a session's alarm with a turn that needs a holder; not awaited, and its failure is ignored. */
  readonly dispatch: (handOver: HandOver) => unknown;
  /**
   * Called by a session's alarm with a row that is due, and again after a while if it rejects. Absent: rows of modules stay, and nothing is
   * deleted outside.
   */
  readonly due?: ((row: DueRow) => Promise<DueOutcome>) | undefined;
}

/** Sessions in memory, which keep the rules of the Durable Object. */
export interface MemorySessions {
  /** The session of this name, the same one each time. */
  session(name: string): SessionPort;
  /** What a crash of the object does: its rows and its alarm stay, its memory and its watchers go. */
  restart(name: string): void;
}

/** Sessions as `SessionObject` keeps them, by the same rules, in this process. Nothing is shared with the caller. */
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
  /** Each with its name. */
  readonly #watchers = new Map<Watcher, string>();
  #named = 0;
  /** The line whose pings are answered, its number, and when the last one came; `null` if none did. */
  #heartbeat: { readonly watcher: Watcher; readonly line: number; pinged: number | null } | undefined;
  #ledger: SessionLedger;
  #clearAlarm: () => void = () => {};
  /** How often sessions of this name were begun; the next one has other epochs. */
  #opened = 0;

  constructor(name: string, options: MemorySessionsOptions) {
    this.#name = name;
    this.#options = options;
    this.#storage = new MemoryStorage(name, (due) => this.#setAlarm(due), options.due !== undefined);
    this.#ledger = this.#start();
    this.port = {
      accept: async (start) => copy(this.#ledger.accept(copy(start))),
      begin: async (request) => copy(this.#ledger.begin(copy(request))),
      resume: async (request) => copy(this.#ledger.resume(copy(request))),
      append: async (epoch, from, change) => copy(this.#ledger.append(epoch, from, copy(change))),
      renew: async (epoch, inboxHeld) => copy(this.#ledger.renew(epoch, inboxHeld)),
      post: async (message) => this.#ledger.post(copy(message)),
      read: async (query) => copy(this.#ledger.read(copy(query))),
      blob: async (query) => copy(this.#ledger.blob(copy(query))),
      blobStates: async (ids) => copy(this.#ledger.blobStates(ids)),
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
        tell: () => this.#tellAll(),
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

  /** Closes the line of a watcher from here. */
  #break(watcher: Watcher): void {
    if (this.#watchers.delete(watcher)) queueMicrotask(watcher.onClosed);
  }

  /** Closes the lines of holders, and answers no ping over them. */
  #fence(): void {
    this.#heartbeat = undefined;
    for (const watcher of this.#watchers.keys()) if (watcher.holder !== undefined) this.#break(watcher);
  }

  /** A holder pings. */
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
      if (this.#watchers.has(watcher)) watcher.onNotice(copy(told));
    });
  }

  #tellAll(): void {
    for (const watcher of this.#watchers.keys()) this.#tell(watcher);
  }

  #tellHolders(joined?: string): void {
    for (const watcher of this.#watchers.keys())
      if (watcher.holder !== undefined) this.#tell(watcher, joined);
  }

  /** All is read at once here, so that there is always room for more. */
  #show({ holder }: Watcher, { to, ...message }: LiveMessage): boolean {
    if (holder === undefined || !this.#ledger.clock.isHeldBy(holder)) return true;
    const names = to?.split(' ');
    const readers = this.#liveReaders.filter((one) => names?.includes(this.#watchers.get(one) ?? '') ?? true);
    if (readers.length === 0) this.#tellHolders();
    for (const watcher of readers) {
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onLive?.(copy(message));
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

  /** A row whose offer fails is due again by itself. */
  async #offer(row: DueRow): Promise<void> {
    const outcome = await this.#options.due?.(row).catch(() => undefined);
    if (outcome !== undefined) this.#ledger.settleRow(row, outcome);
  }
}

/** As RPC does: what crosses is data, and each side has its own. What is not plain data is `structuredClone`'s to judge. */
function copy<T>(data: T): T {
  if (typeof data !== 'object' || data === null)
    return typeof data === 'function' ? structuredClone(data) : data;
  if (data instanceof Uint8Array) return data.slice() as T & Uint8Array; // of the same bytes, and of nothing around them
  if (Array.isArray(data)) return data.map((item: unknown) => copy(item)) as T; // of the same items
  if (Object.getPrototypeOf(data) !== Object.prototype) return structuredClone(data);
  const fields = Object.entries(data).map(([key, value]: [string, unknown]) => [key, copy(value)]);
  return Object.fromEntries(fields) as T; // with the same fields
}
