import type { Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { consoleLog, type Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import type { Carrier } from '../tool/uses.ts';
import { type Agent, ASKS_BY_ROLE } from './define-agent.ts';

/** The Worker's vars, secrets and bindings. */
type Env = Readonly<Record<string, unknown>>;

/** An app, as its modules see it that add to its agents. */
export interface ResolvingApp {
  readonly agents: readonly Agent[];
  readonly log: Log;
}

/** What a module adds to agents that ask the app for something (`needsApp`). */
export interface AgentSeam {
  /** Bring along modules: what may be added to an agent. */
  readonly carriers: readonly Carrier[];
  /**
   * Called once for an app. The function returns an agent as an environment has it: the same object for the same agent and environment,
   * and the agent itself if it needs nothing. It throws a ConfigurationError if the environment lacks what the agent asks for.
   */
  resolving(app: ResolvingApp): (agent: Agent, env: Env) => Agent;
}

/** What uses of modules add to agents. */
export const AGENTS = defineSeam<AgentSeam>();

/**
 * Returns the function that gives agents what they ask the app for, or `undefined` for an app whose modules add nothing to agents.
 *
 * @throws ConfigurationError if an agent asks for tool groups, and the app has no module that fills them.
 */
export function agentResolver({
  modules: { uses, appWide },
  agents,
  log = consoleLog(),
}: Pick<ResolvingApp, 'agents'> & {
  readonly modules: Modules;
  /** Defaults to the console. */
  readonly log?: Log | undefined;
}): ((agent: Agent, env: Env) => Agent) | undefined {
  const seams = new Set(uses.flatMap((use) => AGENTS.of(use) ?? []));
  const isUnfilled = uses.includes(ASKS_BY_ROLE) && !appWide.some(addsToAgents);
  const isAlone = seams.size === 0 && agents.some(({ needsApp }) => needsApp);
  if (isUnfilled || isAlone) throw new ConfigurationError(NO_GROUPS);
  if (seams.size === 0) return undefined;
  const steps = Array.from(seams, (seam) => seam.resolving({ agents, log }));
  return (agent, env) => steps.reduce((one, resolve) => resolve(one, env), agent);
}

const addsToAgents = (use: ModuleUse): boolean => AGENTS.of(use) !== undefined;

const NO_GROUPS =
  "The `toolGroups` of an agent need the module `toolGroups()`: import it from 'holdfast/tool-groups' and add it to `use`, with the groups.";
