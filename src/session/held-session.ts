import type { StoredEvent } from '../journal/events.ts';
import type { InboxRow, Leased, SessionPort } from '../journal/session-port.ts';
import type { SessionState, StateSlice } from '../journal/state.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import type { Invocation } from '../tool-loop/loop.ts';
import { untilAborted } from '../tool-loop/until-aborted.ts';
import { sha256Hex } from '../tools/sha256.ts';
import type { Clock } from './clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { Outbox } from './outbox.ts';
import { toAnswered, toCancelled } from './take-answer.ts';

interface Options {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leased: Leased;
  /** When the request for the lease was sent, by `clock`. */
  readonly sentAt: number;
  readonly state: SessionState;
  readonly slices: readonly StateSlice[];
  readonly stored: (events: readonly StoredEvent[]) => void;
}

/** How long a model may go on answering once its invocation is to hand over, in ms. */
const MODEL_GRACE = 20_000;

/** A session while one invocation holds it: its outbox, its lease, and what cuts the work short. */
export class HeldSession implements Invocation {
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
  readonly modelSignal: AbortSignal;
  readonly #options: Options;
  readonly #lease: LeaseKeeper;
  readonly #formerGoneAt: number;
  readonly #stop = new AbortController();
  readonly #handOver = new AbortController();
  readonly #seen = new Set<number>();
  #answered = 0;
  #handedOver: Interrupted | undefined;
  #cancelGrace: () => void = () => {};

  constructor(options: Options) {
    const { port, clock, leased, sentAt, state, slices } = options;
    this.#options = options;
    this.signal = this.#stop.signal;
    this.modelSignal = AbortSignal.any([this.signal, this.#handOver.signal]);
    const listener = {
      stored: (events: readonly StoredEvent[], sent: number) => {
        this.#lease.acknowledged(sent);
        options.stored(events);
      },
      inbox: (rows: readonly InboxRow[]) => this.takeIn(rows),
      lost: (reason: Interrupted) => this.#stop.abort(reason),
    };
    const { epoch, leaseMs, cause, expiredFor } = leased;
    const isHeld = (): boolean => this.#lease.held;
    this.outbox = new Outbox({ ...clock, port, epoch, state, slices, isHeld, listener });
    const lost = (reason: Interrupted): void => this.outbox.giveUp(reason);
    const isSending = (): boolean => this.outbox.isSending;
    const keeper = { port, clock, epoch, leaseMs, sentAt, isSending };
    this.#lease = new LeaseKeeper({ ...keeper, listener: { inbox: listener.inbox, lost } });
    // A holder's own deadline falls a quarter of a term before the object's; half a term must have passed since then.
    // One that handed over may have taken over itself a moment before.
    this.#formerGoneAt = clock.now() + leaseMs / 4 - (cause === 'expired' ? expiredFor : 0);
  }

  checkpoint(): void {
    if (this.signal.aborted) throw this.signal.reason;
    this.assertHeld();
    if (this.#handedOver) throw this.#handedOver;
  }

  assertHeld(): void {
    if (!this.#lease.held)
      this.outbox.giveUp(new Interrupted('lost', 'The lease of this invocation has run out.'));
    if (this.outbox.lost) throw this.outbox.lost;
  }

  after(ms: number, run: () => void): () => void {
    return this.#options.clock.after(ms, run);
  }

  now(): number {
    return this.#options.clock.now();
  }

  async formerHolderGone(): Promise<void> {
    const wait = this.#formerGoneAt - this.now();
    if (wait > 0) await untilAborted(this.signal, new Promise<void>((resolve) => this.after(wait, resolve)));
    this.checkpoint();
  }

  async idempotencyKey(call: string): Promise<string> {
    const { name } = this.#options.leased;
    const identity = JSON.stringify([name, this.outbox.state.incarnation, call]);
    return sha256Hex(identity);
  }

  /** Journals what others left for the holder; each row once. Once the lease is given back, it is the next one's. */
  takeIn(rows: readonly InboxRow[]): void {
    if (this.outbox.isReleasing) return;
    const fresh = rows.filter(({ id }) => !this.#seen.has(id));
    if (fresh.length === 0) return;
    for (const { id } of fresh) this.#seen.add(id);
    this.outbox.read(fresh.map(({ id }) => id));
    for (const row of fresh) this.#take(row);
  }

  /** Answers that came for calls which still waited. */
  get answered(): number {
    return this.#answered;
  }

  #take(row: InboxRow): void {
    if (row.kind === 'cancel') {
      const events = toCancelled(this.outbox.state.turn, row);
      this.outbox.emit(...events);
      if (events.length > 0) this.cancel();
      return;
    }
    const answered = toAnswered(this.outbox.state.turn, row);
    if (!answered) return;
    this.#answered += 1;
    this.outbox.emit(answered);
  }

  /** Stops the model and the tools; the turn ends as cancelled. */
  cancel(): void {
    this.#stop.abort(new Interrupted('cancelled', 'The turn was cancelled.'));
  }

  /** Stops at the next boundary and leaves the turn to another invocation. */
  handOver(reason: string): void {
    if (this.#handedOver) return;
    const interrupted = new Interrupted('handed-over', reason);
    this.#handedOver = interrupted;
    this.#cancelGrace = this.after(MODEL_GRACE, () => this.#handOver.abort(interrupted));
  }

  /** Awaits what is in flight, until the lease runs out: an RPC left behind when the invocation returns is lost. */
  async close(): Promise<void> {
    this.#cancelGrace();
    await this.outbox.settled();
    this.#lease.stop();
  }
}
