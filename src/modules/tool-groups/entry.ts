/** The entry `holdfast/tool-groups`: groups of tools that agents request by role. */

import { AGENTS } from '../../agent/resolve-agent.ts';
import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type Reference,
  SOURCE_KEY,
  type ToolGroup,
  type ToolReference,
} from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import { createAgentFiller } from './fill-agent.ts';
import { type ToolGroupConfig, toGroup } from './to-group.ts';
import { TOOL_GROUPS_MODULE } from './tool-group.ts';

export type { Reference, ToolReference } from '../../sources/resolution/tool-source.ts';
export { type ToolGroupConfig, ToolGroupDefinitionError } from './to-group.ts';
export { type ToolGroupOptions, type ToolGroupRequest, toolGroup } from './tool-group.ts';

/**
 * Declares a tool group. An agent requests it by role if the app registers the group, or lists the group
 * itself.
 *
 * @throws ToolGroupDefinitionError if the role is blank, a permission is unknown, an item of the list is not
 * a tool, or two tools share a name.
 * @throws ToolDefinitionError and ToolObjectError as `collectTools` does.
 *
 * @example
 * ```ts
 * const orders = defineToolGroup({
 *   role: 'orders',
 *   description: 'Finds orders and refunds them.',
 *   tools: [findOrder, refundOrder],
 * });
 * ```
 */
export const defineToolGroup = <const Role extends string>(
  config: ToolGroupConfig<Role>,
): ToolGroup<Role> => ({
  ...toGroup(config),
  uses: [GIVEN_GROUPS_USE],
});

/** Common roles, so that agents and groups of different authors work together. */
export const CORE_ROLES = {
  /** Searching the web and fetching pages. */
  web: 'web',
  /** Arithmetic and statistics. */
  math: 'math',
  /** Places, directions and distances. */
  maps: 'maps',
  /** Repositories, issues and pull requests. */
  github: 'github',
  /** Controlling a browser. */
  browserAutomation: 'browser_automation',
} as const;

/**
 * Registers tool groups with an app (`use`), so that its agents can request them by role. The var
 * `TOOL_GROUPS_MODULE` can create more groups from their tools, and exclude tools: `{ "includes": { "web": {
 * "tools": ["search"] } }, "excludes": ["delete_page"] }`. It matches the ends of tool names. If several
 * groups share a role, the first is used. Groups that agents list themselves need no registration.
 *
 * @example
 * ```ts
 * const groups = toolGroups([defineToolGroup({ role: 'orders', description: 'Orders.', tools: [findOrder, refundOrder] })]);
 * // createHoldfast({ agents, model, use: [groups] })
 * ```
 */
export function toolGroups(groups: readonly ToolGroup[]): ModuleUse {
  const use = createUse(TOOL_GROUPS_MODULE);
  registerGroups(use, groups);
  return use;
}

/** The use of groups that agents list themselves. */
const GIVEN_GROUPS_USE = createUse(TOOL_GROUPS_MODULE, 'given');

const registerGroups = (use: ModuleUse, groups: readonly ToolGroup[]): void =>
  AGENTS.give(use, {
    carriers: groups.flatMap(({ tools, providers }) => [...tools, ...providers]),
    resolving: (app) => createAgentFiller(app, groups),
  });

registerGroups(GIVEN_GROUPS_USE, []);

/**
 * Creates a reference: notes about a subject, with tools to look it up. An agent or agentic tool that lists
 * the reference gets its notes as instructions, and its tools. The tools can also be listed individually.
 *
 * @throws TypeError if a key is unknown, missing or of another type.
 *
 * @example
 * ```ts
 * const handbook = defineReference({
 *   name: 'handbook',
 *   description: 'The rules of the house.',
 *   notes: 'Quote the number of the order.',
 *   tools: [findOrder],
 * });
 * ```
 */
export function defineReference(config: Reference): ToolReference {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new TypeError(`Reference '${readName(config)}' ${withFullStop(fault.problem)}`);
  return {
    ...config,
    [SOURCE_KEY](place) {
      const { tools, providers } = collectTools(this.tools, { path: place.path });
      return { tools, providers, notes: [formatReference(this)] };
    },
  };
}

const SHAPE = {
  of: 'defineReference',
  keys: { name: 'text', description: 'text', notes: 'text', tools: 'list' },
  required: ['name', 'description', 'notes', 'tools'],
} satisfies LiteralShape<keyof Reference>;

/** Formats a reference for the instructions. */
const formatReference = ({ name, description, notes }: Reference): string =>
  `Reference '${name}': ${description}\n${notes}`;
