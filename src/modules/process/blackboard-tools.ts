import type { CallContext } from '../../tool/call.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { error, type ToolResult } from '../../tool/tool-result.ts';
import { defineUnfolding } from '../unfolding/define-unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../unfolding/unfolding.ts';
import { createTextParameter } from './agent-process-tools.ts';

/** Converts a value of the blackboard to text for the model. */
export type BlackboardFormatter = (value: Json, entry: BlackboardEntry) => string;

/** Options for the blackboard tools, and for the format of values. */
export interface BlackboardToolsOptions extends UnfoldingOptions {
  /**
   * Domain types whose values are shown by their `infoString` or `content`. They are matched by the type name
   * of an entry.
   */
  readonly types?: readonly DomainType[] | undefined;
  /**
   * Formats a value. By default, a value is shown as its type defines, text unchanged, and all other values
   * as JSON, each up to 8,000 characters.
   */
  readonly format?: BlackboardFormatter | undefined;
}

/**
 * Returns tools with which a model reads the blackboard of its loop. In a subagent, this is the subagent's
 * own blackboard. A type is the name with which an object was added, or else its JSON type.
 *
 * @example
 * ```ts
 * const tools = [findOrder, blackboardTools({ types: [Customer] })];
 * ```
 */
export const blackboardTools = ({
  types = [],
  format = createFormatter(types),
  ...options
}: BlackboardToolsOptions = {}): UnfoldingTool<'blackboard', JsonObject> =>
  defineUnfolding({
    name: 'blackboard',
    description:
      'Access objects in the current process context. ' +
      'Invoke to see available operations for listing, getting, and describing objects.',
    childToolUsageNotes:
      "Use blackboard_list to see what's available. " +
      'Use blackboard_get for named bindings, blackboard_last for the most recent of a type.',
    ...options,
    tools: createBoardTools(format),
  });

/** The result of each tool outside a session. */
const NO_PROCESS_MESSAGE = 'No agent process available. Blackboard tools require an active agent context.';

/** The maximum number of characters of a value without a custom format. */
const MAX_VALUE_CHARACTERS = 8_000;
/** The maximum number of entries in a list. The newest are shown. */
const MAX_LISTED_ENTRIES = 200;
/** The maximum number of characters that a result repeats of a name from the model. */
const MAX_ECHO_LENGTH = 80;

const createBoardTools = (format: BlackboardFormatter): readonly AnyTool[] => [
  listTool,
  defineNameTool(
    'blackboard_get',
    'Get an object by its binding name',
    (entry, name) => `${getEntryType(entry)} bound to '${name}':\n${format(entry.value, entry)}`,
  ),
  defineTypeTool(
    'blackboard_last',
    'Get the most recent object of a given type, as blackboard_list names it',
    (entries, type) => {
      const last = entries.at(-1);
      return last
        ? `Last ${getEntryType(last)}:\n${format(last.value, last)}`
        : `No object of type '${type}' found in blackboard`;
    },
  ),
  defineNameTool(
    'blackboard_describe',
    'Get a detailed description of an object by its binding name',
    (entry, name) => `Description of ${getEntryType(entry)} '${name}':\n${format(entry.value, entry)}`,
  ),
  defineTypeTool(
    'blackboard_count',
    'Count the number of objects of a given type in the blackboard',
    (entries, type) => `Found ${entries.length} object(s) of type '${type}' in blackboard`,
  ),
];

const listTool: AnyTool = defineTool({
  name: 'blackboard_list',
  description: 'List all objects currently in the blackboard with their types, indices and binding names',
  effect: 'read',
  run: (_, call) => {
    if (!call.process) return NO_PROCESS_MESSAGE;
    const entries = call.blackboard.entries();
    if (entries.length === 0) return 'Blackboard is empty - no objects available.';
    const left = Math.max(0, entries.length - MAX_LISTED_ENTRIES);
    const lines = entries.slice(left).map((entry, index) => `[${left + index}] ${formatLabel(entry)}`);
    return [
      `Blackboard contains ${entries.length} object(s):`,
      ...(left > 0 ? [`(the first ${left} are not shown)`] : []),
      ...lines,
    ].join('\n');
  },
});

const formatLabel = (entry: BlackboardEntry): string =>
  entry.name === undefined ? getEntryType(entry) : `${getEntryType(entry)} bound to '${entry.name}'`;

/** Returns the type of an entry. An entry without a type has its JSON type. */
function getEntryType({ type, value }: BlackboardEntry): string {
  if (type !== undefined) return type;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

const defineNameTool = (
  tool: string,
  description: string,
  say: (entry: BlackboardEntry, name: string) => string,
): AnyTool =>
  defineTool({
    name: tool,
    description,
    input: createTextParameter('name', 'The binding name to look up'),
    effect: 'read',
    run: (name, call) =>
      lookUp(call, { parameter: 'name', sought: name }, (sought, shown) => {
        const entry = call.blackboard.entries().findLast((one) => one.name === sought);
        return entry ? say(entry, shown) : `No object found with binding name '${shown}'`;
      }),
  });

const defineTypeTool = (
  tool: string,
  description: string,
  say: (entries: readonly BlackboardEntry[], type: string) => string,
): AnyTool =>
  defineTool({
    name: tool,
    description,
    input: createTextParameter('typeName', 'The type name, as blackboard_list shows it'),
    effect: 'read',
    run: (type, call) =>
      lookUp(call, { parameter: 'typeName', sought: type }, (sought, shown) =>
        say(
          call.blackboard.entries().filter((entry) => getEntryType(entry) === sought),
          shown,
        ),
      ),
  });

function lookUp(
  call: CallContext,
  { parameter, sought }: { readonly parameter: string; readonly sought: string | undefined },
  say: (sought: string, shown: string) => string,
): string | ToolResult {
  if (!call.process) return NO_PROCESS_MESSAGE;
  if (sought === undefined) return error(`Missing required parameter: ${parameter}`);
  return say(sought, sought.slice(0, MAX_ECHO_LENGTH));
}

/**
 * Formats a value as its type defines, text unchanged, and all other values as JSON, up to a maximum length.
 */
function createFormatter(types: readonly DomainType[]): BlackboardFormatter {
  const byName = new Map(types.map((type) => [type.name, type]));
  return (value, { type = '' }) => {
    const words =
      byName.get(type)?.inWords?.(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
    const { length } = words;
    return length <= MAX_VALUE_CHARACTERS
      ? words
      : `${words.slice(0, MAX_VALUE_CHARACTERS)}... [truncated, full length: ${length} chars]`;
  };
}
