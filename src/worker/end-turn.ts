/** Ends what is not wanted any more: a turn, or a session with all that is in it. */
import { toSessionName } from '../session/read-secrets.ts';
import type { Caller, HostedApp } from './host.ts';
import { mustMayEnd } from './open-waits.ts';
import { SessionError } from './problem.ts';
import { unknownSession, unknownTurn } from './session-view.ts';
import { type Named, ownerOf, type SessionAccess, type Target, targetOf, turnPath } from './target.ts';

/** A turn that is asked to stop. */
export interface CancelRequested {
  readonly turn: string;
  readonly status: 'cancel-requested';
}

/**
 * Asks whoever runs the turn to stop it, or ends one that waits before it begins; the open turn unless one is named.
 *
 * @throws SessionError when there is nothing to cancel, and when the turn waits for somebody with a role that the caller lacks.
 */
export async function cancelTurn({ target }: SessionAccess, named?: string): Promise<CancelRequested> {
  const { port } = target;
  const page = await port.read({ from: 1, limit: 1, ...(named !== undefined && { turn: named }) });
  if (!page) throw unknownSession(target);
  // The event that opens a session is of no turn, and has this name for it.
  if (named === '') throw unknownTurn(target, named);
  const turn = named ?? page.openTurn?.id;
  if (turn === undefined) throw noOpenTurn();
  if (turn === page.openTurn?.id) await mustMayEnd(target, turn, 'cancel');
  const posted = await port.post({ kind: 'cancel', turn, body: '{}' });
  if (posted !== 'posted') throw await whyNot(target, turn);
  if (await hasEndedOtherwise(target, turn)) throw turnOver(target, turn);
  return { turn, status: 'cancel-requested' };
}

const noOpenTurn = (): SessionError =>
  new SessionError('no-open-turn', 'No turn is open, so there is nothing to cancel.');

/** What was cancelled is over, or never was one. */
async function whyNot(target: Target, turn: string): Promise<SessionError> {
  const page = await target.port.read({ from: 1, limit: 1, turn });
  if (page?.waits?.status === 'steering') {
    const { into } = page.waits;
    const detail = `Message ${turn} is on its way into turn ${into}: cancel that.`;
    return new SessionError('no-open-turn', detail, { more: { turn: into } });
  }
  if (!page || page.rows.length === 0) return unknownTurn(target, turn);
  return turnOver(target, turn);
}

const turnOver = (target: Target, turn: string): SessionError =>
  new SessionError('turn-over', `Turn ${turn} has ended: GET ${turnPath(target, turn)} shows its answer.`);

/** Tells whether a turn has ended as anything but cancelled: its end was on its way when the cancel came, which is void then. */
async function hasEndedOtherwise({ port }: Target, turn: string): Promise<boolean> {
  const types = { names: ['turn-ended'], until: Number.MAX_SAFE_INTEGER };
  const [end] = (await port.read({ from: 1, turn, types }))?.rows ?? [];
  return end !== undefined && Object(JSON.parse(end.body)).outcome !== 'cancelled';
}

/** Somebody who wants something of a session, whether there is one or not. */
interface Visit extends HostedApp {
  readonly caller: Caller;
}

/**
 * Removes all of a session; there is none afterwards, or was none. Its object remembers which files are to be deleted in a store outside,
 * and asks the store a while later, when nothing puts files there any more.
 *
 * @throws SessionError when the id cannot be one, there is neither such an agent nor such a session, or the open turn waits for a role
 *   that the caller lacks.
 */
export async function eraseSession({ host, env, base, caller }: Visit, named: Named): Promise<void> {
  const { agent, session } = named;
  const isKnown = host.agents.has(agent);
  const known = isKnown ? targetOf({ host, env, base }, caller, { agent, session }) : undefined;
  const port = known?.port ?? host.session(env, toSessionName({ owner: ownerOf(caller), agent, session }));
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await mustMayEnd({ port, caller }, openTurn.id, 'erase');
  const existed = await port.erase();
  if (!existed && !isKnown) targetOf({ host, env, base }, caller, { agent, session });
}
