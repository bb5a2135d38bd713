import type { ToolGroup } from '../../sources/resolution/tool-source.ts';
import { type ToolGroupConfig, toGroup } from './to-group.ts';
import { GIVEN_GROUPS } from './tool-groups.ts';

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
