import type { DueOutcome, DueRow } from './agenda.ts';

/** The turn that a runner is asked to go on with, and the session's name that leads to it. */
export interface HandOver {
  readonly name: string;
  readonly turn: string;
}

/** What an object hands its open turns to, and what only the app can do. */
export interface TurnRunner {
  /** Goes on with the turn as far as one invocation may, and resolves then. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Does the work of a row of the agenda. The next row of its module and key is offered after this one is settled.
   *
   * @throws Error if that cannot be told now. The row is offered again then.
   */
  due(row: DueRow): Promise<DueOutcome>;
}
