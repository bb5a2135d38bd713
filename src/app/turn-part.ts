import type { Agent } from '../agent/define-agent.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { TurnHost } from '../session/run-turn.ts';
import type { Env, Here, Host } from './host.ts';
import type { Invoked } from './invoked.ts';

/** The app in the environment of this invocation. */
interface InvokedHere extends Here {
  readonly host: Invoked;
}

/** A session, and the name of its agent. */
interface Of {
  readonly port: SessionPort;
  readonly agent: string;
}

/**
 * What any invocation of this deployment brings to the turns of a session. Each part is made when it is read, and throws a
 * ConfigurationError when the deployment lacks it: to refuse a message for that, copy it first; under a lease, leave it
 * to the turn, which then ends as failed.
 */
export const turnPart = ({ host, env }: InvokedHere, { port, agent }: Of): TurnHost => ({
  port,
  clock: host.clock,
  kinds: host.kinds,
  meter: host.meter,
  waitUntil: host.waitUntil,
  get agent() {
    return host.resolve(agentOf(host, agent), env);
  },
  get model() {
    return agentOf(host, agent).model ?? host.model(env);
  },
  get context() {
    return host.context(env);
  },
  agents: agentsIn(host, env),
  secrets: (principal) => host.secrets(env, principal),
});

/** All agents of the app, each with the tool groups that it asks for. */
const agentsIn = (host: Host, env: Env): NonNullable<TurnHost['agents']> => ({
  names: [...host.agents.keys()].toSorted(),
  get model() {
    return host.model(env);
  },
  find(name) {
    const agent = host.agents.get(name);
    return agent && host.resolve(agent, env);
  },
  resolve: (agent: Agent) => host.resolve(agent, env),
});

function agentOf(host: Host, name: string): Agent {
  const agent = host.agents.get(name);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${name}'.`);
  return agent;
}
