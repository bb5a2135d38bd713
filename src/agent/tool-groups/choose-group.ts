import { ConfigurationError } from '../../model/configuration-error.ts';
import type { ToolGroup } from '../../tools/groups/define-tool-group.ts';
import { shorten } from '../../tools/json-text.ts';
import type { Agent } from '../define-agent.ts';
import type { EnvironmentGroups } from './environment-groups.ts';
import { isToolGroup, type RoleRequest, type ToolGroupRequest } from './tool-group-request.ts';

/** A group for an agent. */
export interface ChosenGroup {
  readonly group: ToolGroup;
  /** Names of tools that the agent requires, and that only the group's providers may have. */
  readonly required: readonly string[];
}

/**
 * The group that answers a request, or `undefined` when it is optional and there is none with tools. A model that lacks
 * the tools it was told of makes their answers up, so a missing group is an error unless the agent says otherwise (TGR-05).
 *
 * @throws ConfigurationError that names what is missing and what there is.
 */
export function chooseGroup(
  agent: Agent,
  request: ToolGroupRequest,
  environment: EnvironmentGroups,
): ChosenGroup | undefined {
  const {
    role,
    required = [],
    optional,
  }: RoleRequest = typeof request === 'string'
    ? { role: request }
    : isToolGroup(request)
      ? { role: request.role }
      : request;
  const group =
    typeof request !== 'string' && isToolGroup(request)
      ? environment.narrow(request)
      : environment.groups.find((one) => one.role === role);
  const problem = group ? emptiness(agent, group) : absence(agent, role, environment.groups);
  if (group === undefined || problem !== undefined) {
    if (!optional) throw new ConfigurationError(problem ?? '');
    console.warn(`holdfast: ${problem} It is optional, so the agent goes without.`);
    return undefined;
  }
  const missing = required.filter((name) => !group.tools.some((tool) => tool.name === name));
  if (group.providers.length === 0 && missing.length > 0) throw lacking(agent, group, missing);
  mustBeAllowed(agent, group);
  return { group, required: missing };
}

const absence = (agent: Agent, role: string, groups: readonly ToolGroup[]): string =>
  `No tool group matching role '${shorten(role, 80)}', which agent '${agent.name}' asks for. ` +
  `Registered roles: ${listed([...new Set(groups.map((group) => group.role))])}.`;

/** What providers have is not asked for only to find out whether there is anything (MCP-10). */
const emptiness = (agent: Agent, { role, tools, providers }: ToolGroup): string | undefined =>
  tools.length + providers.length > 0
    ? undefined
    : `Tool group '${role}', which agent '${agent.name}' asks for, has no tools in this environment.`;

const lacking = (agent: Agent, { role, tools }: ToolGroup, missing: readonly string[]): ConfigurationError =>
  new ConfigurationError(
    `Tool group '${role}' lacks tools that agent '${agent.name}' requires: ${listed(missing)}. ` +
      `It has: ${listed(tools.map(({ name }) => name))}.`,
  );

function mustBeAllowed(agent: Agent, { role, permissions }: ToolGroup): void {
  const refused = permissions.filter((permission) => !agent.permissions.includes(permission));
  if (refused.length === 0) return;
  throw new ConfigurationError(
    `Tool group '${role}' needs permissions that agent '${agent.name}' does not give: ${listed(refused)}. ` +
      "Add them to the agent's `permissions`.",
  );
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `'${shorten(name, 80)}'`).join(', ');
