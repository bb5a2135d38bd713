import type { LeaseTerm } from './lease-term.ts';
import type { SessionStorage } from './session-storage.ts';

/** What every rule of a session is decided from: what is stored, who holds the session, and what time it is. */
export interface LedgerScope {
  readonly storage: SessionStorage;
  readonly term: LeaseTerm;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The epoch before the first of a new session: unlike all of those of a session of this name that was erased. */
  readonly firstEpoch: () => number;
}
