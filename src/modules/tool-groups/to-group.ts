import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type CollectedTools,
  type ListedAt,
  SOURCE,
  type ToolGroup,
  type ToolGroupPermission,
  ToolResolutionError,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { paragraphs, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import { PERMISSIONS, requestOf } from './tool-group.ts';

/** The literal that `defineToolGroup` takes. */
export interface ToolGroupConfig<Role extends string> {
  /** What agents ask for. Several groups may have one role; of these the first that is registered is used. */
  readonly role: Role;
  /** Tells groups of one role apart; the role unless given. */
  readonly name?: string | undefined;
  /** What the group is for, for whoever lists it. */
  readonly description: string;
  /** Who made it; `holdfast` unless given. */
  readonly provider?: string | undefined;
  /** `0.1.0` unless given. */
  readonly version?: string | undefined;
  /** What its tools reach; nothing unless given. */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /**
   * Each name once; the same tool may be listed again. Tools, tool objects, factories, providers and groups may be mixed; of a
   * group in it, this one needs the permissions too.
   */
  readonly tools: readonly ToolSource[];
  /** When to use which of the tools: added to the instructions of every agent that has the group. */
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

/** Who made a group that does not say. */
export const OWN_PROVIDER = 'holdfast';

/** Makes a group of its declaration, which brings no module along. @throws as `defineToolGroup`. */
export function toGroup<const Role extends string>(config: ToolGroupConfig<Role>): ToolGroup<Role> {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ToolGroupDefinitionError(nameIn(config, 'role'), fault.field, fault.problem);
  const { role, name = role, description, permissions = [], childToolUsageNotes: own } = config;
  if (role.trim() === '') throw new ToolGroupDefinitionError(role, 'role', 'needs a role that is not blank');
  for (const permission of permissions) {
    if (PERMISSIONS.includes(permission)) continue;
    const problem = `has an unknown permission '${shorten(permission, 80)}': use ${PERMISSIONS.join(' or ')}`;
    throw new ToolGroupDefinitionError(role, 'permissions', problem);
  }
  const { tools, providers, notes } = toolsFor(config);
  return {
    role,
    name,
    description,
    provider: config.provider ?? OWN_PROVIDER,
    version: config.version ?? '0.1.0',
    permissions: [...permissions],
    tools,
    providers,
    childToolUsageNotes: notes.length > 0 ? paragraphs(own, ...notes) : own,
    uses: [],
    [SOURCE](place) {
      return place.isAgent ? { requests: [requestOf(this)] } : partsOf(this, place);
    },
  };
}

/** What a group stands for in a list. @throws ToolResolutionError if it needs what this place does not allow. */
function partsOf(
  { role, tools, providers, permissions, childToolUsageNotes: notes }: ToolGroup,
  { index, permissions: allowed = [], groupsIn }: ListedAt,
): Partial<CollectedTools> {
  const refused = permissions.filter((permission) => !allowed.includes(permission));
  if (refused.length === 0) return { tools, providers, notes: notes === undefined ? [] : [notes] };
  throw new ToolResolutionError(
    `Tool at index ${index} is the tool group '${shorten(role, 80)}', which needs ${refused.join(' and ')}: ` +
      (groupsIn === undefined
        ? "only an agent can allow that. List it among the agent's own tools, and allow it there: toolGroup(group, { permissions })"
        : `so ${groupsIn} has to need it too. Add it to its permissions`),
  );
}

function toolsFor({
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

/** A tool group was declared wrongly; thrown where it is defined. */
export class ToolGroupDefinitionError extends Error {
  override readonly name = 'ToolGroupDefinitionError';
  /** The role that was given, valid or not. */
  readonly role: string;
  /** The property of the definition that is wrong. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Tool group 'x' ". */
  constructor(role: string, field: string, problem: string) {
    super(`Tool group '${shorten(role, 80)}' ${ended(problem)}`);
    this.role = role;
    this.field = field;
  }
}
