import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { SentAgain } from '../../worker/app-seam.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { ANSWERED, lastEnd, type Reading, startOf } from './retry.ts';
import { streamRetry } from './stream-retry.ts';

/** Retries a message that a client of a protocol sends again, as `retry` of the parts of an app says. */
export async function retryAgain(
  session: Session,
  { context, signal, ...sent }: SentAgain,
): Promise<TurnStream | undefined> {
  if (!(await inSession(session, ({ target: { port } }) => canRetry(port, sent)))) return undefined;
  return streamRetry(session, signal, ToolCallContext.of(context));
}

async function canRetry(port: Reading, sent: Pick<SentAgain, 'message' | 'turn'>): Promise<boolean> {
  const page = await port.read({ from: 1, limit: 1 });
  if (!page) return false;
  const { openTurn, head } = page;
  const last = openTurn ? undefined : await lastEnd(port, head);
  const turn = openTurn?.id ?? last?.turn;
  if (turn === undefined) return false;
  const { message, parts, retries } = await startOf(port, turn);
  if (message !== sent.message || parts) return false;
  if (!last) return retries !== undefined;
  // Its client may have been shown what a turn said that was stopped, so that the same words are another message.
  return last.outcome === 'failed' || (turn === sent.turn && !ANSWERED.has(last.outcome));
}
