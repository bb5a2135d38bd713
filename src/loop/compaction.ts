import type { SessionPort } from '../journal/session-port.ts';
import type { Loop } from './loop.ts';

/**
 * Replaces older messages of a conversation by something shorter, for the model only: `summarised` makes one. Their events stay
 * in the journal, and what tools remember stays as it is. Loops know it by this alone, so that a Worker without one carries none.
 */
export interface Compaction {
  /**
   * Called by each invocation of a turn before its own loop. Decides from the folded state, and journals what it did: after a
   * crash it is called again. A compaction that fails leaves the conversation as it is.
   *
   * @throws Interrupted when this invocation may not go on.
   */
  compact(conversation: Conversation): Promise<void>;
}

/** What may have become too long. */
export interface Conversation {
  /** The turn's own. */
  readonly loop: Loop;
  readonly port: Pick<SessionPort, 'read'>;
}
