import { composeModules, type Modules } from '../loop/modules.ts';
import type { ToolGroup } from '../sources/resolution/tool-source.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { usesOf } from '../tool/uses.ts';
import type { Agent } from './define-agent.ts';

/** What an app has its modules of: its own, and those that its agents and the tools of its groups bring along. */
interface AppWithModules {
  readonly use?: readonly ModuleUse[] | undefined;
  readonly agents: readonly Agent[];
  readonly toolGroups?: readonly ToolGroup[] | undefined;
}

/** An agent that is a copy of another may have other tools by now. */
const broughtBy = ({ tools, providers, sources, strategies }: Agent): readonly ModuleUse[] =>
  usesOf([...tools, ...providers, ...sources, ...strategies]);

/**
 * All modules of an app, each once.
 *
 * @throws ConfigurationError when two modules share a name, or two uses of one module a key.
 */
export const appModules = ({ use = [], agents, toolGroups = [] }: AppWithModules): Modules =>
  composeModules(use, [
    ...agents.map((agent) => [...new Set([...agent.uses, ...broughtBy(agent)])]),
    usesOf(toolGroups.flatMap(({ tools, providers }) => [...tools, ...providers])),
  ]);
