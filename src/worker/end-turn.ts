import { pagesFrom } from '../session/fold-session.ts';
/** Ends what is not wanted any more: a turn, or a session with all that is in it. */

import { waitId } from '../journal/conversation.ts';
import { parseKnown } from '../journal/event-rows.ts';
import type { EventType, StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Wait } from '../journal/wait.ts';
import { toSessionName } from '../session/read-secrets.ts';
import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import { lackedRole, roleRequired } from './auth.ts';
import type { Caller, HostedApp } from './host.ts';
import { SessionError } from './problem.ts';
import { unknownSession, unknownTurn } from './session-view.ts';
import { type OwnedName, ownerOf, type SessionAccess, type Target, targetOf, turnPath } from './target.ts';

/** A turn that is asked to stop. */
export interface CancelRequested extends Infer<typeof CANCEL_REQUESTED> {}
export const CANCEL_REQUESTED = {
  object: { turn: TEXT, status: { only: 'cancel-requested' } },
} as const satisfies Shape;

/**
 * Asks whoever runs the turn to stop it, or ends one that waits before it begins; the open turn unless one is named.
 *
 * @throws SessionError when there is nothing to cancel, and when the turn waits for somebody with a role that the caller lacks.
 */
export async function cancelTurn({ target }: SessionAccess, named?: string): Promise<CancelRequested> {
  const { port } = target;
  const page = await port.read({ from: 1, limit: 1, turn: named });
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
  const [end] = await eventsOf(port, turn, ['turn-ended']);
  return end?.type === 'turn-ended' && end.outcome !== 'cancelled';
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
export async function eraseSession({ caller, ...app }: Visit, named: OwnedName): Promise<void> {
  const { host, env } = app;
  const { agent, session, owner = ownerOf(caller) } = named;
  const isKnown = host.agents.has(agent);
  if (isKnown) targetOf(app, caller, named);
  const port = host.session(env, toSessionName({ owner, agent, session }));
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await mustMayEnd({ port, caller }, openTurn.id, 'erase');
  const existed = await port.erase();
  if (!existed && !isKnown) targetOf(app, caller, named);
}

/** A call that waits for an answer. */
export interface OpenWait {
  /** Names the question in the session. */
  readonly id: string;
  readonly call: string;
  readonly wait: Wait;
}

/** Returns what an open turn waits for. It folds nothing, and reads what this code knows of events that a newer version wrote. */
export async function openWaits(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  isWanted: (wait: Wait) => boolean = () => true,
): Promise<readonly OpenWait[]> {
  const asked = (await eventsOf(port, turn, ['tool-call-suspended'])).filter(
    (event) => event.type === 'tool-call-suspended',
  );
  if (!asked.some(({ wait }) => isWanted(wait))) return [];
  const settled = await eventsOf(port, turn, ['tool-call-answered', 'tool-call-ended']);
  return asked.flatMap(({ seq, call, wait }) => {
    const isSettled = settled.some((event) => 'call' in event && event.call === call && event.seq > seq);
    const number = asked.filter((one) => one.call === call && one.seq < seq).length;
    return isSettled || !isWanted(wait) ? [] : [{ id: waitId(call, number), call, wait }];
  });
}

async function eventsOf(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  names: readonly EventType[],
): Promise<readonly StoredEvent[]> {
  const of = { turn, types: { names, until: Number.MAX_SAFE_INTEGER } };
  const events: StoredEvent[] = [];
  for await (const { rows } of pagesFrom(port, await port.read({ from: 1, ...of }), of))
    events.push(...rows.flatMap(parseKnown));
  return events;
}

/** A caller, and a session. */
interface Visitor {
  readonly port: Pick<SessionPort, 'read'>;
  readonly caller: Caller;
}

/**
 * Lets pass a caller who may end a turn now: to end a turn that waits for a decision is to decide. One that comes to wait for somebody
 * right after this was not waiting when it was asked.
 *
 * @throws SessionError if it waits for somebody with a role that the caller lacks.
 */
export async function mustMayEnd(
  { port, caller }: Visitor,
  turn: string,
  what: 'cancel' | 'erase' | 'delete files of',
): Promise<void> {
  const [first] = await openWaits(port, turn, (wait) => lackedRole(caller, wait) !== undefined);
  const role = first && lackedRole(caller, first.wait);
  if (role === undefined) return;
  const which = what === 'cancel' ? `Turn ${turn}` : `Turn ${turn} of this session`;
  const who = `waits for somebody with the role '${role}', and nobody else may ${what} it.`;
  throw roleRequired(`${which} ${who}`, { role, turn });
}
