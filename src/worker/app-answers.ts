/** How an app shows calls that wait for an answer from outside. If no module brings this, no call can ask. */
import type { StoredEvent } from '../journal/events.ts';
import type { PendingCall } from '../journal/wait.ts';

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends PendingCall {
  readonly links: { readonly approvals: string } | { readonly results: string };
}

/** The part of an app that a module brings if calls may wait. */
export interface AppAnswers {
  /** Returns what a turn waits for, by its events, and where below `path` it is answered. */
  pending(target: { readonly path: string }, events: readonly StoredEvent[]): readonly PendingView[];
}
