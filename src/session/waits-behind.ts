import type { Standing } from './is-open.ts';

/** The open turn, which waits for somebody while another one is in line behind it. */
export interface Behind {
  readonly behind: string;
}

/** Whether this turn is in line behind one that waits for somebody: nobody can tell how long that takes. */
export const waitsBehind = (at: Standing, turn: string): Behind | undefined =>
  at?.openTurn?.state === 'waiting' && at.waiting.some((one) => one.turn === turn && one.status === 'queued')
    ? { behind: at.openTurn.id }
    : undefined;
