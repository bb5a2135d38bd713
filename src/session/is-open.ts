import type { EventPage } from '../journal/session-port.ts';

/** Where a session stands, as its page or a notice tells it; `null` when there is no such session. */
export type Standing = Pick<EventPage, 'openTurn' | 'waiting'> | null;

/** The turn runs, or waits for those before it or for its time. */
export const isOpen = (at: Standing, turn: string): boolean =>
  at !== null &&
  ((at.openTurn?.id === turn && at.openTurn.state === 'running') ||
    at.waiting.some((one) => one.turn === turn));
