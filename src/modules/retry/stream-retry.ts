import { type ContentPart, joinTexts } from '../../tool/content.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { createTurnFeed } from '../../worker/turn-feed.ts';
import { retryTurn } from './retry.ts';

/** The outcomes of turns without an answer. A turn that reached a limit is retried only on request. */
const FAILED_OUTCOMES: ReadonlySet<string> = new Set(['failed', 'cancelled']);

/**
 * Retries a message that a client sends again, and streams the turn. Returns `undefined` if the message is
 * not the last one or was answered. With `replayed`, retries the turn that the message started only if that
 * turn failed or was cancelled.
 */
export async function streamResent(
  session: Session,
  message: string | readonly ContentPart[],
  signal: AbortSignal,
  replayed?: string,
): Promise<TurnStream | undefined> {
  const words = typeof message === 'string' ? message : joinTexts(message);
  if (replayed !== undefined && !FAILED_OUTCOMES.has(`${(await session.turn(replayed)).outcome}`))
    return undefined;
  const state = await session.state().catch(() => undefined);
  const last = state?.messages.findLast(({ role, ...said }) => role === 'user' && !('by' in said));
  const outcome = state?.turn?.outcome;
  if (last?.text !== words || outcome === 'completed' || outcome === 'returned-direct') return undefined;
  return streamRetry(session, signal);
}

/**
 * Retries the last message of a session and streams its turn. Follows a retry that is already running. For
 * protocol modules. `context` replaces the context of the message.
 *
 * @throws the errors of `retryTurn`.
 */
export const streamRetry = (
  session: Session,
  signal: AbortSignal,
  context?: ToolCallContext,
): Promise<TurnStream> =>
  runInSession(session, async (entered) => {
    const at = { ...entered, signal };
    const { contextOfHeaders } = entered.sentBy ?? {};
    const begun = await retryTurn(at, { context, inBackground: false, joins: true, contextOfHeaders });
    const items = createTurnFeed(at, begun, { signal });
    const isJoined = begun.later !== undefined || begun.run === undefined;
    return { turn: begun.turn ?? begun.later.turn, isJoined, [Symbol.asyncIterator]: () => items };
  });
