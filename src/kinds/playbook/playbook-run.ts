import type { Lock } from './lock.ts';

/** One call of a playbook, as its nested loop knows it. */
export interface PlaybookRun {
  readonly locks: readonly Lock[];
  /** The names of the playbook's own tools. */
  readonly own: ReadonlySet<string>;
  /** Under which its progress is kept. */
  readonly key: string;
  /** What all calls of a batch have in common, so that each sees what the one before it has unlocked. */
  readonly lane: string;
}
