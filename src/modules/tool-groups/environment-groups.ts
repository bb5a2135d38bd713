import { ConfigurationError } from '../../model/configuration-error.ts';
import { mapProviderTools } from '../../sources/resolution/resolve-tools.ts';
import type { ToolGroup } from '../../sources/resolution/tool-source.ts';
import { getErrorMessage, memoize } from '../../tool/async.ts';
import { isJsonObject, parseJson, shorten } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { OWN_PROVIDER_NAME, toGroup } from './to-group.ts';

/** The tool groups of one environment. */
export interface EnvironmentGroups {
  /** The groups in order of precedence. If several groups share a role, the first is used. */
  readonly groups: readonly ToolGroup[];
  /**
   * Returns the group without the tools that this environment excludes. Returns the same object for the same
   * group.
   */
  narrow(group: ToolGroup): ToolGroup;
}

/**
 * Returns the groups of an environment: those that its var `TOOL_GROUPS` includes, followed by `registered`.
 * The var can also name tools of `given` groups, which agents list themselves.
 *
 * @throws ConfigurationError if the var is invalid, or names tools that are not registered in code.
 */
export function readEnvironmentGroups(
  setting: unknown,
  registered: readonly ToolGroup[],
  given: readonly ToolGroup[],
): EnvironmentGroups {
  const { includes, excludes } = parseToolGroups(setting);
  const known = [...registered, ...given];
  for (const name of excludes) assertSuffixUsed('excludes', name, known);
  const included = includes.map((group) => createIncludedGroup(group, known));
  const narrow = memoize((group: ToolGroup) =>
    excludes.length === 0 ? group : filterGroup(group, (tool) => !hasSuffix(excludes, tool)),
  );
  return { groups: [...included, ...registered].map(narrow), narrow };
}

const hasSuffix = (ends: readonly string[], { name }: AnyTool): boolean =>
  ends.some((end) => name.endsWith(end));

/**
 * Returns a copy of the group with only the tools, including those of its providers, that pass the filter.
 */
function filterGroup(group: ToolGroup, isKept: (tool: AnyTool) => boolean): ToolGroup {
  const keepIncluded = (tool: AnyTool): AnyTool | undefined => (isKept(tool) ? tool : undefined);
  const providers = group.providers.map((provider) => mapProviderTools(provider, keepIncluded));
  return { ...group, tools: group.tools.filter(isKept), providers };
}

/**
 * Builds an included group. A name that matches no known tool refers to the providers' tools. The group
 * requires the permissions of every group that its tools come from, or may come from, so that a setting
 * cannot bypass an agent's permissions.
 */
function createIncludedGroup(
  { role, tools: ends, ...more }: IncludedGroup,
  known: readonly ToolGroup[],
): ToolGroup {
  for (const end of ends) assertSuffixUsed(`includes.${shorten(role, 80)}.tools`, end, known);
  const tools = known.flatMap((group) => group.tools);
  const open = ends.filter((end) => !tools.some((tool) => hasSuffix([end], tool)));
  const sources = [...new Set(known)]
    .map((group) => ({
      ...filterGroup(group, (tool) => hasSuffix(ends, tool)),
      providers: open.length === 0 ? [] : filterGroup(group, (tool) => hasSuffix(open, tool)).providers,
    }))
    .filter((source) => source.tools.length + source.providers.length > 0);
  const { description = role, provider = OWN_PROVIDER_NAME } = more;
  try {
    return toGroup({
      role,
      description,
      provider,
      permissions: [...new Set(sources.flatMap(({ permissions }) => permissions))],
      tools: sources.flatMap((source) => [...source.tools, ...source.providers]),
    });
  } catch (cause) {
    const why = getErrorMessage(cause);
    throw new ConfigurationError(`TOOL_GROUPS cannot be used: ${why}`);
  }
}

/**
 * Checks a name in the setting, so that typing errors are reported. Does not query providers for their tools.
 *
 * @throws ConfigurationError if no tool's name ends with `end`, and no group has providers.
 */
function assertSuffixUsed(where: string, end: string, known: readonly ToolGroup[]): void {
  if (known.some(({ providers }) => providers.length > 0)) return;
  const names = known.flatMap(({ tools }) => tools.map(({ name }) => name));
  if (names.some((name) => name.endsWith(end))) return;
  throw new ConfigurationError(
    `TOOL_GROUPS cannot be used: ${where} names '${shorten(end, 80)}', but no tool has a name that ends with it. ` +
      `The tools are: ${[...new Set(names)].sort().join(', ') || 'none'}.`,
  );
}

interface ToolGroupsSetting {
  /** Groups that consist of tools that are registered in code. */
  readonly includes: readonly IncludedGroup[];
  /** The name endings of tools that all groups in this environment exclude. */
  readonly excludes: readonly string[];
}

/** A group, with the name endings of its tools. */
interface IncludedGroup {
  readonly role: string;
  readonly description: string | undefined;
  readonly provider: string | undefined;
  readonly tools: readonly string[];
}

/**
 * Reads the var `TOOL_GROUPS`: JSON text, or the table that wrangler makes from `wrangler.toml`. Returns an
 * empty setting if it is absent or blank.
 *
 * @throws ConfigurationError that lists every problem.
 */
function parseToolGroups(setting: unknown): ToolGroupsSetting {
  const value = typeof setting === 'string' ? parseJson(setting.trim() || '{}') : (setting ?? {});
  if (value === undefined) throw createInvalidSettingError(['it is not valid JSON']);
  if (!isJsonObject(value))
    throw createInvalidSettingError(['it must be a JSON object with `includes` and `excludes`']);
  const { includes = {}, excludes = [], ...unknown } = value;
  const problems = listUnknownKeys('', unknown);
  if (!isNameList(excludes)) problems.push(`excludes: ${NAMES_RULE}`);
  if (!isJsonObject(includes)) problems.push('includes: must be an object with a group for each role');
  const groups = Object.entries(isJsonObject(includes) ? includes : {}).map(([role, group]) =>
    parseGroup(role, group, problems),
  );
  if (problems.length > 0) throw createInvalidSettingError(problems);
  return { includes: groups, excludes: isNameList(excludes) ? excludes : [] };
}

function parseGroup(role: string, value: unknown, problems: string[]): IncludedGroup {
  const at = `includes.${shorten(role, 80)}`;
  if (!isJsonObject(value)) problems.push(`${at}: must be an object with \`tools\``);
  const { description, provider, tools, ...unknown } = isJsonObject(value) ? value : { tools: [] };
  problems.push(...listUnknownKeys(`${at}.`, unknown));
  if (!isNameList(tools)) problems.push(`${at}.tools: ${NAMES_RULE}`);
  const readText = (key: string, given: unknown): string | undefined => {
    if (given === undefined || typeof given === 'string') return given;
    problems.push(`${at}.${key}: must be text`);
    return undefined;
  };
  return {
    role,
    description: readText('description', description),
    provider: readText('provider', provider),
    tools: isNameList(tools) ? tools : [],
  };
}

const NAMES_RULE = 'must be a list of names of tools, or of their ends';

/** A blank name would match the end of every name. */
const isNameList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name.trim() !== '');

const listUnknownKeys = (at: string, rest: object): string[] =>
  Object.keys(rest).map((key) => `${at}${shorten(key, 80)}: is not known here`);

const createInvalidSettingError = (problems: readonly string[]): ConfigurationError =>
  new ConfigurationError(`TOOL_GROUPS cannot be used: ${problems.join('; ')}.`);
