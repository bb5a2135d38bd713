import { parseEvent } from '../../journal/event-rows.ts';
import { pause } from '../../tool/async.ts';
import type { FollowUpMessage, Fork, ForkOptions, ReplacementMessage } from '../../worker/fork-views.ts';
import { readIdempotencyKey } from '../../worker/request-headers.ts';
import type { Session } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { createTarget, type SessionAccess } from '../../worker/target.ts';
import { forkSession } from './fork-session.ts';
import { toContentMark, toForkName } from './replace-turn.ts';
import { toReadableError } from './would-repeat.ts';

/**
 * Forks a session after one of its turns if other turns follow it, for surfaces. Returns the id of the fork,
 * or `undefined` if no fork is needed.
 */
export async function forkBehind(
  session: Session,
  { turn, message, request, name }: FollowUpMessage,
): Promise<string | undefined> {
  if ((await session.state()).turn?.turn === turn) return undefined;
  let at: number | undefined;
  for await (const { type, seq } of session.events({ turn })) if (type === 'turn-ended') at = seq;
  if (
    at === undefined ||
    (readIdempotencyKey(request) !== undefined && (await findNextMessage(session, at)) === message)
  )
    return undefined;
  return forkAndWait(session, async () => ({ at, name }));
}

/**
 * Forks a session before one of its turns, for surfaces. The same message for the same turn returns the same
 * fork.
 */
export const forkInstead = (session: Session, { at, turn, said }: ReplacementMessage): Promise<string> =>
  forkAndWait(session, async (name) => ({
    at,
    name: await toForkName(name, await toContentMark(said), turn),
  }));

const forkAndWait = (session: Session, optionsFor: (name: string) => Promise<ForkOptions>): Promise<string> =>
  runInSession(session, async (access) => {
    const options = await optionsFor(access.target.session);
    const fork = await forkSession(access, options).catch((failure: unknown) => {
      throw toReadableError(failure);
    });
    await waitForCopy(access, fork);
    return fork.session;
  });

/**
 * Waits for another invocation that is still copying, for example after a repeated request. Until the copy
 * ends, the fork refuses messages.
 */
async function waitForCopy(access: SessionAccess, { session }: Fork): Promise<void> {
  const { caller, owner, agent } = access.target;
  const { port } = createTarget(access, caller, { agent: agent.name, session, owner });
  for (let tries = 0; tries < 50; tries += 1) {
    const page = await port.read({ from: 1, limit: 1 });
    const [row] = page?.rows ?? [];
    const opened = row && parseEvent(row);
    if (opened?.type !== 'session-forked' || page?.openTurn?.id !== opened.incarnation) return;
    await pause(access.host.clock, 100);
  }
}

/** Returns the message of the first turn after an event. */
async function findNextMessage(session: Session, after: number): Promise<string | undefined> {
  for await (const event of session.events({ after }))
    if (event.type === 'turn-started') return event.message;
  return undefined;
}
