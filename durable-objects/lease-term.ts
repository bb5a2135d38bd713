import type { Lease, SessionStorage } from './session-storage.ts';

interface Options {
  readonly leaseMs: number;
  readonly now: () => number;
}

/** How a lease came to be given. */
type Cause = Pick<Lease, 'cause' | 'expired' | 'expiredFor'>;

/**
 * Who holds a session, and until when (DESIGN 5, rule 4). The deadline is kept in memory only: an object that starts grants
 * the stored lease one full term, unless it knows that the holder was silent before.
 */
export class LeaseTerm {
  readonly #storage: SessionStorage;
  readonly #options: Options;
  #deadline: number;

  constructor(storage: SessionStorage, options: Options) {
    this.#storage = storage;
    this.#options = options;
    this.#deadline = storage.lease().grace ?? options.now() + options.leaseMs;
  }

  get ms(): number {
    return this.#options.leaseMs;
  }

  /** Until when the holder need not be heard, in ms since the epoch. */
  get deadline(): number {
    return this.#deadline;
  }

  /** Somebody holds the session, and was heard within the term. */
  get isLive(): boolean {
    return this.#storage.lease().state === 'held' && this.#deadline > this.#options.now();
  }

  /** Whether whoever was given this epoch still holds the session, however long it was silent. */
  isHeldBy(epoch: number): boolean {
    const lease = this.#storage.lease();
    return lease.epoch === epoch && lease.state === 'held';
  }

  /** The same request for a lease again: its term begins anew if it was given one, and has it still. */
  isGivenTo(turn: string, nonce: string): boolean {
    const lease = this.#storage.lease();
    const isGiven = lease.state === 'held' && lease.nonce === nonce && lease.turn === turn;
    if (isGiven) this.heard();
    return isGiven;
  }

  /** Begins the term anew, of a holder whose words were stored. */
  extend(): void {
    this.#deadline = this.#options.now() + this.#options.leaseMs;
  }

  /** The holder was heard: its term begins anew. Writes only if an alarm has looked since. */
  heard(): void {
    this.extend();
    const lease = this.#storage.lease();
    if (lease.grace === null) return;
    this.#storage.transaction(() => this.#storage.setLease({ ...lease, grace: null }));
  }

  /** Keeps the deadline for an object that starts after this one: it was looked at while the holder was silent. */
  note(): void {
    this.#storage.setLease({ ...this.#storage.lease(), grace: this.#deadline });
  }

  /** Gives the session to whoever minted the nonce, for a full term. */
  take(turn: string, nonce: string, cause: Cause): void {
    const lease = this.#storage.lease();
    this.extend();
    this.#storage.setLease({
      ...lease,
      ...cause,
      ...{ turn, nonce, epoch: lease.epoch + 1, state: 'held', grace: null },
    });
  }

  /** How the next lease of the open turn comes to be given; one of which nothing is journaled yet is only now started. */
  next(turn: string): Cause {
    const { state, expired } = this.#storage.lease();
    if (state === 'held') {
      return { cause: 'expired', expired: expired + 1, expiredFor: this.#options.now() - this.#deadline };
    }
    const isNew = this.#storage.turnStart(turn) === this.#storage.head();
    return { cause: isNew ? 'started' : 'handed-over', expired, expiredFor: 0 };
  }
}

/** What every rule of a session is decided from: what is stored, who holds the session, and what time it is. */
export interface LedgerScope {
  readonly storage: SessionStorage;
  readonly term: LeaseTerm;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The epoch before the first of a new session: unlike all of those of a session of this name that was erased. */
  readonly firstEpoch: () => number;
}
