import { LINE_TERMS, type LiveMessage } from '../journal/live-items.ts';
import type { SessionPort, ToHolder } from '../journal/session-port.ts';
import { Interrupted, type Slots } from '../loop/holder.ts';
import { Stop } from '../tool/async.ts';
import type { HeldInbox } from './inbox.ts';
import type { Meter } from './meter.ts';
import type { Outbox, OutboxListener } from './outbox.ts';
import type { Clock } from './read-platform.ts';
import { Notices } from './watching/follow-session.ts';

/** What a lease keeper tells the invocation that owns it. */
interface LeaseListener extends Pick<OutboxListener, 'inbox' | 'lost'> {
  /** The lease is about to be renewed: one more message that nobody asked leave for. */
  renewing(): void;
  /** A reader has come who is shown what is not journaled: its name, as `Notice.joined` has it. */
  joined(reader: string): void;
}

interface LeaseOptions extends Pick<LineOptions, 'clock' | 'meter' | 'epoch' | 'slots'> {
  readonly port: Pick<SessionPort, 'renew' | 'watch'>;
  readonly leaseMs: number;
  /** When the request that got the lease was sent. */
  readonly sentAt: number;
  /** Aborts when nothing that others say matters any more. */
  readonly signal: AbortSignal;
  readonly listener: LeaseListener;
  /**
   * An append that is under way renews the lease when it is answered, and one that never is must not be outlived. When it gives
   * the lease back, what is left is for the next holder.
   */
  readonly outbox: Pick<Outbox, 'isSending' | 'isReleasing'>;
  readonly inbox: Pick<HeldInbox, 'kept' | 'newest'>;
}

/** A renewal on its way. */
interface Renewal {
  readonly sentAt: number;
  /** The newest message that the line had told of when it was sent: its answer brings it. */
  readonly told: number;
}

/**
 * When nothing was stored for so long, in ms, a model or a tool is at work, and the line is opened: the answer to an append tells what
 * was left for the holder, and none comes now.
 */
const LINE_AFTER = 1_000;

/** How often the object is asked while the line is to tell something and does not, in ms: it has no connection, or is broken. */
const WITHOUT_LINE = 1_200;

/** Why an invocation may do nothing more that nobody has answered in time. */
export const RUN_OUT = 'The lease of this invocation has run out.';

/**
 * Keeps the lease of one invocation, and hears what is left for it. Any append renews the lease. After a third of the term in silence
 * this pings over its line, which wakes no object and stores nothing. It renews the lease by a request if there is no line or no answer,
 * if nothing was stored for long, and at once when its line tells that something was left. Its own deadline, three quarters of a term after
 * the last acknowledged message or ping was *sent*, always falls before the object's. An object that was replaced may go on answering
 * pings, since it stores nothing for them: so a message that is stored has a deadline too, by which the new one waits.
 */
export class LeaseKeeper {
  readonly #options: LeaseOptions;
  /** How long after a message that the object has acknowledged this invocation may act. */
  readonly #term: number;
  /** Absent while nothing is to be heard of the object but its answers. */
  #line: HolderLine | undefined;
  /** When the last message or ping was sent that the object has acknowledged, unless that was later than a ping may count. */
  #heard: number;
  /** When the ping was sent that is not answered yet. There is one at a time, so that each answer is known to be of that ping. */
  #pinged: number | undefined;
  /** When the last append or renewal that was stored was sent. */
  #stored: number;
  #cancel: (() => void) | undefined;
  #renewal: Renewal | undefined;
  /** The newest message of which the line has told, and for which a renewal has asked. */
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

  /** True while this invocation may act, by the clock and not by a timer that may be late. */
  get held(): boolean {
    return !this.#stopped && this.#options.clock.now() < this.#heard + this.#term;
  }

  /** The object has stored what was sent then. */
  stored(sentAt: number): void {
    this.#stored = sentAt;
    this.#heard = Math.max(this.#heard, sentAt);
  }

  /**
   * The object has answered who reads the session: a holder that is read opens its line. `live` is as far as an answer knows; a line
   * that reports knows better.
   */
  read({ watched, live }: Pick<ToHolder, 'watched' | 'live'>): void {
    this.#isRead = live === true;
    if (watched) this.#openLine();
  }

  /** Somebody is shown what is not journaled. */
  get isRead(): boolean {
    return this.#line?.notices.live ?? this.#isRead;
  }

  /** Shows them something, unless nothing can be sent now. */
  show(message: LiveMessage): boolean {
    return this.#line?.notices.show(message) === true;
  }

  /** Ends the watch. A renewal that is under way may be lost: nobody needs it any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#line?.close();
  }

  #openLine(): void {
    const { listener, meter } = this.#options;
    if (this.#line || this.#stopped || meter.short()) return;
    const { joined: onJoined } = listener;
    const onHeld = (): void => this.#onHeld();
    this.#line = new HolderLine({ ...this.#options, onJoined, onHeld, onChange: () => this.#look() });
    this.#line.open();
  }

  /** The latest time for which a ping counts: by pings alone the holder lives for its part of so many terms, and no longer. */
  get #latest(): number {
    return this.#stored + (LINE_TERMS - 1) * this.#term;
  }

  /** The ping was answered. */
  #onHeld(): void {
    this.#heard = Math.max(this.#heard, Math.min(this.#pinged ?? 0, this.#latest));
    this.#pinged = undefined;
    this.#look();
  }

  /** Pings, unless a ping is not answered yet. Returns whether an answer may come soon that counts. */
  #ping(now: number): boolean {
    if (this.#heard >= this.#latest) return false;
    if (this.#pinged === undefined && this.#line?.notices.ping()) this.#pinged = now;
    return this.#pinged !== undefined && now - this.#pinged < this.#options.leaseMs / 12;
  }

  /** Does what is due, and looks again when something will be. */
  #look(): void {
    const { clock, leaseMs, listener, outbox, inbox } = this.#options;
    this.#cancel?.();
    if (this.#stopped) return;
    const now = clock.now();
    const deadline = this.#heard + this.#term;
    if (now >= deadline) {
      listener.lost(new Interrupted('lost', RUN_OUT));
      return;
    }
    const untilLine = this.#stored + LINE_AFTER - now;
    if (untilLine <= 0) this.#openLine();
    const line = this.#line;
    // What is sent over another line answers nothing that was sent over this one.
    if (!line?.notices.isTelling) this.#pinged = undefined;
    // The line has told of a message that no answer has brought, and that may not be there any more.
    const isBehind =
      line !== undefined && !outbox.isReleasing && line.told > Math.max(inbox.newest, this.#asked);
    // How long nothing may be heard of the object before it is asked.
    const patience = line?.isDeaf ? Math.min(leaseMs / 3, WITHOUT_LINE) : leaseMs / 3;
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
      // Whether the lease was given back before, the answer to that says.
      if (this.#stopped || outbox.isReleasing) return;
      if (!isRenewed) {
        listener.lost(new Interrupted('lost', `Another invocation holds the session (${answer.status}).`));
        return;
      }
      this.#asked = Math.max(this.#asked, renewal.told);
      this.#renewal = undefined;
      listener.inbox(answer);
      this.#look();
    } catch {
      // The object cannot be reached now. The next look tries again, until the deadline.
    } finally {
      if (this.#renewal === renewal) this.#renewal = undefined;
    }
  }
}

/** What a line needs of its holder. */
export interface LineOptions {
  readonly port: Pick<SessionPort, 'watch'>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly epoch: number;
  /** The connections of the invocation, of which the line takes one. */
  readonly slots: Slots;
  /** Aborts when nothing that others say matters any more. */
  readonly signal: AbortSignal;
  /** Called with the name of a reader who has come. */
  readonly onJoined: (reader: string) => void;
  /** Called when a ping was answered. */
  readonly onHeld: () => void;
  /** Called when the line reports a newer message, or can report nothing for now. */
  readonly onChange: () => void;
}

/**
 * The line of one holder to its session's object, which reports over it that something was left for the holder. A line that breaks is
 * opened again, as long as the invocation has means for it.
 */
export class HolderLine {
  /** The id of the newest message that it has reported. */
  told = 0;
  /** What it reports, and what is sent over it. */
  readonly notices: Notices;
  readonly #options: LineOptions;
  /** Aborts when the line is of no use any more. */
  readonly #over: Stop;

  constructor(options: LineOptions) {
    const { epoch: holder, onChange: onBroken, ...watch } = options;
    this.#options = options;
    this.#over = new Stop(watch.signal);
    this.notices = new Notices({ ...watch, holder, onBroken, signal: this.#over.signal });
  }

  /** It is to report what is left, and does not yet, or not any more. */
  get isDeaf(): boolean {
    return !this.#over.aborted && !this.notices.isTelling && !this.#options.meter.short();
  }

  /** Called once. The line opens as soon as there is a connection for it. */
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
    while (!this.#over.aborted && !meter.over && !notices.wasErased) {
      let newest = 0;
      await notices.until(({ unread = 0 }) => {
        newest = unread;
        return unread > this.told;
      });
      // Of a session that is no more there is nothing left to hold, which the next answer says.
      this.told = Math.max(this.told, notices.wasErased ? Infinity : newest);
      onChange();
    }
    this.close();
  }
}
