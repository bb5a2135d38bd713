import { ConfigurationError } from '../../model/configuration-error.ts';
import { defineToolGroup, OWN_PROVIDER, type ToolGroup } from '../../tools/groups/define-tool-group.ts';
import { shorten } from '../../tools/json-text.ts';
import type { AnyTool } from '../../tools/tool.ts';
import { type IncludedGroup, parseToolGroups } from './parse-tool-groups.ts';

/** The tool groups of one environment. */
export interface EnvironmentGroups {
  /** In the order of precedence: of several groups of one role the first is used (TGR-05). */
  readonly groups: readonly ToolGroup[];
  /** The group as this environment has it, without the tools that are excluded. */
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
  const isKept = ({ name }: AnyTool): boolean => !excludes.some((end) => name.endsWith(end));
  const narrow = (group: ToolGroup): ToolGroup =>
    group.tools.every(isKept) ? group : { ...group, tools: group.tools.filter(isKept) };
  return { groups: [...included, ...registered].map(narrow), narrow };
}

/** It needs whatever the groups need that its tools come from: no setting opens what an agent has not allowed. */
function includedGroup(
  { role, tools: ends, ...more }: IncludedGroup,
  known: readonly ToolGroup[],
): ToolGroup {
  for (const end of ends) mustEndSome(`includes.${shorten(role, 80)}.tools`, end, known);
  const isIncluded = ({ name }: AnyTool): boolean => ends.some((end) => name.endsWith(end));
  const sources = known.filter(({ tools }) => tools.some(isIncluded));
  const { description = role, provider = OWN_PROVIDER } = more;
  try {
    return defineToolGroup({
      role,
      description,
      provider,
      permissions: [...new Set(sources.flatMap(({ permissions }) => permissions))],
      tools: sources.flatMap(({ tools }) => tools.filter(isIncluded)),
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(`TOOL_GROUPS cannot be used: ${why}`);
  }
}

/** @throws ConfigurationError when no tool's name ends so: a slip must not leave a tool in, or out, unnoticed. */
function mustEndSome(where: string, end: string, known: readonly ToolGroup[]): void {
  const names = known.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (names.some((name) => name.endsWith(end))) return;
  throw new ConfigurationError(
    `TOOL_GROUPS cannot be used: ${where} names '${shorten(end, 80)}', with which no tool's name ends. ` +
      `There are: ${[...new Set(names)].sort().join(', ') || 'none'}.`,
  );
}
