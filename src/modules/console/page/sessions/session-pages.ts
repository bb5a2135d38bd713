/** Loads pages of sessions of several agents, in the order of their last activity. */
import type { ListedSession, SessionStatus } from '../../../../worker/index-views.ts';
import { index } from '../data/api.ts';

/** The loaded sessions of each agent. */
export interface Pages {
  readonly agents: readonly AgentPage[];
}

interface AgentPage {
  readonly agent: string;
  readonly sessions: readonly ListedSession[];
  readonly next: string | null;
}

const EACH = 50;

/** Loads the first page of each agent, or the next page of each agent that has more. */
export async function loadPages(
  names: readonly string[],
  status: SessionStatus | undefined,
  before?: Pages,
): Promise<Pages> {
  const agents = names.map(async (agent): Promise<AgentPage> => {
    const known = before?.agents.find((one) => one.agent === agent);
    if (known?.next === null) return known;
    const page = await index.sessions(agent, { status, cursor: known?.next, limit: EACH });
    return { agent, sessions: [...(known?.sessions ?? []), ...page.sessions], next: page.next };
  });
  return { agents: await Promise.all(agents) };
}

export const hasMore = ({ agents }: Pages): boolean => agents.some(({ next }) => next !== null);

/**
 * Returns the sessions whose place is final, the latest first. Later pages of an agent can only contain older
 * sessions than its last loaded one.
 */
export function inOrder({ agents }: Pages): readonly ListedSession[] {
  const known = Math.max(
    ...agents.flatMap(({ next, sessions }) => (next === null ? [] : (sessions.at(-1)?.lastActivity ?? 0))),
    0,
  );
  return agents
    .flatMap(({ sessions }) => sessions)
    .filter(({ lastActivity }) => lastActivity >= known)
    .sort((a, b) => b.lastActivity - a.lastActivity);
}
