import { ConfigurationError } from '../../model/configuration-error.ts';
import type { ToolGroup } from '../../tools/groups/define-tool-group.ts';
import { shorten } from '../../tools/json-text.ts';
import type { Agent } from '../define-agent.ts';
import type { EnvironmentGroups } from './environment-groups.ts';
import { isToolGroup, type RoleRequest, type ToolGroupRequest } from './tool-group-request.ts';

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
): ToolGroup | undefined {
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
  const missing = group ? emptiness(agent, group) : absence(agent, role, environment.groups);
  if (group === undefined || missing !== undefined) {
    if (!optional) throw new ConfigurationError(missing ?? '');
    console.warn(`holdfast: ${missing} It is optional, so the agent goes without.`);
    return undefined;
  }
  mustHave(agent, group, required);
  mustBeAllowed(agent, group);
  return group;
}

const absence = (agent: Agent, role: string, groups: readonly ToolGroup[]): string =>
  `No tool group matching role '${shorten(role, 80)}', which agent '${agent.name}' asks for. ` +
  `Registered roles: ${listed([...new Set(groups.map((group) => group.role))])}.`;

const emptiness = (agent: Agent, { role, tools }: ToolGroup): string | undefined =>
  tools.length > 0
    ? undefined
    : `Tool group '${role}', which agent '${agent.name}' asks for, has no tools in this environment.`;

function mustHave(agent: Agent, { role, tools }: ToolGroup, required: readonly string[]): void {
  const names = tools.map(({ name }) => name);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  throw new ConfigurationError(
    `Tool group '${role}' lacks tools that agent '${agent.name}' requires: ${listed(missing)}. It has: ${listed(names)}.`,
  );
}

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
