import { composeModules, type Modules } from '../loop/modules.ts';
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
 * @throws ConfigurationError when two modules share a name, or two uses of one module a key.
 */
export function appModules({ use = [], agents }: AppWithModules): Modules {
  const shared = use.flatMap((one) => AGENTS.of(one)?.carriers ?? []);
  const ofAgents = agents.map((agent) => [...new Set([...agent.uses, ...usesOf(carriersOf(agent))])]);
  return composeModules(
    usesOf([{ uses: use }]),
    [...ofAgents, usesOf(shared)],
    usesInside([...agents.flatMap(carriersOf), ...shared]),
  );
}
