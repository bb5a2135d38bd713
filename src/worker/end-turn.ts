import { readPages } from '../session/fold-session.ts';
/** Cancels turns and erases sessions. */

import { createWaitId } from '../journal/conversation.ts';
import { parseKnownEvent } from '../journal/event-rows.ts';
import type { EventType, StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Wait } from '../journal/wait.ts';
import { toSessionName } from '../session/read-secrets.ts';
import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import { createRoleRequiredError, findMissingRole } from './auth.ts';
import type { Caller, HostedApp } from './host.ts';
import { SessionError } from './problem.ts';
import { createUnknownSessionError, createUnknownTurnError } from './session-view.ts';
import {
  createTarget,
  getOwner,
  getTurnPath,
  type OwnedSessionNames,
  type SessionAccess,
  type Target,
} from './target.ts';

/** The response to a cancel request. */
export interface CancelRequested extends Infer<typeof CANCEL_REQUESTED> {}
export const CANCEL_REQUESTED = {
  object: { turn: TEXT, status: { only: 'cancel-requested' } },
} as const satisfies Shape;

/**
 * Stops a running turn, or ends a waiting one before it starts. Defaults to the open turn.
 *
 * @throws SessionError if there is nothing to cancel, or the turn waits for a person with a role that the
 * caller lacks.
 */
export async function cancelTurn({ target }: SessionAccess, named?: string): Promise<CancelRequested> {
  const { port } = target;
  const page = await port.read({ from: 1, limit: 1, turn: named });
  if (!page) throw createUnknownSessionError(target);
  // The empty string is used for the event that opens a session, which does not belong to a turn.
  if (named === '') throw createUnknownTurnError(target, named);
  const turn = named ?? page.openTurn?.id;
  if (turn === undefined) throw createNoOpenTurnError();
  if (turn === page.openTurn?.id) await assertCanEnd(target, turn, 'cancel');
  const posted = await port.post({ kind: 'cancel', turn, body: '{}' });
  if (posted !== 'posted') throw await createCannotCancelError(target, turn);
  if (await hasEndedOtherwise(target, turn)) throw createTurnOverError(target, turn);
  return { turn, status: 'cancel-requested' };
}

const createNoOpenTurnError = (): SessionError =>
  new SessionError('no-open-turn', 'No turn is open, so there is nothing to cancel.');

/** Returns the error for a turn that cannot be cancelled: it has ended, or never existed. */
async function createCannotCancelError(target: Target, turn: string): Promise<SessionError> {
  const page = await target.port.read({ from: 1, limit: 1, turn });
  if (page?.waits?.status === 'steering') {
    const { into } = page.waits;
    const detail = `Message ${turn} is being delivered to turn ${into}. Cancel that turn.`;
    return new SessionError('no-open-turn', detail, { more: { turn: into } });
  }
  if (!page || page.rows.length === 0) return createUnknownTurnError(target, turn);
  return createTurnOverError(target, turn);
}

const createTurnOverError = (target: Target, turn: string): SessionError =>
  new SessionError('turn-over', `Turn ${turn} has ended. GET ${getTurnPath(target, turn)} shows its answer.`);

/** Returns whether a turn ended in another way, so that the cancel came too late and has no effect. */
async function hasEndedOtherwise({ port }: Target, turn: string): Promise<boolean> {
  const [end] = await readTurnEvents(port, turn, ['turn-ended']);
  return end?.type === 'turn-ended' && end.outcome !== 'cancelled';
}

/** A caller's access to a session that may not exist. */
interface CallerApp extends HostedApp {
  readonly caller: Caller;
}

/**
 * Erases a session. Succeeds even if it does not exist. Its object keeps a list of the files in an external
 * store, and deletes them later, when uploads can no longer be running.
 *
 * @throws SessionError if the id is invalid, neither the agent nor the session exists, or the open turn waits
 * for a role
 *   that the caller lacks.
 */
export async function eraseSession({ caller, ...app }: CallerApp, named: OwnedSessionNames): Promise<void> {
  const { host, env } = app;
  const { agent, session, owner = getOwner(caller) } = named;
  const isKnown = host.agents.has(agent);
  if (isKnown) createTarget(app, caller, named);
  const port = host.session(env, toSessionName({ owner, agent, session }));
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await assertCanEnd({ port, caller }, openTurn.id, 'erase');
  const existed = await port.erase();
  if (!existed && !isKnown) createTarget(app, caller, named);
}

/** A call that waits for an answer. */
export interface OpenWait {
  /** Identifies the question in the session. */
  readonly id: string;
  readonly call: string;
  readonly wait: Wait;
}

/**
 * Returns the calls that an open turn waits for, without folding. It also reads the known parts of events
 * from a newer version.
 */
export async function openWaits(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  isWanted: (wait: Wait) => boolean = () => true,
): Promise<readonly OpenWait[]> {
  const asked = (await readTurnEvents(port, turn, ['tool-call-suspended'])).filter(
    (event) => event.type === 'tool-call-suspended',
  );
  if (!asked.some(({ wait }) => isWanted(wait))) return [];
  const settled = await readTurnEvents(port, turn, ['tool-call-answered', 'tool-call-ended']);
  return asked.flatMap(({ seq, call, wait }) => {
    const isSettled = settled.some((event) => 'call' in event && event.call === call && event.seq > seq);
    const number = asked.filter((one) => one.call === call && one.seq < seq).length;
    return isSettled || !isWanted(wait) ? [] : [{ id: createWaitId(call, number), call, wait }];
  });
}

async function readTurnEvents(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  names: readonly EventType[],
): Promise<readonly StoredEvent[]> {
  const of = { turn, types: { names, until: Number.MAX_SAFE_INTEGER } };
  const events: StoredEvent[] = [];
  for await (const { rows } of readPages(port, await port.read({ from: 1, ...of }), of))
    events.push(...rows.flatMap(parseKnownEvent));
  return events;
}

interface CallerSession {
  readonly port: Pick<SessionPort, 'read'>;
  readonly caller: Caller;
}

/**
 * Checks that a caller may end a turn now, since ending a turn that waits for a decision is also a decision.
 * A turn that starts to wait right after this check counts as not waiting.
 *
 * @throws SessionError if it waits for a person with a role that the caller lacks.
 */
export async function assertCanEnd(
  { port, caller }: CallerSession,
  turn: string,
  what: 'cancel' | 'erase' | 'delete files of',
): Promise<void> {
  const [first] = await openWaits(port, turn, (wait) => findMissingRole(caller, wait) !== undefined);
  const role = first && findMissingRole(caller, first.wait);
  if (role === undefined) return;
  const which = what === 'cancel' ? `Turn ${turn}` : `Turn ${turn} of this session`;
  const who = `waits for a person with the role '${role}', and only they may ${what} it.`;
  throw createRoleRequiredError(`${which} ${who}`, { role, turn });
}
