import type { DueOutcome, DueRow } from './agenda.ts';

/** The turn that a runner is asked to go on with, and the session's name that leads to it. */
export interface HandOver {
  readonly name: string;
  readonly turn: string;
}

/** Copies of files in a store outside for which a session has no more use. */
export interface StoreDeletion {
  /** The name of the session. */
  readonly name: string;
  /** Of the session that put them there. */
  readonly incarnation: string;
  /** The ids of the copies. Absent: all of this incarnation, which was erased. */
  readonly copies?: readonly string[] | undefined;
  /** Which try this is, from 1 on. */
  readonly attempt: number;
  /** After so many ms the next try follows, if this one fails. */
  readonly nextAfter: number;
}

/** What an object hands its open turns to, and what only the app can do. */
export interface TurnRunner {
  /** Goes on with the turn as far as one invocation may, and resolves then. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Deletes copies of files in the store outside, and resolves when they are gone. May be asked again.
   *
   * @throws Error if they cannot be deleted now. This is asked again then.
   */
  deleteFiles(deletion: StoreDeletion): Promise<void>;
  /**
   * Does the work of a row of the agenda. The next row of its module and key is offered after this one is settled.
   *
   * @throws Error if that cannot be told now. The row is offered again then.
   */
  due(row: DueRow): Promise<DueOutcome>;
}
