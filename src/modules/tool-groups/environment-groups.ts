import { ConfigurationError } from '../../model/configuration-error.ts';
import { changedTools } from '../../sources/resolution/resolve-tools.ts';
import type { ToolGroup } from '../../sources/resolution/tool-source.ts';
import { memoized, reasonOf } from '../../tool/async.ts';
import { isJsonObject, parseJson, shorten } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { OWN_PROVIDER, toGroup } from './to-group.ts';

/** Holds the tool groups of one environment. */
export interface EnvironmentGroups {
  /** They stand in the order of precedence: of several groups of one role the first is used. */
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

/** Copies the group with those of its tools, and of what its providers answer, that are kept. */
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
    return toGroup({
      role,
      description,
      provider,
      permissions: [...new Set(sources.flatMap(({ permissions }) => permissions))],
      tools: sources.flatMap((source) => [...source.tools, ...source.providers]),
    });
  } catch (cause) {
    const why = reasonOf(cause);
    throw new ConfigurationError(`TOOL_GROUPS cannot be used: ${why}`);
  }
}

/**
 * A slip must not leave a tool in, or out, unnoticed. What providers will answer is not known, and not asked for only to
 * find that out.
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

/** What the var `TOOL_GROUPS` asks for. */
interface ToolGroupsSetting {
  /** Groups made of tools that code has registered. */
  readonly includes: readonly IncludedGroup[];
  /** Ends of names of tools that no group has in this environment. */
  readonly excludes: readonly string[];
}

/** A group by the ends of its tools' names. */
interface IncludedGroup {
  readonly role: string;
  readonly description: string | undefined;
  readonly provider: string | undefined;
  readonly tools: readonly string[];
}

/**
 * Reads the var `TOOL_GROUPS`: JSON text, or the table that `wrangler.toml` makes of it. Absent or blank asks for nothing.
 *
 * @throws ConfigurationError that lists every problem.
 */
function parseToolGroups(setting: unknown): ToolGroupsSetting {
  const value = typeof setting === 'string' ? parseJson(setting.trim() || '{}') : (setting ?? {});
  if (value === undefined) throw invalid(['it is not valid JSON']);
  if (!isJsonObject(value)) throw invalid(['it must be a JSON object with `includes` and `excludes`']);
  const { includes = {}, excludes = [], ...unknown } = value;
  const problems = unknownKeys('', unknown);
  if (!isNames(excludes)) problems.push(`excludes: ${MUST_BE_NAMES}`);
  if (!isJsonObject(includes)) problems.push('includes: must be an object with a group for each role');
  const groups = Object.entries(isJsonObject(includes) ? includes : {}).map(([role, group]) =>
    parseGroup(role, group, problems),
  );
  if (problems.length > 0) throw invalid(problems);
  return { includes: groups, excludes: isNames(excludes) ? excludes : [] };
}

function parseGroup(role: string, value: unknown, problems: string[]): IncludedGroup {
  const at = `includes.${shorten(role, 80)}`;
  if (!isJsonObject(value)) problems.push(`${at}: must be an object with \`tools\``);
  const { description, provider, tools, ...unknown } = isJsonObject(value) ? value : { tools: [] };
  problems.push(...unknownKeys(`${at}.`, unknown));
  if (!isNames(tools)) problems.push(`${at}.tools: ${MUST_BE_NAMES}`);
  const textOf = (key: string, given: unknown): string | undefined => {
    if (given === undefined || typeof given === 'string') return given;
    problems.push(`${at}.${key}: must be text`);
    return undefined;
  };
  return {
    role,
    description: textOf('description', description),
    provider: textOf('provider', provider),
    tools: isNames(tools) ? tools : [],
  };
}

const MUST_BE_NAMES = 'must be a list of names of tools, or of their ends';

/** A blank name would be the end of every other. */
const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name.trim() !== '');

const unknownKeys = (at: string, rest: object): string[] =>
  Object.keys(rest).map((key) => `${at}${shorten(key, 80)}: is not known here`);

const invalid = (problems: readonly string[]): ConfigurationError =>
  new ConfigurationError(`TOOL_GROUPS cannot be used: ${problems.join('; ')}.`);
