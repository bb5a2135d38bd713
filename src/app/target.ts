import type { Agent } from '../agent/define-agent.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { SESSION_ID, SESSION_ID_RULE, toSessionName } from '../session/session-name.ts';
import { type Caller, ownerOf } from './caller.ts';
import type { Here } from './host.ts';

/** A session, on behalf of its caller. */
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

/** There is no such session, and cannot be: its agent is not there, or its id is none. */
export class UnknownTargetError extends Error {
  override readonly name = 'UnknownTargetError';
  readonly type: 'unknown-agent' | 'invalid-session-id';

  constructor(type: UnknownTargetError['type'], message: string) {
    super(message);
    this.type = type;
  }
}

/** Where one turn of the session is found. */
export const turnPath = ({ path }: Pick<Target, 'path'>, turn: string): string =>
  `${path}/turns/${encodeURIComponent(turn)}`;

/** @throws UnknownTargetError when there is no such agent, or the session's id cannot be one. */
export function targetOf({ host, env }: Here, caller: Caller, named: Named): Target {
  const agent = host.agents.get(named.agent);
  if (!agent) {
    throw new UnknownTargetError(
      'unknown-agent',
      `There is no agent '${named.agent.slice(0, 64)}'. GET /agents lists them.`,
    );
  }
  const { session } = named;
  if (!SESSION_ID.test(session)) {
    throw new UnknownTargetError('invalid-session-id', `A session id is ${SESSION_ID_RULE}`);
  }
  const port = host.session(env, toSessionName({ owner: ownerOf(caller), agent: agent.name, session }));
  const path = `/agents/${agent.name}/sessions/${encodeURIComponent(session)}`;
  return { agent, session, caller, port, path };
}
