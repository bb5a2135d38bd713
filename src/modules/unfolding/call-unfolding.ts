import type { CallContext } from '../../tool/call.ts';
import { decorate, getOrigin } from '../../tool/decorate.ts';
import {
  isEqualJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  joinParagraphs,
  shorten,
} from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { createWithheldResult, error, type ToolResult, text } from '../../tool/tool-result.ts';
import {
  createInnerTools,
  findCategory,
  findUnfolding,
  listAllTools,
  listToolsBroughtBy,
  listUnfolded,
  UNFOLDED_MEMORY,
  type UnfoldedFact,
  type Unfolding,
  type UnfoldsInto,
} from './unfolding.ts';

/**
 * Runs a call of an unfolding tool: returns the names of the tools that are offered from now on, and records
 * that the unfolding tool is open. If it is already open with the same input, only lists its tools.
 *
 * The names are those that the loop will offer, since they come from the same function.
 *
 * @throws the errors of the unfolding tool's own functions.
 */
export async function callUnfolding(input: Json, call: CallRun): Promise<ToolResult> {
  const { tool: name, view } = call;
  const own = call.offered().find((one) => one.name === name);
  const unfolding = own && findUnfolding(own);
  if (!unfolding) return createHiddenResult(call);
  const prepared = await unfolding.prepare?.(call);
  if (typeof prepared === 'string') return createWithheldResult(prepared);
  const notes = [unfolding.notes ?? [], prepared?.remark ?? []].flat().join('\n\n') || undefined;
  // A function's tools need the results of `prepare`, so the loop requests them later.
  const isPrepared = unfolding.prepare !== undefined;
  const tools = isPrepared ? [] : createInnerTools(unfolding.into, { call: call.id, input }, view);
  if (tools.length === 0 && !isPrepared) return createNoToolsResult(call, unfolding);
  const fact = toUnfoldedFact(own, unfolding, { input, tools });
  const known = listUnfolded(view.recall(UNFOLDED_MEMORY), view).find(
    (one) => one.facade === name && one.under === fact.under,
  );
  const offered = listToolsBroughtBy(call.offeredAfter(UNFOLDED_MEMORY, fact), name);
  const isAsked = isPrepared && unfolding.into.by === 'moment';
  if (offered.length === 0) return isAsked ? createNoToolsResult(call, unfolding) : createClosedResult(name);
  if (known && isEqualJson(known.input, fact.input)) return text(formatListing(name, offered, notes));
  call.record(UNFOLDED_MEMORY, fact);
  return text(formatOpened(offered, notes));
}

interface UnfoldingCall {
  readonly input: Json;
  readonly tools: readonly AnyTool[];
}

/** Returns the fact to record for a call: the minimum that is needed to create the same tools again. */
function toUnfoldedFact(
  offered: AnyTool,
  { into, scope }: Unfolding,
  { input, tools }: UnfoldingCall,
): UnfoldedFact {
  const under = getOrigin(offered)?.by[0]?.name;
  return {
    facade: offered.name,
    ...(under !== undefined && { under }),
    ...(scope === 'session' && { scope }),
    ...(into.by === 'category' && { input: getCategoryInput(input, into) }),
    ...(into.by === 'selection' && { input, names: tools.map((one) => one.name) }),
  };
}

/** Returns only the category of an input. All unknown categories are equal, since they mean all tools. */
function getCategoryInput(input: Json, into: Extract<UnfoldsInto, { by: 'category' }>): JsonObject {
  const category = findCategory(into, input);
  return category === undefined ? {} : { [into.parameter]: category };
}

/** Returns the result of a call if a wrapper hides that the tool unfolds. */
function createHiddenResult({ tool: name, log }: CallContext): ToolResult {
  log(
    createWarningEntry(
      `the unfolding tool '${name}' cannot unfold: its wrapper has no \`delegate\`, or the loop that called it does not offer it`,
    ),
  );
  return error(`Tool '${name}' cannot show its tools here. Do not call it again; go on without it.`);
}

/**
 * Returns the result of a call of an unfolding tool that currently has no tools and therefore stays closed.
 */
function createNoToolsResult({ tool: name, log }: CallContext, { into }: Unfolding): ToolResult {
  if (into.by === 'moment') {
    return createWithheldResult(
      `Tool '${name}' has no tools now; they may be there later. Go on without them.`,
    );
  }
  log(createWarningEntry(`the unfolding tool '${name}' has no tools for the input of a call`));
  return createWithheldResult(
    `Tool '${name}': no tools for that selection. Nothing has changed; call it again with another input.`,
  );
}

/** Returns the result of a call if another call of the batch, or a strategy, has removed its tool. */
const createClosedResult = (name: string): ToolResult =>
  createWithheldResult(
    `Tool '${name}' cannot be opened any more: its tools are not available beside those you have now.`,
  );

/**
 * Returns a function that routes a call with the input `{ "<inner tool>": <its input> }` to the inner tool,
 * so that policies, approvals and inspectors see the tool that runs. Its success also opens the unfolding
 * tool.
 *
 * Works only if the tools are fixed, since a call that skips a selector cannot know its result. An inner
 * unfolding tool needs its own call. A property of the unfolding tool's own input takes precedence.
 */
export function createShortcut(unfolding: Unfolding, { properties }: JsonSchema): AnyTool['route'] {
  const byName = listDirectTools(unfolding, Object.keys(Object(properties)));
  if (byName.size === 0) return undefined;
  return (input) => {
    for (const [name, value] of Object.entries(input)) {
      const tool = byName.get(name);
      const nested = tool && toNestedInput(tool, value);
      if (nested) return { tool, input: nested };
    }
    return undefined;
  };
}

/**
 * Returns the tools that can be called through the unfolding tool, by name. Returns a map, since the names
 * come from the model.
 */
function listDirectTools(unfolding: Unfolding, taken: readonly string[]): ReadonlyMap<string, AnyTool> {
  const { into } = unfolding;
  if (into.by === 'moment' || into.by === 'selection') return new Map();
  const tools = into.by === 'all' ? into.tools : listAllTools(into.tools);
  const counts = new Map<string, number>(taken.map((name) => [name, 1]));
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  const direct = tools.filter((tool) => counts.get(tool.name) === 1 && !findUnfolding(tool));
  return new Map(direct.map((tool) => [tool.name, withUnfoldingFirst(tool, unfolding)]));
}

/** Returns a tool whose success opens the unfolding tool. */
const withUnfoldingFirst = (tool: AnyTool, unfolding: Unfolding): AnyTool =>
  decorate(tool, {
    call(input, call) {
      const offered = call.offered().find((one) => findUnfolding(one) === unfolding);
      if (offered) call.record(UNFOLDED_MEMORY, toUnfoldedFact(offered, unfolding, { input: {}, tools: [] }));
      return tool.call(input, call);
    },
  });

/**
 * Converts the value under a tool's name to the tool's input. A text tool parses the value as JSON text. For
 * other tools, returns `undefined` if the value is not an object.
 */
function toNestedInput(tool: AnyTool, value: Json): JsonObject | undefined {
  if (tool.readInput) return tool.readInput(JSON.stringify(value));
  return isJsonObject(value) ? value : undefined;
}

/** The maximum number of characters of a description in a list of tools. */
const MAX_DESCRIPTION_LENGTH = 200;

/**
 * Returns the text that the model reads when an unfolding tool opens: the tools that are available now, and
 * the usage notes.
 */
function formatOpened(tools: readonly AnyTool[], notes: string | undefined): string {
  const names = tools.map(({ name }) => name).join(', ');
  const preamble =
    `Tools now available: ${names}. You MUST call one of these tools to complete the user's request. ` +
    'Do NOT respond with text — call a tool.';
  return joinParagraphs(preamble, tools.flatMap(renameNotes).join('\n'), notes);
}

/** Returns the text that the model reads when it calls an unfolding tool that is already open. */
const formatListing = (unfolding: string, tools: readonly AnyTool[], notes: string | undefined): string =>
  joinParagraphs(`'${unfolding}' is open already. Call one of its tools:\n${listTools(tools)}`, notes);

export const listTools = (tools: readonly AnyTool[]): string =>
  tools.map(({ name, description }) => `- ${name}: ${toOneLine(description)}`).join('\n');

const toOneLine = (text: string): string =>
  shorten(text.replaceAll(/\s+/g, ' ').trim(), MAX_DESCRIPTION_LENGTH);

/** Explains that a tool's description may refer to it by another name. */
function renameNotes(tool: AnyTool): string[] {
  const own = getOrigin(tool)?.name;
  if (own === undefined || own === tool.name) return [];
  return [`'${tool.name}' is the tool '${own}' of this list; another tool had the name '${own}' already.`];
}

/**
 * Creates the guide, which has the name of an open unfolding tool and lists its tools if the model calls it
 * again. If the input selects tools, a call can still change the offered tools.
 */
export function createGuide(unfolding: AnyTool, { into }: Unfolding): AnyTool {
  const chooses = into.by === 'category' || into.by === 'selection';
  const use = chooses
    ? 'Call it with another input for other tools, or with the same to list them.'
    : 'Call it only to list them.';
  return decorate(unfolding, {
    description: `${trimFullStops(unfolding)}. Already open: its tools are among yours. ${use}`,
  });
}

interface ContextToolParts {
  readonly name: string;
  readonly unfolding: AnyTool;
  readonly notes: string | undefined;
  readonly tools: readonly AnyTool[];
}

/**
 * Creates a tool with the description of an opened unfolding tool. It lists the inner tools, and describes
 * each when it is called.
 */
export function createContextTool({ name, unfolding, notes, tools }: ContextToolParts): AnyTool {
  const about = trimFullStops(unfolding);
  const names = tools.map((tool) => tool.name).join(', ');
  const details = [`Tools for ${about}:`, listTools(tools), ...(notes ? [`Usage notes: ${notes}`] : [])];
  return {
    name,
    description: [about, `Available: ${names}`, ...(notes ? [notes] : [])].join('. '),
    inputSchema: { type: 'object', properties: {} },
    effect: 'none',
    returnDirect: false,
    metadata: {},
    check: async (value) => ({ ok: true, value }),
    call: async () => text(details.join('\n')),
  };
}

/** Removes the full stops at the end of a description, so that a text can continue the sentence. */
const trimFullStops = ({ description }: AnyTool): string => description.trim().replace(/\.+$/, '');

/** The longest tool name that every provider accepts. */
const MAX_NAME_LENGTH = 64;

/**
 * Returns a unique name: the name itself, or if it is in use, a name that begins with that of the unfolding
 * tool.
 */
export function findFreeName(unfolding: string, name: string, taken: { has(name: string): boolean }): string {
  const wanted = name.slice(0, MAX_NAME_LENGTH);
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = `${unfolding}_${name}`.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
