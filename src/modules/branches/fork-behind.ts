import type { SentBehind } from '../../worker/fork-views.ts';
import { idempotencyKeyOf } from '../../worker/request-headers.ts';
import type { Session } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { forkSession } from './fork-session.ts';

/** Forks a session behind one of its turns, if other turns came after it, for a surface. Returns the id of the fork. */
export async function forkBehind(
  session: Session,
  { turn, message, request, name }: SentBehind,
): Promise<string | undefined> {
  if ((await session.state()).turn?.turn === turn) return undefined;
  let at: number | undefined;
  for await (const { type, seq } of session.events({ turn })) if (type === 'turn-ended') at = seq;
  if (
    at === undefined ||
    (idempotencyKeyOf(request) !== undefined && (await nextMessage(session, at)) === message)
  )
    return undefined;
  return (await inSession(session, (access) => forkSession(access, { at, name }))).session;
}

/** The message of the first turn behind an event. */
async function nextMessage(session: Session, after: number): Promise<string | undefined> {
  for await (const event of session.events({ after }))
    if (event.type === 'turn-started') return event.message;
  return undefined;
}
