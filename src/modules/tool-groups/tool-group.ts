import { AGENTS } from '../../agent/resolve-agent.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import {
  type AppRequest,
  SOURCE_KEY,
  type ToolGroup,
  type ToolGroupPermission,
  ToolResolutionError,
} from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import { withFullStop } from '../../tool/shown.ts';
import { collectUses } from '../../tool/uses.ts';

export const PERMISSIONS: readonly ToolGroupPermission[] = ['internet-access', 'host-access'];

/** Options of a request for a group. */
export interface ToolGroupOptions {
  /**
   * Permissions that the tools of the group may have. Defaults to none. A group that needs more is refused.
   */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /**
   * The names of tools that the group must have. Each loop checks for tools that only its providers may have.
   * While such a tool is missing, calls of its name return an error that reports this.
   */
  readonly required?: readonly string[] | undefined;
  /**
   * `true` if the agent can run without the group. If the group is missing or has no tools, a warning is
   * logged. Defaults to `false`.
   */
  readonly optional?: boolean | undefined;
}

/** An agent's request for a group, from `toolGroup` or from a group that the agent lists itself. */
export interface ToolGroupRequest extends AppRequest, ToolGroupOptions {
  readonly role: string;
  /** The group, or `undefined` to use the environment's group with that role. */
  readonly group: ToolGroup | undefined;
}

/**
 * Requests the tools of a group in the `tools` of an agent. The group is chosen by role in each environment,
 * or passed directly. `permissions` lists what the group's tools may do.
 *
 * @throws TypeError if the role is blank, or an option is unknown or of another type.
 *
 * @example
 * ```ts
 * const tools = [findOrder, toolGroup('web', { permissions: ['internet-access'], required: ['search'] })];
 * ```
 */
export function toolGroup(asked: string | ToolGroup, options: ToolGroupOptions = {}): ToolGroupRequest {
  const group = typeof asked === 'string' ? undefined : asked;
  const role = typeof asked === 'string' ? asked : asked.role;
  const fault = literals?.fault(options, SHAPE);
  const isBlank = typeof role !== 'string' || role.trim() === '';
  const problem = isBlank ? 'has no role. Use a string that is not blank, or a group' : fault?.problem;
  if (problem !== undefined)
    throw new TypeError(`toolGroup('${shorten(String(role), 80)}') ${withFullStop(problem)}`);
  return toRequest(role, group, options);
}

/** Returns the request for a group that an agent lists itself. */
export const toGroupRequest = (group: ToolGroup): ToolGroupRequest => toRequest(group.role, group, {});

function toRequest(
  role: string,
  group: ToolGroup | undefined,
  { permissions = [], required = [], optional = false }: ToolGroupOptions,
): ToolGroupRequest {
  return {
    ...{ role, group, permissions: [...permissions], required: [...required], optional },
    uses: group ? collectUses([group, ...group.tools, ...group.providers]) : [BY_ROLE_USE],
    [SOURCE_KEY](place) {
      if (place.isAgent) return { requests: [this] };
      const hasOptions = permissions.length > 0 || required.length > 0 || optional;
      if (group && !hasOptions) return group[SOURCE_KEY](place);
      const asks = `Tool at index ${place.index} asks for the tool group '${shorten(role, 80)}' ${group ? 'with options' : 'by its role'}`;
      const instead = group ? ', or list the group itself here' : '';
      throw new ToolResolutionError(
        `${asks}, but only an agent can do that. List it among the agent's own tools${instead}`,
      );
    },
  };
}

export const isGroupRequest = (request: AppRequest): request is ToolGroupRequest =>
  'role' in request && 'group' in request;

const SHAPE = {
  of: 'toolGroup',
  keys: {
    permissions: [
      `a list of ${PERMISSIONS.map((one) => `'${one}'`).join(' or ')}`,
      (given) => Array.isArray(given) && given.every((one) => PERMISSIONS.includes(one)),
    ],
    required: [
      'a list of names of tools',
      (given) => Array.isArray(given) && given.every((one) => typeof one === 'string'),
    ],
    optional: 'flag',
  },
  required: [],
} satisfies LiteralShape<keyof ToolGroupOptions>;

/** The module that registers groups with an app. */
export const TOOL_GROUPS_MODULE = createModule({ name: 'tool-groups' });

/**
 * Agents that request groups by role contain this use, so that `createHoldfast` refuses an app without
 * registered groups.
 */
const BY_ROLE_USE = createUse(TOOL_GROUPS_MODULE, 'by role');
AGENTS.give(BY_ROLE_USE, {
  carriers: [],
  resolving({ appWide }) {
    if (appWide.some(({ module }) => module === TOOL_GROUPS_MODULE)) return (agent) => agent;
    throw new ConfigurationError(NO_GROUPS_MESSAGE);
  },
});

const NO_GROUPS_MESSAGE =
  "An agent asks for a tool group by its role, which needs the module `toolGroups()`. Import it from 'holdfast/tool-groups' and add it to " +
  '`use`, with the groups.';
