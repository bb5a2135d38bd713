import { composeModules, type Modules } from '../loop/modules.ts';
import type { ToolGroup } from '../sources/resolution/tool-source.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { usesOf } from '../tool/uses.ts';
import type { Agent } from './define-agent.ts';

/** What an app has its modules of: its own, and those that its agents and the tools of its groups bring along. */
interface AppWithModules {
  readonly use?: readonly ModuleUse[] | undefined;
  readonly agents: readonly Pick<Agent, 'uses'>[];
  readonly toolGroups?: readonly ToolGroup[] | undefined;
}

/**
 * All modules of an app, each once.
 *
 * @throws ConfigurationError when two modules share a name, or two uses of one module a key.
 */
export const appModules = ({ use = [], agents, toolGroups = [] }: AppWithModules): Modules =>
  composeModules(use, [
    ...agents.map(({ uses }) => uses),
    usesOf(toolGroups.flatMap(({ tools, providers }) => [...tools, ...providers])),
  ]);
