import type { SessionEvent, StoredEvent } from '../journal/events.ts';
import type { InboxRow, Leased, SessionPort } from '../journal/session-port.ts';
import type { SessionState, StateSlice } from '../journal/state.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import type { Invocation, LateCall } from '../tool-loop/loop.ts';
import { untilAborted } from '../tool-loop/until-aborted.ts';
import { sha256Hex } from '../tools/sha256.ts';
import { ToolConfigurationError } from '../tools/signals.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { Clock } from './clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { Outbox } from './outbox.ts';
import type { Meter, Needs } from './platform.ts';
import { isLeft, type LateNote, toAnswered, toCancelled, toLate, toSteered } from './take-answer.ts';

interface Options {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leased: Leased;
  /** When the request for the lease was sent, by `clock`. */
  readonly sentAt: number;
  readonly state: SessionState;
  readonly slices: readonly StateSlice[];
  readonly stored: (events: readonly StoredEvent[]) => void;
  /** Keeps the invocation alive for what comes after its answer. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Of what the invocation uses. */
  readonly meter: Meter;
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
  #taken = 0;
  #handedOver: Interrupted | undefined;
  #cancelGrace: () => void = () => {};
  readonly #cancelTime: () => void;
  #hasBegun = false;

  constructor(options: Options) {
    const { port, clock, leased, sentAt, state, slices, meter } = options;
    this.#options = options;
    this.#cancelTime = Number.isFinite(meter.msLeft)
      ? clock.after(Math.max(0, meter.msLeft), () => this.#handOverIfShort())
      : () => {};
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
    // A reply or a call that takes long costs a message every now and then, and nobody asks for leave.
    const renew: SessionPort['renew'] = (of) => {
      this.#handOverIfShort();
      return port.renew(of);
    };
    const keeper = { port: { renew }, clock, epoch, leaseMs, sentAt, isSending };
    this.#lease = new LeaseKeeper({ ...keeper, listener: { inbox: listener.inbox, lost } });
    // A holder's own deadline falls a quarter of a term before the object's; half a term must have passed since then.
    // One that handed over may have taken over itself a moment before.
    this.#formerGoneAt = clock.now() + leaseMs / 4 - (cause === 'expired' ? expiredFor : 0);
  }

  checkpoint(): void {
    if (this.signal.aborted) throw this.signal.reason;
    this.assertHeld();
    this.#handOverIfShort();
    if (this.#handedOver) throw this.#handedOver;
  }

  claim(needs: Needs): void {
    this.checkpoint();
    const { meter } = this.#options;
    if (needs.subrequests > meter.mostAtOnce) {
      throw new ToolConfigurationError(
        `A call may make ${needs.subrequests} requests, and an invocation of this deployment has room for ` +
          `${meter.mostAtOnce} of one call. Raise SUBREQUESTS if the plan allows more, or ask for less at once.`,
      );
    }
    const short = meter.shortFor(needs);
    // Whatever little is left, the first thing is begun: a turn that is only handed over never ends.
    if (short && this.#hasBegun) {
      this.handOver(nearing(short));
      this.checkpoint();
    }
    this.#hasBegun = true;
    meter.spend(needs.subrequests);
  }

  count(subrequests: number): void {
    this.#options.meter.spend(subrequests);
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
    if (wait > 0) {
      const gone = Promise.withResolvers<void>();
      const cancel = this.after(wait, gone.resolve);
      await untilAborted(this.signal, gone.promise).finally(cancel);
    }
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
    // A message that came before a cancel is not for a turn that will not answer it.
    for (const row of rows.toSorted((a, b) => Number(a.kind === 'steer') - Number(b.kind === 'steer'))) {
      if (this.#seen.has(row.id) || isLeft(this.outbox.state.turn, row)) continue;
      this.#seen.add(row.id);
      this.outbox.read([row.id]);
      this.#take(row);
    }
  }

  /** Notes that were journaled, after which a loop that had stopped may have something to do again. */
  get taken(): number {
    return this.#taken;
  }

  #take(row: InboxRow): void {
    const events = this.#toEvents(row);
    if (events.length === 0) return;
    this.outbox.emit(...events);
    if (row.kind === 'cancel') this.cancel();
    else this.#taken += 1;
  }

  #toEvents(row: InboxRow): readonly SessionEvent[] {
    const { turn } = this.outbox.state;
    switch (row.kind) {
      case 'cancel':
        return toCancelled(turn, row);
      case 'steer':
        return turn ? [toSteered(turn, row)] : [];
      case 'late':
        return turn ? [toLate(turn, row)] : [];
      default: {
        const answered = toAnswered(turn, row);
        return answered ? [answered] : [];
      }
    }
  }

  late(call: LateCall, answer: Promise<ToolResult | undefined>): void {
    const telling = answer.then((result) => result && this.#tellLate({ ...call, result }));
    this.#options.waitUntil?.(telling);
  }

  /** While this invocation holds the turn it is journaled here; otherwise it is left for whoever holds the session next. */
  async #tellLate(note: LateNote): Promise<void> {
    const { outbox } = this;
    const { turn } = outbox.state;
    if (!turn) return;
    try {
      if (!outbox.isReleasing && !outbox.lost) {
        outbox.emit({ type: 'late-result-received', turn: turn.id, ...note });
        return await outbox.durable();
      }
    } catch {
      // The lease was lost on the way. If it was stored all the same it is told twice, and not never.
    }
    try {
      await this.#options.port.post('late', turn.id, JSON.stringify(note));
    } catch (failure) {
      console.error(`holdfast: the late result of call ${note.call} could not be kept`, failure);
    }
  }

  /** Stops the model and the tools; the turn ends as cancelled. */
  cancel(): void {
    this.#stop.abort(new Interrupted('cancelled', 'The turn was cancelled.'));
  }

  /** Stops at the next boundary and leaves the turn to another invocation. */
  handOver(reason: string): void {
    if (this.#handedOver) return;
    this.#handedOver = new Interrupted('handed-over', reason);
    this.#waitForReplies();
  }

  /** Replies that take too long are asked for again by the next holder; not so the only thing that this one has done. */
  #waitForReplies(): void {
    const { meter } = this.#options;
    const grace = Math.min(MODEL_GRACE, Math.max(0, meter.msToWatch));
    this.#cancelGrace = this.after(grace, () => {
      if (this.outbox.hasProgressed || !meter.short) this.#handOver.abort(this.#handedOver);
    });
  }

  /** One that has come to nothing yet does something first: a turn that is only handed over never ends. */
  #handOverIfShort(): void {
    const { short } = this.#options.meter;
    if (short && this.outbox.hasProgressed) this.handOver(nearing(short));
  }

  /** Awaits what is in flight, until the lease runs out: an RPC left behind when the invocation returns is lost. */
  async close(): Promise<void> {
    this.#cancelGrace();
    this.#cancelTime();
    await this.outbox.settled();
    this.#lease.stop();
  }
}

const nearing = (limit: string): string => `its invocation is about to meet its limit of ${limit}`;
