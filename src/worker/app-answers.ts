/** What an app shows of calls that wait for an answer from outside. Without it no call can ask. */
import type { StoredEvent } from '../journal/events.ts';
import type { PendingCall } from '../journal/wait.ts';

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends PendingCall {
  readonly links: { readonly approvals: string } | { readonly results: string };
}

/** What a module brings to an app whose calls may wait. */
export interface AppAnswers {
  /** Returns what a turn waits for, by its events, and where below `path` it is answered. */
  pending(target: { readonly path: string }, events: readonly StoredEvent[]): readonly PendingView[];
}
