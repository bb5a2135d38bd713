import { keeperIn, needsFiles } from '../loop/loop-files.ts';
import { composeModules, type Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { consoleLog } from '../tool/console-log.ts';
import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import { type Carrier, usesInside, usesOf } from '../tool/uses.ts';
import type { Agent } from './define-agent.ts';

/** The Worker's vars, secrets and bindings. */
type Env = Readonly<Record<string, unknown>>;

/** An app, as its modules see it that add to its agents. */
export interface ResolvingApp {
  readonly agents: readonly Agent[];
  /** The uses of the app itself. */
  readonly appWide: readonly ModuleUse[];
  readonly log: Log;
}

/** What a module adds to agents that ask the app for something (`needsApp`). */
export interface AgentSeam {
  /** Bring along modules: what may be added to an agent. */
  readonly carriers: readonly Carrier[];
  /**
   * Called once for an app. The function returns an agent as an environment has it: the same object for the same agent and environment,
   * and the agent itself if it needs nothing. It throws a ConfigurationError if the environment lacks what the agent asks for.
   *
   * @throws ConfigurationError if the app lacks what its agents ask for.
   */
  resolving(app: ResolvingApp): (agent: Agent, env: Env) => Agent;
}

/** What uses of modules add to agents. */
export const AGENTS = defineSeam<AgentSeam>();

/** Returns the function that gives agents what they ask the app for, or `undefined` for an app whose modules add nothing to agents. */
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
  if (seams.size === 0) return undefined;
  const steps = Array.from(seams, (seam) => seam.resolving({ agents, appWide, log }));
  return (agent, env) => steps.reduce((one, resolve) => resolve(one, env), agent);
}

/** What an app has its modules of: its own, and those that its agents bring along. */
interface AppWithModules {
  readonly use?: readonly ModuleUse[] | undefined;
  readonly agents: readonly Agent[];
}

/** An agent that is a copy of another may have other tools by now. */
const carriersOf = ({ tools, providers, sources, strategies }: Agent): readonly Carrier[] => [
  ...tools,
  ...providers,
  ...sources,
  ...strategies,
];

/**
 * All modules of an app, each once.
 *
 * @throws ConfigurationError in development, if two modules share a name, two uses of one module a key, or an agent accepts files that no module keeps.
 */
export function appModules({ use = [], agents }: AppWithModules): Modules {
  const shared = use.flatMap((one) => AGENTS.of(one)?.carriers ?? []);
  const ofAgents = agents.map((agent) => [...new Set([...agent.uses, ...usesOf(carriersOf(agent))])]);
  const modules = composeModules(
    usesOf([{ uses: use }]),
    [...ofAgents, usesOf(shared)],
    usesInside([...agents.flatMap(carriersOf), ...shared]),
  );
  literals?.refuse(
    ConfigurationError,
    literals.filesProblem(agents, { files: modules.files, keeperIn, needsFiles }),
  );
  return modules;
}
