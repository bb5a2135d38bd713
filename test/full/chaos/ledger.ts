import type { TimelineEvent } from '../../../src/examples/demo/client.ts';
import type { Execution } from '../../../src/examples/demo/counted-effects.ts';
import type { Sent } from './deliver.ts';

/** Everything that is known of a run when it is over. Times are ms since the epoch. */
export interface Ledger {
  readonly sent: readonly Sent[];
  /** By session; empty where no message was ever taken. */
  readonly journals: ReadonlyMap<string, readonly TimelineEvent[]>;
  /** What the counter has on its disk. */
  readonly executions: readonly Execution[];
  /** When the processes were killed. */
  readonly kills: readonly number[];
  /** When the last one answered again. */
  readonly restartedAt: number;
  /** What a turn may take after that, or after the turn before it, in ms. */
  readonly patience: number;
  /** What wrangler has printed. */
  readonly log: string;
}

/** Something that may not be. */
export interface Finding {
  /** The rule that is broken. */
  readonly rule: string;
  /** The message, call, session or line that breaks it. */
  readonly where: string;
  readonly what: string;
}
