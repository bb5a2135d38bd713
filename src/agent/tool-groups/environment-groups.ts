import { ConfigurationError } from '../../model/configuration-error.ts';
import { defineToolGroup, OWN_PROVIDER, type ToolGroup } from '../../tools/groups/define-tool-group.ts';
import { shorten } from '../../tools/json-text.ts';
import { memoized } from '../../tools/memoized.ts';
import { changedTools } from '../../tools/resolution/changed-tools.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { type IncludedGroup, parseToolGroups } from './parse-tool-groups.ts';

/** The tool groups of one environment. */
export interface EnvironmentGroups {
  /** In the order of precedence: of several groups of one role the first is used (TGR-05). */
  readonly groups: readonly ToolGroup[];
  /** The group as this environment has it, without the tools that are excluded: the same object for the same group. */
  narrow(group: ToolGroup): ToolGroup;
}

/**
 * The groups that an environment's var `TOOL_GROUPS` makes of those that code has: those it includes first, then the
 * `registered` ones. It may name the tools of `given` groups too, which agents have without asking by role.
 *
 * @throws ConfigurationError when the var is not valid, or names tools that no code has registered.
 */
export function environmentGroups(
  setting: unknown,
  registered: readonly ToolGroup[],
  given: readonly ToolGroup[],
): EnvironmentGroups {
  const { includes, excludes } = parseToolGroups(setting);
  const known = [...registered, ...given];
  for (const name of excludes) mustEndSome('excludes', name, known);
  const included = includes.map((group) => includedGroup(group, known));
  const narrow = memoized((group: ToolGroup) =>
    excludes.length === 0 ? group : only(group, (tool) => !endsIn(excludes, tool)),
  );
  return { groups: [...included, ...registered].map(narrow), narrow };
}

const endsIn = (ends: readonly string[], { name }: AnyTool): boolean =>
  ends.some((end) => name.endsWith(end));

/** The group with those of its tools, and of what its providers answer. */
function only(group: ToolGroup, isKept: (tool: AnyTool) => boolean): ToolGroup {
  const kept = (tool: AnyTool): AnyTool | undefined => (isKept(tool) ? tool : undefined);
  const providers = group.providers.map((provider) => changedTools(provider, kept));
  return { ...group, tools: group.tools.filter(isKept), providers };
}

/**
 * A name that ends no tool which is known here is looked for among those that providers answer. The group needs whatever the
 * groups need that its tools come from, or may come from: no setting opens what an agent has not allowed.
 */
function includedGroup(
  { role, tools: ends, ...more }: IncludedGroup,
  known: readonly ToolGroup[],
): ToolGroup {
  for (const end of ends) mustEndSome(`includes.${shorten(role, 80)}.tools`, end, known);
  const tools = known.flatMap((group) => group.tools);
  const open = ends.filter((end) => !tools.some((tool) => endsIn([end], tool)));
  const sources = [...new Set(known)]
    .map((group) => ({
      ...only(group, (tool) => endsIn(ends, tool)),
      providers: open.length === 0 ? [] : only(group, (tool) => endsIn(open, tool)).providers,
    }))
    .filter((source) => source.tools.length + source.providers.length > 0);
  const { description = role, provider = OWN_PROVIDER } = more;
  try {
    return defineToolGroup({
      role,
      description,
      provider,
      permissions: [...new Set(sources.flatMap(({ permissions }) => permissions))],
      tools: sources.flatMap((source) => [...source.tools, ...source.providers]),
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(`TOOL_GROUPS cannot be used: ${why}`);
  }
}

/**
 * A slip must not leave a tool in, or out, unnoticed. What providers will answer is not known, and not asked for only to
 * find that out (MCP-10).
 *
 * @throws ConfigurationError when no tool's name ends so, and no group has providers.
 */
function mustEndSome(where: string, end: string, known: readonly ToolGroup[]): void {
  if (known.some(({ providers }) => providers.length > 0)) return;
  const names = known.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (names.some((name) => name.endsWith(end))) return;
  throw new ConfigurationError(
    `TOOL_GROUPS cannot be used: ${where} names '${shorten(end, 80)}', with which no tool's name ends. ` +
      `There are: ${[...new Set(names)].sort().join(', ') || 'none'}.`,
  );
}
