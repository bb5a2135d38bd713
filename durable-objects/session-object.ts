import { DurableObject } from 'cloudflare:workers';
import type { DueOutcome, DueRow, HandOver, TurnRunner } from '../src/journal/agenda.ts';
import type { BlobPage, BlobQuery, BlobRemoval, BlobStates } from '../src/journal/blob.ts';
import type { DeferredTurn, EventPage, ReadQuery } from '../src/journal/event-page.ts';
import type { PostedMessage, PostOutcome } from '../src/journal/inbox-message.ts';
import type {
  AcceptedTurn,
  AppendData,
  AppendReceipt,
  BeginRequest,
  FoundCredential,
  KeptCredential,
  LeaseGrant,
  LeaseLoss,
  RenewalReceipt,
  ResumeRefusal,
  ResumeRequest,
  SessionFull,
  StartRefusal,
  TurnStart,
} from '../src/journal/session-port.ts';
import { logError } from './agenda.ts';
import { readMaxBytes } from './appends.ts';
import { SessionLedger } from './ledger.ts';
import { SqlSessionStorage } from './sql-storage.ts';
import { createWatchers, type Watchers } from './watchers.ts';

interface SessionEnv {
  /** How long an invocation can hold a session between two appends, in ms. */
  readonly LEASE_MS?: string;
  /** `free`: the maximum size of an object's database is smaller than on other plans. */
  readonly PLAN?: string;
  /** The maximum size of the database in bytes. Defaults to the limit of the plan. */
  readonly SESSION_BYTES?: string;
  readonly TURNS?: TurnQueue;
}

const DEFAULT_LEASE_MS = 20_000;

/** The minimum of `LEASE_MS` in ms. Workers report a smaller or invalid value as an error. */
const MIN_LEASE_MS = 100;

/**
 * Returns the term of a lease in ms. Uses the default for an invalid var, since an object that cannot start
 * could not take turns over.
 */
function readLeaseMs({ LEASE_MS }: SessionEnv): number {
  const ms = Number(LEASE_MS || DEFAULT_LEASE_MS);
  return Number.isSafeInteger(ms) && ms >= MIN_LEASE_MS ? ms : DEFAULT_LEASE_MS;
}

/** The range of first epochs. It is so large that an erased session's epochs do not recur by chance. */
const MAX_FIRST_EPOCH = 2 ** 40;

/**
 * One session: its journal, its lease, its alarm. It stores data and handles alarms, but has no knowledge of
 * agents. Its methods are those of `SessionPort`, called over RPC with plain data. `watch` is the WebSocket
 * that `fetch` opens.
 */
export class SessionObject extends DurableObject<SessionEnv> {
  readonly #storage: SqlSessionStorage;
  readonly #ledger: SessionLedger;
  readonly #watchers: Watchers;
  readonly #carrier: TurnCarrier;
  readonly #leaseMs: number;
  readonly #now: () => number;

  /**
   * `now`: the time in ms since the epoch. The platform does not pass it, so it defaults to the system's
   * clock. Tests replace it.
   */
  constructor(ctx: DurableObjectState, env: SessionEnv, now = () => Date.now()) {
    super(ctx, env);
    this.#now = now;
    this.#leaseMs = readLeaseMs(env);
    this.#storage = new SqlSessionStorage(ctx.storage, ctx.id.name);
    this.#watchers = createWatchers(ctx, () => this.#ledger);
    this.#ledger = new SessionLedger(this.#storage, {
      leaseMs: this.#leaseMs,
      mostBytes: readMaxBytes(env),
      now,
      watchers: this.#watchers,
      firstEpoch: () => Math.floor(Math.random() * MAX_FIRST_EPOCH),
    });
    this.#carrier = createTurnCarrier(ctx, env.TURNS);
  }

  accept(start: TurnStart): AcceptedTurn | DeferredTurn | StartRefusal {
    return this.#ledger.accept(start);
  }

  begin(request: BeginRequest): LeaseGrant | DeferredTurn | StartRefusal {
    return this.#ledger.begin(request);
  }

  resume(request: ResumeRequest): LeaseGrant | ResumeRefusal {
    this.#carrier.arrived();
    return this.#ledger.resume(request);
  }

  append(epoch: number, from: number, change: AppendData): AppendReceipt | LeaseLoss | SessionFull {
    return this.#ledger.append(epoch, from, change);
  }

  renew(epoch: number, inboxHeld?: readonly number[]): RenewalReceipt | LeaseLoss {
    return this.#ledger.renew(epoch, inboxHeld);
  }

  post(message: PostedMessage): PostOutcome {
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

  removeBlob(id: string): BlobRemoval {
    return this.#ledger.removeBlob(id);
  }

  credential(epoch: number, key: string): FoundCredential | LeaseLoss {
    return this.#ledger.credential(epoch, key);
  }

  keepCredential(epoch: number, key: string, value: string | null): KeptCredential | LeaseLoss | SessionFull {
    return this.#ledger.keepCredential(epoch, key, value);
  }

  erase(): boolean {
    return this.#ledger.erase();
  }

  /** Opens a watcher's WebSocket. */
  override fetch(request: Request): Response {
    return this.#watchers.open(request);
  }

  /** Handles a watcher's message. Does not write, so it costs only its duration. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#watchers.heard(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#watchers.closed(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#watchers.closed(socket);
  }

  /**
   * Hands the due turns to the runner without awaiting them, since an alarm that awaits a turn blocks the
   * next alarm.
   */
  override alarm(): void {
    try {
      const { name } = this.#storage;
      const { turns, rows } = this.#ledger.alarm();
      for (const turn of turns) void this.#carrier.handOver({ name, turn });
      for (const row of rows) void this.#offer({ name, ...row });
    } catch (error) {
      logError(`the alarm of session ${this.#storage.name} failed: ${String(error)}`);
      void this.ctx.storage.setAlarm(this.#now() + this.#leaseMs);
    }
  }

  /** Offers a row. Without a reply, it becomes due again by itself. */
  async #offer(row: DueRow): Promise<void> {
    const outcome = await this.#carrier.offer(row);
    if (outcome !== undefined) this.#ledger.settleRow(row, outcome);
  }
}

/** Hands the unfinished turns of one session to a runner. */
interface TurnCarrier {
  /**
   * Sends a turn through the queue if there is one, or else through the loopback. Also uses the loopback if
   * the turn is due again because no runner took it, since a queue message can be lost or delayed. Never
   * rejects.
   */
  handOver(handOver: HandOver): Promise<void>;
  /** Records that a runner has taken the sent turn. */
  arrived(): void;
  /**
   * Offers a row of the agenda to its module through the loopback. Returns the outcome, or `undefined`. Never
   * rejects.
   */
  offer(row: DueRow): Promise<DueOutcome | undefined>;
}

/**
 * A queue that delivers turns to a Worker faster than the loopback, and does not keep the object awake while
 * they run.
 */
type TurnQueue = Pick<Queue<HandOver>, 'send'>;

/** Creates the carrier that hands the turns of one session to their next runner. */
function createTurnCarrier(ctx: DurableObjectState, queue: TurnQueue | undefined): TurnCarrier {
  /** The turn last sent through the queue, until an invocation takes a lease. */
  let sent: string | undefined;
  /** The problem stays the same until the next deploy, which restarts the object, so it is logged once. */
  let hasWarned = false;

  /** Returns the Worker's runner. If there is no runner, logs the `work` that is not done. */
  function findRunner(work: string): TurnRunner | undefined {
    // The exports belong to the Worker that hosts this class, so their types are not known here.
    const exported = ctx.exports as { readonly TurnRunner?: TurnRunner } | undefined;
    if (exported?.TurnRunner) return exported.TurnRunner;
    const problem = exported ? 'exports no `TurnRunner`' : 'has no `ctx.exports`';
    if (!hasWarned) logError(`${work}: the Worker ${problem}`);
    hasWarned = true;
    return undefined;
  }

  /**
   * Calls the runner through the loopback. If there is no runner or it fails, logs this and resolves with
   * `undefined`.
   */
  async function ask<T>(
    { missing, failed }: { readonly missing: string; readonly failed: string },
    work: (runner: TurnRunner) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const runner = findRunner(missing);
      return runner && (await work(runner));
    } catch (error) {
      logError(`${failed}: ${String(error)}`);
      return undefined;
    }
  }

  return {
    async handOver(handOver) {
      const { name, turn } = handOver;
      if (queue !== undefined && sent !== turn) {
        sent = turn;
        try {
          await queue.send(handOver);
          return;
        } catch (error) {
          logError(`turn ${turn} could not be sent by the queue TURNS: ${String(error)}`);
        }
      }
      const missing = `turns of session ${name} are not taken over`;
      await ask({ missing, failed: `turn ${turn} was not taken over` }, (runner) => runner.run(handOver));
    },
    arrived() {
      sent = undefined;
    },
    offer(row) {
      const { name, module, key, ref } = row;
      const missing = `row ${ref} of module ${module} ${key} in session ${name} is not done`;
      return ask({ missing, failed: `${missing}, and is offered again` }, (runner) => runner.due(row));
    },
  };
}
