import type { SessionPort } from '../journal/session-port.ts';
import { Interrupted } from '../loop/holder.ts';
import type { OutboxListener } from './outbox.ts';
import type { Clock } from './read-platform.ts';

/** What a lease keeper tells the invocation that owns it. */
interface LeaseListener extends Pick<OutboxListener, 'inbox' | 'lost'> {
  /** The lease is about to be renewed in silence: one more message that nobody asked leave for. */
  renewing(): void;
}

interface Options {
  readonly port: Pick<SessionPort, 'renew'>;
  readonly clock: Clock;
  readonly epoch: number;
  readonly leaseMs: number;
  /** When the request that got the lease was sent. */
  readonly sentAt: number;
  readonly listener: LeaseListener;
  /**
   * An append is under way: it renews the lease when it is answered, and one that never is must not be
   * outlived.
   */
  readonly isSending: () => boolean;
}

/**
 * Keeps the lease of one invocation. Any append renews it; after a third of the term in silence this does. Its own deadline,
 * three quarters of a term after the last acknowledged message was *sent*, always falls before the object's.
 */
export class LeaseKeeper {
  readonly #options: Options;
  #heard: number;
  #cancel: () => void = () => {};
  /** When the renewal that is under way was sent. */
  #renewing: number | undefined;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#heard = options.sentAt;
    this.#watch();
  }

  /** True while this invocation may act, by the clock and not by a timer that may be late. */
  get held(): boolean {
    return !this.#stopped && this.#options.clock.now() < this.deadline;
  }

  /** Ms since the epoch after which nothing more may be started. */
  get deadline(): number {
    return this.#heard + (this.#options.leaseMs * 3) / 4;
  }

  /** The object acknowledged something that was sent then. */
  acknowledged(sentAt: number): void {
    this.#heard = Math.max(this.#heard, sentAt);
  }

  /** Ends the watch. A renewal that is under way may be lost: nobody needs it any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #watch(): void {
    const { clock, leaseMs, listener, isSending } = this.#options;
    const silence = clock.now() - this.#heard;
    if (clock.now() >= this.deadline) {
      listener.lost(new Interrupted('lost', 'The lease of this invocation has run out.'));
      return;
    }
    const due = silence >= leaseMs / 3;
    const isRenewing = this.#renewing !== undefined && clock.now() - this.#renewing < leaseMs / 4;
    if (due && !isSending() && !isRenewing) void this.#renew();
    const next = due ? Math.min(leaseMs / 12, this.deadline - clock.now()) : leaseMs / 3 - silence;
    this.#cancel = clock.after(Math.max(1, Math.ceil(next)), () => this.#watch());
  }

  async #renew(): Promise<void> {
    const { port, clock, epoch, listener } = this.#options;
    const sentAt = clock.now();
    this.#renewing = sentAt;
    listener.renewing();
    try {
      const answer = await port.renew(epoch);
      if (this.#stopped) return;
      if (answer.status !== 'renewed') {
        listener.lost(new Interrupted('lost', `Another invocation holds the session (${answer.status}).`));
        return;
      }
      this.acknowledged(sentAt);
      listener.inbox(answer.inbox);
    } catch {
      // The object cannot be reached now. The next look tries again, until the deadline.
    } finally {
      if (this.#renewing === sentAt) this.#renewing = undefined;
    }
  }
}
