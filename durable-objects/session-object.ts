import { DurableObject } from 'cloudflare:workers';
import type { DueRow } from '../src/journal/agenda.ts';
import type { BlobPage, BlobQuery, BlobRemoved, BlobStates } from '../src/journal/blob.ts';
import type { Deferred, EventPage, ReadQuery } from '../src/journal/event-page.ts';
import type { Posted, PostedMessage } from '../src/journal/inbox-message.ts';
import type {
  Accepted,
  Appended,
  BeginRequest,
  Change,
  Fenced,
  FoundCredential,
  KeptCredential,
  Leased,
  NotResumed,
  NotStarted,
  Renewed,
  ResumeRequest,
  SessionFull,
  TurnStart,
} from '../src/journal/session-port.ts';
import { mostBytesOf } from './appends.ts';
import { createTurnCarrier, type TurnCarrier, type TurnQueue } from './hand-over.ts';
import { SessionLedger } from './ledger.ts';
import { SqlSessionStorage } from './sql-storage.ts';
import { createWatchers, type Watchers } from './watchers.ts';

interface SessionEnv {
  /** How long one invocation may hold a session between two appends, in ms. */
  readonly LEASE_MS?: string;
  /** `free`: the database of an object may weigh less than on other plans. */
  readonly PLAN?: string;
  /** What it may weigh, in bytes, where it is not what the plan allows. */
  readonly SESSION_BYTES?: string;
  readonly TURNS?: TurnQueue;
}

const DEFAULT_LEASE_MS = 20_000;

/** The least that `LEASE_MS` may say, in ms; what says less, or no number, is no term, and Workers are told so. */
const LEAST_LEASE_MS = 100;

/** An object that cannot start would take nothing over: where the var is wrong, it goes on with the default. */
function leaseOf({ LEASE_MS }: SessionEnv): number {
  const ms = Number(LEASE_MS || DEFAULT_LEASE_MS);
  return Number.isSafeInteger(ms) && ms >= LEAST_LEASE_MS ? ms : DEFAULT_LEASE_MS;
}

/** Epochs of a session that was erased are not met again by chance. */
const MOST_FIRST_EPOCH = 2 ** 40;

/**
 * One session: its journal, its lease, its alarm. It stores and wakes, and knows nothing of agents. The methods are
 * those of `SessionPort`, called over RPC with plain data; `watch` is the WebSocket that `fetch` opens.
 */
export class SessionObject extends DurableObject<SessionEnv> {
  readonly #storage: SqlSessionStorage;
  readonly #ledger: SessionLedger;
  readonly #watchers: Watchers;
  readonly #carrier: TurnCarrier;
  readonly #leaseMs: number;
  readonly #now: () => number;

  /** `now`: the time in ms since the epoch. The platform gives none, so that it is the system's; a test can hold it. */
  constructor(ctx: DurableObjectState, env: SessionEnv, now = () => Date.now()) {
    super(ctx, env);
    this.#now = now;
    this.#leaseMs = leaseOf(env);
    this.#storage = new SqlSessionStorage(ctx.storage, ctx.id.name);
    this.#watchers = createWatchers(ctx, () => this.#ledger);
    this.#ledger = new SessionLedger(this.#storage, {
      leaseMs: this.#leaseMs,
      mostBytes: mostBytesOf(env),
      now,
      watchers: this.#watchers,
      firstEpoch: () => Math.floor(Math.random() * MOST_FIRST_EPOCH),
    });
    this.#carrier = createTurnCarrier(ctx, env.TURNS);
  }

  accept(start: TurnStart): Accepted | Deferred | NotStarted {
    return this.#ledger.accept(start);
  }

  begin(request: BeginRequest): Leased | Deferred | NotStarted {
    return this.#ledger.begin(request);
  }

  resume(request: ResumeRequest): Leased | NotResumed {
    this.#carrier.arrived();
    return this.#ledger.resume(request);
  }

  append(epoch: number, from: number, change: Change): Appended | Fenced | SessionFull {
    return this.#ledger.append(epoch, from, change);
  }

  renew(epoch: number, inboxHeld?: readonly number[]): Renewed | Fenced {
    return this.#ledger.renew(epoch, inboxHeld);
  }

  post(message: PostedMessage): Posted {
    return this.#ledger.post(message);
  }

  read(query: ReadQuery): EventPage | null {
    return this.#ledger.read(query);
  }

  blob(query: BlobQuery): BlobPage | null {
    return this.#ledger.blob(query);
  }

  blobStates(ids: readonly string[]): BlobStates | null {
    return this.#ledger.blobStates(ids);
  }

  removeBlob(id: string): BlobRemoved {
    return this.#ledger.removeBlob(id);
  }

  credential(epoch: number, key: string): FoundCredential | Fenced {
    return this.#ledger.credential(epoch, key);
  }

  keepCredential(epoch: number, key: string, value: string | null): KeptCredential | Fenced | SessionFull {
    return this.#ledger.keepCredential(epoch, key, value);
  }

  erase(): boolean {
    const existed = this.#ledger.erase();
    this.#watchers.tell();
    return existed;
  }

  /** Opens a watcher. */
  override fetch(request: Request): Response {
    return this.#watchers.open(request);
  }

  /** Takes what is sent over a line to a watcher. It stores nothing, so that it costs no more than the time that it takes. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#watchers.heard(socket, message);
  }

  /** Hands the turns that wait to the runner and awaits none: an alarm that awaits a turn blocks the next alarm. */
  override alarm(): void {
    try {
      const { name } = this.#storage;
      const { turns, rows } = this.#ledger.alarm();
      for (const turn of turns) void this.#carrier.handOver({ name, turn });
      for (const row of rows) void this.#offer({ name, ...row });
    } catch (error) {
      console.error(`holdfast: the alarm of session ${this.#storage.name} failed: ${String(error)}`);
      void this.ctx.storage.setAlarm(this.#now() + this.#leaseMs);
    }
  }

  /** A row whose offer was not answered is due again by itself. */
  async #offer(row: DueRow): Promise<void> {
    const outcome = await this.#carrier.offer(row);
    if (outcome !== undefined) this.#ledger.settleRow(row, outcome);
  }
}
