import { findFileKeeper, formatMissingFilesModuleMessage } from '../loop/loop-files.ts';
import { composeModules, type Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { createConsoleLog } from '../tool/console-log.ts';
import { literals } from '../tool/literals.ts';
import type { Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import { type Carrier, collectInnerUses, collectUses } from '../tool/uses.ts';
import type { Agent } from './define-agent.ts';

/** The Worker's vars, secrets and bindings. */
type WorkerVars = Readonly<Record<string, unknown>>;

/** An app, for modules that add tools to its agents. */
export interface ResolvingApp {
  readonly agents: readonly Agent[];
  /** The uses of the app itself. */
  readonly appWide: readonly ModuleUse[];
  readonly log: Log;
}

/** The functions of a module that adds tools to agents with requests to the app (`needsApp`). */
export interface AgentSeam {
  /** The carriers of modules that can be added to an agent. */
  readonly carriers: readonly Carrier[];
  /**
   * Called once for an app. Returns a function that completes an agent for an environment. That function
   * returns the same object for the same agent and environment, and the agent itself if it has no requests.
   * It throws a ConfigurationError if the environment lacks something that the agent requests.
   *
   * @throws ConfigurationError if the app lacks something that its agents request.
   */
  resolving(app: ResolvingApp): (agent: Agent, env: WorkerVars) => Agent;
}

/** The seam of modules that add tools to agents. */
export const AGENTS = defineSeam<AgentSeam>();

/**
 * Returns a function that fills agents' requests to the app, or `undefined` if no module adds tools to
 * agents.
 */
export function createAgentResolver({
  modules: { uses, appWide },
  agents,
  log = createConsoleLog(),
}: Pick<ResolvingApp, 'agents'> & {
  readonly modules: Modules;
  /** Defaults to the console. */
  readonly log?: Log | undefined;
}): ((agent: Agent, env: WorkerVars) => Agent) | undefined {
  const seams = new Set(uses.flatMap((use) => AGENTS.of(use) ?? []));
  if (seams.size === 0) return undefined;
  const steps = Array.from(seams, (seam) => seam.resolving({ agents, appWide, log }));
  return (agent, env) => steps.reduce((one, resolve) => resolve(one, env), agent);
}

/** The sources of an app's modules: its own uses, and those of its agents. */
interface AppWithModules {
  readonly use?: readonly ModuleUse[] | undefined;
  readonly agents: readonly Agent[];
}

/**
 * Returns the carriers of an agent's modules. They are read from the tools, since a copy of an agent can have
 * other tools than the original.
 */
const listCarriers = ({ tools, providers, sources, strategies }: Agent): readonly Carrier[] => [
  ...tools,
  ...providers,
  ...sources,
  ...strategies,
];

/**
 * Returns all modules of an app, each once.
 *
 * @throws ConfigurationError in development, if two modules share a name, two uses of one module share a key,
 * or an agent accepts files but no module keeps them.
 */
export function collectAppModules({ use = [], agents }: AppWithModules): Modules {
  const shared = use.flatMap((one) => AGENTS.of(one)?.carriers ?? []);
  const ofAgents = agents.map((agent) => [...new Set([...agent.uses, ...collectUses(listCarriers(agent))])]);
  const modules = composeModules(
    collectUses([{ uses: use }]),
    [...ofAgents, collectUses(shared)],
    collectInnerUses([...agents.flatMap(listCarriers), ...shared]),
  );
  literals?.refuse(
    ConfigurationError,
    literals.filesProblem(agents, {
      files: modules.files,
      keeperIn: findFileKeeper,
      needsFiles: formatMissingFilesModuleMessage,
    }),
  );
  return modules;
}
