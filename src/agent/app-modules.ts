import { keeperIn, needsFiles } from '../loop/loop-files.ts';
import { composeModules, type Modules } from '../loop/modules.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { type Carrier, usesInside, usesOf } from '../tool/uses.ts';
import type { Agent } from './define-agent.ts';
import { AGENTS } from './resolve-agent.ts';

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
 * @throws ConfigurationError if two modules share a name, two uses of one module a key, or an agent accepts files that no module keeps.
 */
export function appModules({ use = [], agents }: AppWithModules): Modules {
  const shared = use.flatMap((one) => AGENTS.of(one)?.carriers ?? []);
  const ofAgents = agents.map((agent) => [...new Set([...agent.uses, ...usesOf(carriersOf(agent))])]);
  const modules = composeModules(
    usesOf([{ uses: use }]),
    [...ofAgents, usesOf(shared)],
    usesInside([...agents.flatMap(carriersOf), ...shared]),
  );
  checkFiles(agents, modules);
  return modules;
}

/** @throws ConfigurationError for an agent that accepts files which nothing keeps, or that keeps files for itself. */
function checkFiles(agents: readonly Agent[], { files }: Modules): void {
  for (const { name, uses, accepts = [] } of agents) {
    if (!files && accepts.length > 0)
      throw new ConfigurationError(needsFiles(`Agent '${name}': \`accepts\``));
    const own = keeperIn(uses);
    if (own && own !== files)
      throw new ConfigurationError(`Agent '${name}' has \`files()\`: add it to \`use\` of the app.`);
  }
}
