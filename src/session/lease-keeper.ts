import { LINE_TERMS, type LiveMessage } from '../journal/live-items.ts';
import type { HolderUpdate, SessionPort } from '../journal/session-port.ts';
import { InterruptionError, type Slots } from '../loop/holder.ts';
import { StopController } from '../tool/async.ts';
import type { HeldInbox } from './inbox.ts';
import type { Meter } from './meter.ts';
import type { Outbox, OutboxListener } from './outbox.ts';
import type { Clock } from './read-platform.ts';
import { NoticeQueue } from './watching/follow-session.ts';

/** The callbacks of a lease keeper to its invocation. */
interface LeaseListener extends Pick<OutboxListener, 'inbox' | 'lost'> {
  /** Called before the lease is renewed, which costs one more request that the meter did not grant. */
  renewing(): void;
  /** Called with the name of a new reader who receives live items, as in `Notice.joined`. */
  joined(reader: string): void;
}

interface LeaseOptions extends Pick<LineOptions, 'clock' | 'meter' | 'epoch' | 'slots'> {
  readonly port: Pick<SessionPort, 'renew' | 'watch'>;
  readonly leaseMs: number;
  /** The time at which the lease was requested. */
  readonly sentAt: number;
  /** Aborts when messages from others no longer matter. */
  readonly signal: AbortSignal;
  readonly listener: LeaseListener;
  /**
   * An acknowledged append renews the lease, but the holder must not wait forever for an acknowledgement.
   * While an append releases the lease, new messages are for the next holder.
   */
  readonly outbox: Pick<Outbox, 'isSending' | 'isReleasing'>;
  readonly inbox: Pick<HeldInbox, 'kept' | 'newest'>;
}

interface Renewal {
  readonly sentAt: number;
  /** The newest message that the line had reported when the renewal was sent. The reply contains it. */
  readonly told: number;
}

/**
 * Ms without a stored append after which the line is opened. By then, a model or a tool is running, so append
 * replies do not deliver messages.
 */
const OPEN_LINE_AFTER_MS = 1_000;

/** The interval of renewals in ms while the line should report messages but is not connected. */
const RENEW_WITHOUT_LINE_MS = 1_200;

/** The reason for stopping an invocation whose requests were not acknowledged in time. */
export const LEASE_EXPIRED_MESSAGE = 'The lease of this invocation has run out.';

/**
 * Keeps the lease of one invocation and receives messages for its holder. Every append renews the lease.
 * After a third of the term without one, it pings over its line, which neither wakes the object nor stores
 * anything. It sends a renewal request if there is no line or no reply, if nothing was stored for long, and
 * at once if the line reports a message.
 *
 * Its own deadline is three quarters of a term after it *sent* the last acknowledged message or ping, so it
 * always falls before the object's. An object that was replaced can still answer pings, since they store
 * nothing. Therefore stored messages have a deadline too, and the new object waits for that.
 */
export class LeaseKeeper {
  readonly #options: LeaseOptions;
  /** The ms for which this invocation can act after it sent an acknowledged message. */
  readonly #term: number;
  /** Absent while only replies of the object are needed. */
  #line: HolderLine | undefined;
  /** The time of the last acknowledged message or ping, capped at the latest time at which a ping counts. */
  #heard: number;
  /** The time of the unanswered ping. There is at most one, so that each reply belongs to a known ping. */
  #pinged: number | undefined;
  /** The time at which the last stored append or renewal was sent. */
  #stored: number;
  #cancel: (() => void) | undefined;
  #renewal: Renewal | undefined;
  /** The newest message that the line reported and a renewal has requested. */
  #asked = 0;
  #isRead = false;
  #stopped = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#term = (options.leaseMs * 3) / 4;
    this.#heard = options.sentAt;
    this.#stored = options.sentAt;
    this.#look();
  }

  /** `true` while this invocation can act. Checks the clock, since a timer can be late. */
  get held(): boolean {
    return !this.#stopped && this.#options.clock.now() < this.#heard + this.#term;
  }

  /** Records that the object stored a message sent at this time. */
  stored(sentAt: number): void {
    this.#stored = sentAt;
    this.#heard = Math.max(this.#heard, sentAt);
  }

  /**
   * Updates the readers of the session from a reply of the object. If there are readers, opens the line,
   * whose own reports then take precedence.
   */
  read({ watched, live }: Pick<HolderUpdate, 'watched' | 'live'>): void {
    this.#isRead = live === true;
    if (watched) this.#openLine();
  }

  /** `true` if a reader receives live items. */
  get isRead(): boolean {
    return this.#line?.notices.live ?? this.#isRead;
  }

  /** Sends a live item to the readers. Returns `false` if that is not possible now. */
  show(message: LiveMessage): boolean {
    return this.#line?.notices.show(message) === true;
  }

  /** Stops renewing the lease. Does not wait for a renewal in flight, which is no longer needed. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#line?.close();
  }

  #openLine(): void {
    const { listener, meter } = this.#options;
    if (this.#line || this.#stopped || meter.nearLimit()) return;
    const { joined: onJoined } = listener;
    const onHeld = (): void => this.#onHeld();
    this.#line = new HolderLine({ ...this.#options, onJoined, onHeld, onChange: () => this.#look() });
    this.#line.open();
  }

  /** The latest time for which a ping counts. It limits how long pings alone can keep the lease. */
  get #latest(): number {
    return this.#stored + (LINE_TERMS - 1) * this.#term;
  }

  /** Handles the reply to a ping. */
  #onHeld(): void {
    this.#heard = Math.max(this.#heard, Math.min(this.#pinged ?? 0, this.#latest));
    this.#pinged = undefined;
    this.#look();
  }

  /** Pings, unless a ping is still unanswered. Returns whether a reply that counts can arrive soon. */
  #ping(now: number): boolean {
    if (this.#heard >= this.#latest) return false;
    if (this.#pinged === undefined && this.#line?.notices.ping()) this.#pinged = now;
    return this.#pinged !== undefined && now - this.#pinged < this.#options.leaseMs / 12;
  }

  /** Does all due work, and schedules the next check. */
  #look(): void {
    const { clock, leaseMs, listener, outbox, inbox } = this.#options;
    this.#cancel?.();
    if (this.#stopped) return;
    const now = clock.now();
    const deadline = this.#heard + this.#term;
    if (now >= deadline) {
      listener.lost(new InterruptionError('lost', LEASE_EXPIRED_MESSAGE));
      return;
    }
    const untilLine = this.#stored + OPEN_LINE_AFTER_MS - now;
    if (untilLine <= 0) this.#openLine();
    const line = this.#line;
    // A reply can only come over the line that the ping was sent on.
    if (!line?.notices.isTelling) this.#pinged = undefined;
    // The line reported a message that replies have not contained. It may no longer be in the inbox.
    const isBehind =
      line !== undefined && !outbox.isReleasing && line.told > Math.max(inbox.newest, this.#asked);
    // Ms of silence after which the lease is renewed.
    const patience = line?.isDeaf ? Math.min(leaseMs / 3, RENEW_WITHOUT_LINE_MS) : leaseMs / 3;
    const silence = now - this.#heard;
    const isDue = silence >= patience;
    const isRenewing = this.#renewal !== undefined && now - this.#renewal.sentAt < leaseMs / 4;
    const mayRenew = isBehind || (isDue && !outbox.isSending && !this.#ping(now));
    if (mayRenew && !isRenewing) void this.#renew();
    const next = isDue || isBehind ? Math.min(leaseMs / 12, patience, deadline - now) : patience - silence;
    const soonest = untilLine > 0 && !line ? Math.min(next, untilLine) : next;
    this.#cancel = clock.after(Math.max(1, Math.ceil(soonest)), () => this.#look());
  }

  async #renew(): Promise<void> {
    const { port, clock, epoch, inbox, outbox, listener } = this.#options;
    const renewal: Renewal = { sentAt: clock.now(), told: this.#line?.told ?? 0 };
    const { isSending } = outbox;
    this.#renewal = renewal;
    listener.renewing();
    try {
      const answer = await port.renew(epoch, inbox.kept);
      const isRenewed = answer.status === 'renewed';
      if (isRenewed && !isSending) this.stored(renewal.sentAt);
      // If the lease was released meanwhile, the reply to the release decides.
      if (this.#stopped || outbox.isReleasing) return;
      if (!isRenewed) {
        listener.lost(
          new InterruptionError('lost', `Another invocation holds the session (${answer.status}).`),
        );
        return;
      }
      this.#asked = Math.max(this.#asked, renewal.told);
      this.#renewal = undefined;
      listener.inbox(answer);
      this.#look();
    } catch {
      // The object cannot be reached now. The next check tries again, until the deadline.
    } finally {
      if (this.#renewal === renewal) this.#renewal = undefined;
    }
  }
}

/** The options of a holder's line. */
export interface LineOptions {
  readonly port: Pick<SessionPort, 'watch'>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly epoch: number;
  /** The connections of the invocation. The line uses one. */
  readonly slots: Slots;
  /** Aborts when messages from others no longer matter. */
  readonly signal: AbortSignal;
  /** Called with the name of a new reader. */
  readonly onJoined: (reader: string) => void;
  /** Called when a ping is answered. */
  readonly onHeld: () => void;
  /** Called when the line reports a newer message, and when it stops reporting. */
  readonly onChange: () => void;
}

/**
 * The line of a lease holder to its session's object, which reports new messages over it. A broken line is
 * reopened while the invocation has requests and time left.
 */
export class HolderLine {
  /** The id of the newest message that it has reported. */
  told = 0;
  /** The notices on the line, and the messages sent over it. */
  readonly notices: NoticeQueue;
  readonly #options: LineOptions;
  /** Aborts when the line is no longer needed. */
  readonly #over: StopController;

  constructor(options: LineOptions) {
    const { epoch: holder, onChange: onBroken, ...watch } = options;
    this.#options = options;
    this.#over = new StopController(watch.signal);
    this.notices = new NoticeQueue({ ...watch, holder, onBroken, signal: this.#over.signal });
  }

  /** `true` if the line should report messages but does not. */
  get isDeaf(): boolean {
    return !this.#over.aborted && !this.notices.isTelling && !this.#options.meter.nearLimit();
  }

  /** Opens the line as soon as a connection is free. Call it once. */
  open(): void {
    const { slots } = this.#options;
    void slots.hold(() => this.#listen(), 'first');
  }

  close(): void {
    this.#over.abort();
    this.notices.close();
  }

  async #listen(): Promise<void> {
    const { meter, onChange } = this.#options;
    const { notices } = this;
    while (!this.#over.aborted && !meter.nearEnd && !notices.wasErased) {
      let newest = 0;
      await notices.until(({ unread = 0 }) => {
        newest = unread;
        return unread > this.told;
      });
      // An erased session has no lease to hold. The next reply reports that.
      this.told = Math.max(this.told, notices.wasErased ? Infinity : newest);
      onChange();
    }
    this.close();
  }
}
