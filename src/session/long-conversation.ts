import { isStart } from '../journal/conversation.ts';
import type { LeaseGrant } from '../journal/session-port.ts';
import type { SessionState } from '../journal/state.ts';
import { LOOPS } from '../loop/loop-seams.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';

/**
 * The length in characters, about 50,000 tokens, from which a summary costs less than a few more turns that
 * read the whole conversation.
 */
const LONG_CONVERSATION_CHARACTERS = 200_000;

interface EndedInvocation {
  readonly leased: Pick<LeaseGrant, 'snapshot'>;
  /** The uses in scope of the session's agent. */
  readonly uses: readonly ModuleUse[];
  readonly log: Log;
}

/**
 * Logs, once per session, that a conversation has become long. Compares with the last snapshot, and skips
 * conversations that were cut or that a module keeps short.
 */
export function logLongConversation(
  { leased, uses, log }: EndedInvocation,
  { messages, starts, cut }: Pick<SessionState, 'messages' | 'starts' | 'cut'>,
): void {
  if (cut || uses.some((use) => LOOPS.of(use)?.shortens)) return;
  let turns = starts.filter((seq) => seq <= (leased.snapshot?.seq ?? 0)).length;
  let length = 0;
  let before = 0;
  for (const message of messages) {
    if (isStart(message) && turns-- === 0) before = length;
    length += JSON.stringify(message).length;
  }
  if (before >= LONG_CONVERSATION_CHARACTERS || length < LONG_CONVERSATION_CHARACTERS) return;
  const message = `its model reads ${length} characters a call. See docs/compaction.md`;
  log({ level: 'info', event: 'long-conversation', message });
}
