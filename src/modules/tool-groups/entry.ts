/** The entry `holdfast/tool-groups`: tools that agents ask for by the role that they play. */

import { AGENTS } from '../../agent/resolve-agent.ts';
import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type Reference,
  SOURCE,
  type ToolGroup,
  type ToolReference,
} from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { type ModuleUse, useOf } from '../../tool/module-use.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import { filling } from './fill-agent.ts';
import { type ToolGroupConfig, toGroup } from './to-group.ts';
import { TOOL_GROUPS } from './tool-group.ts';

export type { Reference, ToolReference } from '../../sources/resolution/tool-source.ts';
export { type ToolGroupConfig, ToolGroupDefinitionError } from './to-group.ts';
export { type ToolGroupOptions, type ToolGroupRequest, toolGroup } from './tool-group.ts';

/**
 * Declares a tool group. Agents are given it by role when it is registered with the app, or as it is.
 *
 * @throws ToolGroupDefinitionError when the role is blank, a permission is not one, something in the list is no tool, or two
 *   tools share a name; ToolDefinitionError and ToolObjectError as `collectTools`.
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
  uses: [GIVEN_GROUPS],
});

/** Roles whose meaning is agreed on, so that agents and groups of different authors meet. */
export const CORE_ROLES = {
  /** Searching the web and fetching pages. */
  web: 'web',
  /** Arithmetic and statistics. */
  math: 'math',
  /** Places, directions and distances. */
  maps: 'maps',
  /** Repositories, issues and pull requests. */
  github: 'github',
  /** Driving a browser. */
  browserAutomation: 'browser_automation',
} as const;

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
const GIVEN_GROUPS = useOf(TOOL_GROUPS, 'given');

const give = (use: ModuleUse, groups: readonly ToolGroup[]): void =>
  AGENTS.give(use, {
    carriers: groups.flatMap(({ tools, providers }) => [...tools, ...providers]),
    resolving: (app) => filling(app, groups),
  });

give(GIVEN_GROUPS, []);

/**
 * Makes a reference: knowledge with tools to look into it. An agent or an agentic tool that lists it among its tools has its notes in its
 * instructions, and its tools. Each of these can also be listed alone.
 *
 * @throws TypeError if a key is unknown, missing or of another kind.
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
  if (fault) throw new TypeError(`Reference '${nameIn(config)}' ${ended(fault.problem)}`);
  return {
    ...config,
    [SOURCE](place) {
      const { tools, providers } = collectTools(this.tools, { path: place.path });
      return { tools, providers, notes: [textOf(this)] };
    },
  };
}

const SHAPE = {
  of: 'defineReference',
  keys: { name: 'text', description: 'text', notes: 'text', tools: 'list' },
  required: ['name', 'description', 'notes', 'tools'],
} satisfies LiteralShape<keyof Reference>;

/** A reference as it is in the instructions. */
const textOf = ({ name, description, notes }: Reference): string =>
  `Reference '${name}': ${description}\n${notes}`;
