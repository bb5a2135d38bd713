/** Loads pages of sessions of several agents, in the order of their last activity. */
import type { ListedSession, SessionStatus } from '../../../../worker/index-views.ts';
import { index } from '../data/api.ts';

export interface SessionPages {
  readonly agents: readonly AgentPage[];
}

interface AgentPage {
  readonly agent: string;
  readonly sessions: readonly ListedSession[];
  readonly next: string | null;
}

const PAGE_SIZE = 50;

/** Selects sessions by agents, status and owner. Defaults to the caller's sessions. */
export interface SessionSelection {
  readonly names: readonly string[];
  readonly status: SessionStatus | undefined;
  readonly owner: string | undefined;
}

/** Loads the first page of each agent, or the next page of each agent that has more. */
export async function loadPages(
  { names, status, owner }: SessionSelection,
  before?: SessionPages,
): Promise<SessionPages> {
  const agents = names.map(async (agent): Promise<AgentPage> => {
    const known = before?.agents.find((one) => one.agent === agent);
    if (known?.next === null) return known;
    const page = await index.sessions(agent, { owner, status, cursor: known?.next, limit: PAGE_SIZE });
    return { agent, sessions: [...(known?.sessions ?? []), ...page.sessions], next: page.next };
  });
  return { agents: await Promise.all(agents) };
}

/**
 * Replaces the first page of each agent with a newer one. A session that moved to the first page is listed
 * only once.
 */
export function withFirst(first: SessionPages, loaded: SessionPages | undefined): SessionPages {
  if (!loaded) return first;
  const agents = first.agents.map((page): AgentPage => {
    const known = loaded.agents.find(({ agent }) => agent === page.agent);
    const shown = new Set(page.sessions.map(({ session }) => session));
    const older = known?.sessions.filter(({ session }) => !shown.has(session)) ?? [];
    return { ...page, sessions: [...page.sessions, ...older], next: known ? known.next : page.next };
  });
  return { agents };
}

export const hasMore = ({ agents }: SessionPages): boolean => agents.some(({ next }) => next !== null);

/**
 * Returns the sessions whose position is final, latest first. Later pages of an agent can only contain older
 * sessions than its last loaded one.
 */
export function listInOrder({ agents }: SessionPages): readonly ListedSession[] {
  const known = Math.max(
    ...agents.flatMap(({ next, sessions }) => (next === null ? [] : (sessions.at(-1)?.lastActivity ?? 0))),
    0,
  );
  return agents
    .flatMap(({ sessions }) => sessions)
    .filter(({ lastActivity }) => lastActivity >= known)
    .sort((a, b) => b.lastActivity - a.lastActivity);
}
