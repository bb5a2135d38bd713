import type { StoredEvent } from '../../journal/events.ts';
import { isFile, joinTexts } from '../../tool/content.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { RepeatedMessage } from '../../worker/app-seam.ts';
import { isFirstAttempt, readIdempotencyKey } from '../../worker/request-headers.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { ANSWERED_OUTCOMES, findLastEnd, readEvents, readStart, type SessionReader } from './retry.ts';
import { streamRetry } from './stream-retry.ts';

/** Retries a message that a person sends again. Implements `retry` of an app's parts. */
export async function retryResent(
  session: Session,
  { asked: { request, signal }, parts, context, ...sent }: RepeatedMessage,
): Promise<TurnStream | undefined> {
  const isByPerson = isFirstAttempt(request) && readIdempotencyKey(request) === undefined;
  if (!isByPerson || parts.some(isFile)) return undefined;
  const message = joinTexts(parts);
  if (!(await runInSession(session, ({ target: { port } }) => canRetry(port, { message, ...sent }))))
    return undefined;
  return streamRetry(session, signal, ToolCallContext.of(context));
}

interface ResentMessage extends Pick<RepeatedMessage, 'turn' | 'behind'> {
  readonly message: string;
}

async function canRetry(port: SessionReader, sent: ResentMessage): Promise<boolean> {
  const page = await port.read({ from: 1, limit: 1 });
  if (!page) return false;
  const { openTurn, head } = page;
  const last = openTurn ? undefined : await findLastEnd(port, head);
  const turn = openTurn?.id ?? last?.turn;
  if (turn === undefined) return false;
  const { message, parts, retries } = await readStart(port, turn);
  if (message !== sent.message || parts) return false;
  if (!last) return retries !== undefined;
  if (last.outcome === 'failed' && (sent.behind ?? turn) === turn) return true;
  // The client may have seen output of a stopped turn, so the same text then counts as a new message.
  return !ANSWERED_OUTCOMES.has(last.outcome) && isStartedBy(port, turn, sent);
}

/** Returns whether the last turn was started by this message, or is its retry. */
async function isStartedBy(
  port: SessionReader,
  turn: string,
  { turn: known, behind }: ResentMessage,
): Promise<boolean> {
  if (behind === undefined) return turn === known;
  const starts = (await readEvents(port, { from: 1, names: ['turn-started'] })).filter(isStart);
  const before = starts.findLastIndex((start) => start.turn === behind);
  return before >= 0 && starts.slice(before + 1).filter(({ retries }) => retries === undefined).length === 1;
}

const isStart = (event: StoredEvent) => event.type === 'turn-started';
