import { AGENTS } from '../../agent/resolve-agent.ts';
import type { ToolGroup } from '../../sources/resolution/tool-source.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { filling } from './fill-agent.ts';

const TOOL_GROUPS = createModule({ name: 'tool-groups' });

/**
 * Registers tool groups with an app (`use`): its agents ask for them by role. The var `TOOL_GROUPS` makes more groups of their tools, and
 * takes tools away: `{ "includes": { "web": { "tools": ["search"] } }, "excludes": ["delete_page"] }`, by the ends of names. Of several
 * groups with one role the first is used. Groups that agents have without asking by role need not be registered.
 *
 * @example
 * ```ts
 * const groups = toolGroups([defineToolGroup({ role: 'orders', description: 'Orders.', tools: [findOrder, refundOrder] })]);
 * // createHoldfast({ agents, model, use: [groups] })
 * ```
 */
export function toolGroups(groups: readonly ToolGroup[]): ModuleUse {
  const use = useOf(TOOL_GROUPS);
  give(use, groups);
  return use;
}

/** What a group brings along to the agents that have it without asking by role. */
export const GIVEN_GROUPS = useOf(TOOL_GROUPS, 'given');

const give = (use: ModuleUse, groups: readonly ToolGroup[]): void =>
  AGENTS.give(use, {
    carriers: groups.flatMap(({ tools, providers }) => [...tools, ...providers]),
    resolving: (app) => filling(app, groups),
  });

give(GIVEN_GROUPS, []);
