import type { StoredEvent } from '../journal/events.ts';
import type { HolderUpdate, LeaseGrant, SessionPort } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import {
  type Holder,
  InterruptionError,
  type LateCall,
  type Needs,
  NO_CREDENTIALS,
  Slots,
} from '../loop/holder.ts';
import type { FileKeeper, HeldSessionFiles } from '../loop/loop-files.ts';
import { computeSha256Hex, pause } from '../tool/async.ts';
import { toLog } from '../tool/console-log.ts';
import type { GivenEnv } from '../tool/env.ts';
import type { Log } from '../tool/log.ts';
import type { SessionCredentials } from '../tool/tool.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { listResultParts, type ToolResult } from '../tool/tool-result.ts';
import { HeldInbox } from './inbox.ts';
import { LEASE_EXPIRED_MESSAGE, LeaseKeeper } from './lease-keeper.ts';
import { type FeedItem, LiveFeed, type LiveText } from './live-feed.ts';
import { InvocationBudgetWatch, type Meter } from './meter.ts';
import { Outbox } from './outbox.ts';
import { type Clock, createSharedTimer } from './read-platform.ts';

interface Options {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leased: LeaseGrant;
  /** The time at which the lease was requested, by `clock`. */
  readonly sentAt: number;
  readonly state: SessionState;
  readonly memories: readonly ToolMemory[];
  /** Shows events and live items to a client of this invocation. */
  readonly show?: ((item: FeedItem) => void) | undefined;
  /** Shows live items to readers elsewhere. If absent, they see only the journal. */
  readonly liveText?: LiveText | undefined;
  /** Keeps the invocation alive for work after its response. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Counts the requests and the time of the invocation. */
  readonly meter: Meter;
  /** The module that stores files, if any. */
  readonly files?: FileKeeper | undefined;
  /** The Worker's vars, secrets and bindings. */
  readonly env?: GivenEnv | undefined;
  /** `true` if the session ends with this invocation. */
  readonly keepsNothing?: true | undefined;
  readonly log?: Log | undefined;
}

/** A session while one invocation holds it: its outbox, its lease, and the conditions that stop its work. */
export class HeldSession implements Holder {
  readonly outbox: Outbox;
  readonly files: HeldSessionFiles | undefined;
  /** Messages for the lease holder. */
  readonly inbox: HeldInbox;
  /** The feed of events and live items to viewers. */
  readonly live: LiveFeed;
  /** The connections of this invocation. */
  readonly slots = new Slots();
  readonly signal: AbortSignal;
  readonly modelSignal: AbortSignal;
  readonly now: Clock['now'];
  readonly after: Clock['after'];
  readonly #options: Options;
  readonly #lease: LeaseKeeper;
  readonly #formerGoneAt: number;
  readonly #stop = new AbortController();
  readonly #leaving: InvocationBudgetWatch;
  readonly #digests = new Map<string, Promise<string>>();
  #endings: (() => Promise<unknown>)[] = [];
  #isOver = false;

  constructor(options: Options) {
    const { port, leased, sentAt, state, memories, meter, log = toLog() } = options;
    const clock = { ...options.clock, after: createSharedTimer(options.clock) };
    this.#options = options;
    this.now = clock.now;
    this.after = clock.after;
    const hasProgressed = (): boolean => this.outbox.hasProgressed;
    this.#leaving = new InvocationBudgetWatch({ clock, meter, hasProgressed });
    this.signal = this.#stop.signal;
    this.modelSignal = AbortSignal.any([this.signal, this.#leaving.signal]);
    const listener = {
      stored: (events: readonly StoredEvent[], sent: number) => {
        this.#lease.stored(sent);
        files?.stored(events);
        this.live.stored(events);
      },
      inbox: (told: HolderUpdate) => {
        this.inbox.takeIn(told.inbox);
        this.#lease.read(told);
      },
      sending: () => {
        this.live.relay?.settle();
        return this.inbox.kept;
      },
      lost: (reason: InterruptionError) => this.#stop.abort(reason),
    };
    const { epoch, leaseMs, cause, expiredFor } = leased;
    const isHeld = (): boolean => this.#lease.held;
    const files = options.files?.open({
      ...{ port, name: leased.name, kept: leased.blobs, log },
      incarnation: () => state.incarnation,
      count: (subrequests) => this.count(subrequests),
      env: options.env ?? {},
    });
    this.files = files;
    const { waiting } = leased;
    const sending = { isHeld, listener, files, waiting };
    this.outbox = new Outbox({ ...clock, port, epoch, state, memories, ...sending });
    this.inbox = new HeldInbox({
      port,
      outbox: this.outbox,
      log,
      onCancel: () => this.cancel(),
      blobsOf: files && ((result) => files.blobsOfParts(listResultParts(result))),
    });
    const handleLoss = (reason: InterruptionError): void => this.outbox.fence(reason);
    const handleRenewal = (): void => void this.#leaving.look();
    this.#lease = new LeaseKeeper({
      ...{ port, clock, meter, epoch, leaseMs, sentAt, signal: this.signal, slots: this.slots },
      outbox: this.outbox,
      inbox: this.inbox,
      listener: {
        inbox: listener.inbox,
        lost: handleLoss,
        renewing: handleRenewal,
        joined: (reader) => this.live.relay?.joined(reader),
      },
    });
    const turn = leased.page.openTurn?.id ?? '';
    const { show, liveText } = options;
    this.live = new LiveFeed({ show, liveText, readers: this.#lease, state, clock, turn, log });
    if (leased.live) this.#lease.read({ watched: true, live: true });
    // A holder's own deadline is a quarter of a term before the object's, and half a term must have passed
    // since. A holder that handed over may itself have taken over just before.
    this.#formerGoneAt = clock.now() + leaseMs / 4 - (cause === 'expired' ? expiredFor : 0);
  }

  get credentials(): SessionCredentials {
    const { keepsNothing, port, leased } = this.#options;
    return keepsNothing ? NO_CREDENTIALS : createCredentials(port, leased.epoch);
  }

  checkpoint(): void {
    if (this.signal.aborted) throw this.signal.reason;
    this.assertHeld();
    const leaving = this.#leaving.look();
    if (leaving) throw leaving;
  }

  claim(needs: Needs): void {
    this.checkpoint();
    this.#leaving.claim(needs);
  }

  count(subrequests: number): void {
    this.#options.meter.spend(subrequests);
  }

  assertHeld(): void {
    if (!this.#lease.held) this.outbox.fence(new InterruptionError('lost', LEASE_EXPIRED_MESSAGE));
    if (this.outbox.fencedBy) throw this.outbox.fencedBy;
  }

  async formerHolderGone(): Promise<void> {
    const wait = this.#formerGoneAt - this.now();
    if (wait > 0) await pause(this, wait, this.signal);
    this.checkpoint();
  }

  digest(id: string): Promise<string> {
    const { name } = this.#options.leased;
    const made =
      this.#digests.get(id) ?? computeSha256Hex(JSON.stringify([name, this.outbox.state.incarnation, id]));
    this.#digests.set(id, made);
    return made;
  }

  takeSteers(frame: string): boolean {
    const isTaken = this.inbox.takeSteers(frame);
    if (isTaken) this.files?.refresh();
    return isTaken;
  }

  late(call: LateCall, answer: Promise<ToolResult | undefined>): void {
    const told = answer.then((result) => result && this.inbox.late({ ...call, result }));
    this.#options.waitUntil?.(told);
  }

  /** Aborts the model and the tools. The turn ends as cancelled. */
  cancel(): void {
    this.#stop.abort(new InterruptionError('cancelled', 'The turn was cancelled.'));
  }

  /** Stops at the next boundary and leaves the turn to another invocation. */
  handOver(reason: string): void {
    this.#leaving.begin(reason);
  }

  /** Registers work for the end of this invocation. Work registered after that runs at once. */
  atEnd(work: () => Promise<unknown>): void {
    this.#endings.push(work);
    if (this.#isOver) this.#end();
  }

  /** Awaits requests in flight while the lease lasts, since an RPC that is not awaited is lost. */
  async close(): Promise<void> {
    this.#leaving.close();
    await this.outbox.settled();
    this.live.relay?.close();
    this.#lease.stop();
    this.#isOver = true;
    if (this.#endings.length > 0) this.#end();
  }

  #end(): void {
    const endings = this.#endings;
    this.#endings = [];
    const ended = Promise.allSettled(endings.map(async (end) => end()));
    this.#options.waitUntil?.(ended);
  }
}

/** Creates the access to the credentials that a session stores for the lease holder of this epoch. */
const createCredentials = (port: SessionPort, epoch: number): SessionCredentials => ({
  async find(key) {
    try {
      const found = await port.credential(epoch, key);
      return found.status === 'found' || found.status === 'none' ? found : { status: 'lost' };
    } catch {
      return { status: 'lost' };
    }
  },
  async keep(key, value) {
    try {
      return (await port.keepCredential(epoch, key, value)).status === 'kept';
    } catch {
      return false;
    }
  },
});
