import type { Agent } from '../agent/define-agent.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { toSessionName } from '../session/session-name.ts';
import type { Caller } from './auth.ts';
import type { Env, Host } from './host.ts';
import { Problem } from './problem.ts';

/** A session that a request names, on behalf of its caller. */
export interface Target {
  readonly agent: Agent;
  readonly session: string;
  readonly caller: Caller;
  readonly port: SessionPort;
  /** The session's own path. */
  readonly path: string;
}

/** A session as a path names it. */
export interface Named {
  readonly agent: string;
  readonly session: string;
}

/** Where one turn of the session is found. */
export const turnPath = ({ path }: Pick<Target, 'path'>, turn: string): string =>
  `${path}/turns/${encodeURIComponent(turn)}`;

/** @throws Problem when there is no such agent, or the session's id cannot be one. */
export function targetOf(host: Host, env: Env, caller: Caller, named: Named): Target {
  const agent = host.agents.get(named.agent);
  if (!agent) {
    throw new Problem(
      404,
      'unknown-agent',
      `There is no agent '${named.agent.slice(0, 64)}'. GET /agents lists them.`,
    );
  }
  if (!/^[A-Za-z0-9_.:@-]{1,128}$/.test(named.session)) {
    throw new Problem(
      400,
      'invalid-session-id',
      'A session id is 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
    );
  }
  const { session } = named;
  const owner = caller.tenant ?? caller.id;
  const port = host.session(env, toSessionName({ owner, agent: agent.name, session }));
  return {
    agent,
    session,
    caller,
    port,
    path: `/agents/${agent.name}/sessions/${encodeURIComponent(session)}`,
  };
}
