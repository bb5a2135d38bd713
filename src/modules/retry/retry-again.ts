import type { StoredEvent } from '../../journal/events.ts';
import { isFile, textsOf } from '../../tool/content.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { SentAgain } from '../../worker/app-seam.ts';
import { idempotencyKeyOf, isFirstTry } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { ANSWERED, eventsOf, lastEnd, type Reading, startOf } from './retry.ts';
import { streamRetry } from './stream-retry.ts';

/** Retries a message that a person sends again. Implements `retry` of an app's parts. */
export async function retryAgain(
  session: Session,
  { asked: { request, signal }, parts, context, ...sent }: SentAgain,
): Promise<TurnStream | undefined> {
  const isByPerson = isFirstTry(request) && idempotencyKeyOf(request) === undefined;
  if (!isByPerson || parts.some(isFile)) return undefined;
  const message = textsOf(parts);
  if (!(await inSession(session, ({ target: { port } }) => canRetry(port, { message, ...sent }))))
    return undefined;
  return streamRetry(session, signal, ToolCallContext.of(context));
}

interface Sent extends Pick<SentAgain, 'turn' | 'behind'> {
  readonly message: string;
}

async function canRetry(port: Reading, sent: Sent): Promise<boolean> {
  const page = await port.read({ from: 1, limit: 1 });
  if (!page) return false;
  const { openTurn, head } = page;
  const last = openTurn ? undefined : await lastEnd(port, head);
  const turn = openTurn?.id ?? last?.turn;
  if (turn === undefined) return false;
  const { message, parts, retries } = await startOf(port, turn);
  if (message !== sent.message || parts) return false;
  if (!last) return retries !== undefined;
  if (last.outcome === 'failed' && (sent.behind ?? turn) === turn) return true;
  // The client may have seen output of a stopped turn, so the same words count as another message.
  return !ANSWERED.has(last.outcome) && isBegunBy(port, turn, sent);
}

/** Returns whether the last turn was started by this message, or is its retry. */
async function isBegunBy(port: Reading, turn: string, { turn: known, behind }: Sent): Promise<boolean> {
  if (behind === undefined) return turn === known;
  const starts = (await eventsOf(port, { from: 1, names: ['turn-started'] })).filter(isStart);
  const before = starts.findLastIndex((start) => start.turn === behind);
  return before >= 0 && starts.slice(before + 1).filter(({ retries }) => retries === undefined).length === 1;
}

const isStart = (event: StoredEvent) => event.type === 'turn-started';
