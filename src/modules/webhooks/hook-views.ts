/** What deliveries are answered. */
import type { Deferred } from '../../journal/event-page.ts';
import type { Accepted } from '../../journal/session-port.ts';

/** A delivery that started nothing. */
export interface HookIgnored {
  readonly hook: string;
  readonly status: 'ignored';
  readonly reason: string;
}

/** A delivery that has started a turn, now or when it came first. */
export interface HookStarted {
  readonly hook: string;
  readonly session: string;
  readonly agent: string;
  readonly turn: string;
  readonly status: (Accepted | Deferred | { readonly status: 'known' })['status'];
  /** The turn that takes its message in, or has. */
  readonly into?: string;
  /** Of `scheduled`: in ms since the epoch. */
  readonly at?: number;
}
