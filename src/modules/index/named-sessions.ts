/** Finds sessions of an owner by id alone, for protocols whose ids do not name an agent. */

import type { SessionPort } from '../../journal/session-port.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import type { OpenedSession } from '../../worker/session-from-code.ts';
import { refreshIndex } from './look.ts';
import { assertIndexBound, createOwnerIndex, getIndexPlace, type OwnerIndex } from './owner-index.ts';
import type { IndexedSession, SessionKey, SessionQuery } from './reports.ts';
import { INDEX_MODULE } from './titles.ts';

/** The sessions of one owner with a set of agents. */
export interface OwnerSessions {
  readonly index: OwnerIndex;
  readonly agents: readonly string[];
  port(of: SessionKey): SessionPort;
}

/**
 * Returns the sessions of these agents that belong to the owner of a session. `what` is the feature that the
 * error names.
 *
 * @throws ConfigurationError if the app has no `sessionIndex()`.
 * @throws DeploymentError if INDEX is not bound.
 */
export function getOwnerSessions(
  { host, env, target: { owner } }: OpenedSession,
  agents: readonly string[],
  what: string,
): OwnerSessions {
  const { uses } = host.modules;
  if (!uses.some(({ module }) => module === INDEX_MODULE))
    throw new ConfigurationError(
      `${what} reads the index of sessions. Add sessionIndex() from 'holdfast/index' to \`use\` of createHoldfast.`,
    );
  assertIndexBound(env);
  return {
    index: createOwnerIndex(getIndexPlace(env, uses), owner),
    agents,
    port: (of) => host.session(env, toSessionName({ owner, ...of })),
  };
}

/** Returns the sessions in the index, in the order of their last activity. */
export const listIndexedSessions = (
  { index, agents }: OwnerSessions,
  query: Omit<SessionQuery, 'agent'>,
): Promise<readonly IndexedSession[]> => index.ask(async (object) => object.sessionsOf(agents, query));

/** Returns the sessions with an id in the index, at most one per agent. */
export const findIndexedSessions = (
  { index, agents }: OwnerSessions,
  session: string,
): Promise<readonly IndexedSession[]> => index.ask(async (object) => object.named(agents, session));

/**
 * Returns the sessions with this id, at most one per agent. Checks that each session exists. If the index has
 * none, looks for a session with each agent and reports it to the index.
 */
export async function findSessions(
  sessions: OwnerSessions,
  session: string,
): Promise<readonly IndexedSession[]> {
  const { index, agents, port } = sessions;
  const known = await findIndexedSessions(sessions, session);
  const asked = (known.length > 0 ? known.map(({ agent }) => agent) : agents).map((agent) => ({
    agent,
    session,
  }));
  const pages = await Promise.all(asked.map((of) => port(of).read({ from: 1, limit: 1 })));
  const there = pages.filter((page) => page !== null);
  if (known.length === there.length) return known;
  await Promise.all(asked.map((of) => refreshIndex(index, port(of), of)));
  return findIndexedSessions(sessions, session);
}
