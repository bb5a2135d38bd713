import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type CollectedTools,
  type ElementPlace,
  SOURCE_KEY,
  type ToolGroup,
  type ToolGroupPermission,
  ToolResolutionError,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { joinParagraphs, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import { PERMISSIONS, toGroupRequest } from './tool-group.ts';

/** The options of `defineToolGroup`. */
export interface ToolGroupConfig<Role extends string> {
  /** The role that agents request. If several groups share a role, the first registered group is used. */
  readonly role: Role;
  /** Distinguishes groups with the same role. Defaults to the role. */
  readonly name?: string | undefined;
  /** The purpose of the group, for people and programs that list it. */
  readonly description: string;
  /** The author of the group. Defaults to `holdfast`. */
  readonly provider?: string | undefined;
  /** Defaults to `0.1.0`. */
  readonly version?: string | undefined;
  /** The permissions that its tools need. Defaults to none. */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /**
   * Tools, tool objects, factories, providers and groups. Names must be unique, but the same tool can appear
   * twice. This group must declare the permissions of every group in the list.
   */
  readonly tools: readonly ToolSource[];
  /**
   * Notes on when to use which tool. They are added to the instructions of every agent that has the group.
   */
  readonly childToolUsageNotes?: string | undefined;
}

const SHAPE = {
  of: 'defineToolGroup',
  keys: {
    role: 'text',
    name: 'text',
    description: 'text',
    provider: 'text',
    version: 'text',
    permissions: 'list',
    tools: 'list',
    childToolUsageNotes: 'text',
  },
  required: ['role', 'description', 'tools'],
} satisfies LiteralShape<keyof ToolGroupConfig<string>>;

export const OWN_PROVIDER_NAME = 'holdfast';

/**
 * Creates a group from its options, without the modules that `defineToolGroup` adds. @throws as
 * `defineToolGroup` does.
 */
export function toGroup<const Role extends string>(config: ToolGroupConfig<Role>): ToolGroup<Role> {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ToolGroupDefinitionError(readName(config, 'role'), fault.field, fault.problem);
  const { role, name = role, description, permissions = [], childToolUsageNotes: own } = config;
  if (role.trim() === '') throw new ToolGroupDefinitionError(role, 'role', 'needs a role that is not blank');
  for (const permission of permissions) {
    if (PERMISSIONS.includes(permission)) continue;
    const problem = `has an unknown permission '${shorten(permission, 80)}'. Use ${PERMISSIONS.join(' or ')}`;
    throw new ToolGroupDefinitionError(role, 'permissions', problem);
  }
  const { tools, providers, notes } = collectGroupTools(config);
  return {
    role,
    name,
    description,
    provider: config.provider ?? OWN_PROVIDER_NAME,
    version: config.version ?? '0.1.0',
    permissions: [...permissions],
    tools,
    providers,
    childToolUsageNotes: notes.length > 0 ? joinParagraphs(own, ...notes) : own,
    uses: [],
    [SOURCE_KEY](place) {
      return place.isAgent ? { requests: [toGroupRequest(this)] } : collectParts(this, place);
    },
  };
}

/**
 * Returns the tools and notes of a group in a list.
 *
 * @throws ToolResolutionError if the group needs permissions that this place does not allow.
 */
function collectParts(
  { role, tools, providers, permissions, childToolUsageNotes: notes }: ToolGroup,
  { index, permissions: allowed = [], groupsIn }: ElementPlace,
): Partial<CollectedTools> {
  const refused = permissions.filter((permission) => !allowed.includes(permission));
  if (refused.length === 0) return { tools, providers, notes: notes === undefined ? [] : [notes] };
  throw new ToolResolutionError(
    `Tool at index ${index} is the tool group '${shorten(role, 80)}', which needs ${refused.join(' and ')}. ` +
      (groupsIn === undefined
        ? "Only an agent can allow that. List it among the agent's own tools, and allow it there: toolGroup(group, { permissions })"
        : `Add that to the permissions of ${groupsIn}`),
  );
}

function collectGroupTools({
  role,
  tools,
  permissions,
}: Pick<ToolGroupConfig<string>, 'role' | 'tools' | 'permissions'>): CollectedTools {
  try {
    return collectTools(tools, { permissions, groupsIn: `tool group '${shorten(role, 80)}'` });
  } catch (cause) {
    if (!(cause instanceof ToolResolutionError)) throw cause;
    throw new ToolGroupDefinitionError(role, 'tools', `cannot have these tools: ${cause.message}`);
  }
}

/** Thrown at the definition of a tool group if its options are invalid. */
export class ToolGroupDefinitionError extends Error {
  override readonly name = 'ToolGroupDefinitionError';
  /** The role in the options, which may be invalid. */
  readonly role: string;
  /** The invalid property. */
  readonly field: string;

  /** `problem` completes the sentence that begins with "Tool group 'x' ". */
  constructor(role: string, field: string, problem: string) {
    super(`Tool group '${shorten(role, 80)}' ${withFullStop(problem)}`);
    this.role = role;
    this.field = field;
  }
}
