import type { SessionEvent } from '../journal/events.ts';
import type { PricedUsage } from '../journal/usage.ts';

/** Why no summary was written; told to the log, so it holds nothing of what was said. */
export class NotCompacted extends Error {
  override readonly name = 'NotCompacted';
}

type Reason = Extract<SessionEvent, { type: 'summary-dropped' }>['reason'];

/** A summary was worked on, and cannot be used. The next one, of the same messages, would hardly be better. */
export class SummaryDropped extends Error {
  override readonly name = 'SummaryDropped';
  readonly reason: Reason;
  /** What its model used, as far as that is known. */
  readonly usage: PricedUsage | undefined;

  constructor(reason: Reason, usage?: PricedUsage) {
    super(`A summary was dropped: ${reason}.`);
    this.reason = reason;
    this.usage = usage;
  }
}
