import { ConfigurationError } from '../../model/configuration-error.ts';
import { isJsonObject } from '../../tools/json.ts';
import { shorten } from '../../tools/json-text.ts';

/** What the var `TOOL_GROUPS` asks for (TGR-02, TGR-03). */
export interface ToolGroupsSetting {
  /** Groups made of tools that code has registered. */
  readonly includes: readonly IncludedGroup[];
  /** Ends of names of tools that no group has in this environment. */
  readonly excludes: readonly string[];
}

/** A group by the ends of its tools' names. */
export interface IncludedGroup {
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
export function parseToolGroups(setting: unknown): ToolGroupsSetting {
  const value = typeof setting === 'string' ? parseJson(setting.trim() || '{}') : (setting ?? {});
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(['it is not valid JSON']);
  }
}

const invalid = (problems: readonly string[]): ConfigurationError =>
  new ConfigurationError(`TOOL_GROUPS cannot be used: ${problems.join('; ')}.`);
