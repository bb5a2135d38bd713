import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import type { Execution } from '../../../src/examples/demo/counted-effects.ts';
import type { SentMessage } from './deliver.ts';

/** All data about a run after its end. Times are in ms since the epoch. */
export interface Ledger {
  readonly sent: readonly SentMessage[];
  /** The journals by session. Empty if the session never accepted a message. */
  readonly journals: ReadonlyMap<string, readonly TimelineEvent[]>;
  /** The executions that the counter has stored on its disk. */
  readonly executions: readonly Execution[];
  /** The times of the kills. */
  readonly kills: readonly number[];
  /** The time when the last process was ready. */
  readonly restartedAt: number;
  /** The maximum time in ms that a turn may take after `restartedAt`, or after the previous turn. */
  readonly patience: number;
  /** The output of wrangler. */
  readonly log: string;
}

/** A violation of a guarantee. */
export interface Finding {
  /** The violated rule. */
  readonly rule: string;
  /** The message, call, session or log line that violates it. */
  readonly where: string;
  readonly what: string;
}
