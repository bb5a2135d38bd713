import type { CallContext } from '../../tool/call.ts';
import { decorate, originOf } from '../../tool/decorate.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  paragraphs,
  sameJson,
  shorten,
} from '../../tool/json.ts';
import { warning } from '../../tool/log.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { error, type ToolResult, text, withheld } from '../../tool/tool-result.ts';
import {
  allOf,
  broughtBy,
  categoryOf,
  innerTools,
  UNFOLDED,
  type UnfoldedFact,
  type Unfolding,
  type UnfoldsInto,
  unfoldedIn,
  unfoldingIn,
} from './unfolding.ts';

/**
 * Answers a call of an unfolding tool: names the tools that are offered for it from now on, and remembers that it is
 * open. When it is open already, with the same input, it lists its tools and changes nothing.
 *
 * The tools are named as the loop is going to offer them, since it is asked for just that.
 *
 * @throws what the code of the unfolding tool throws.
 */
export async function callUnfolding(input: Json, call: CallRun): Promise<ToolResult> {
  const { tool: name, view } = call;
  const own = call.offered().find((one) => one.name === name);
  const unfolding = own && unfoldingIn(own);
  if (!unfolding) return hidden(call);
  const prepared = await unfolding.prepare?.(call);
  if (typeof prepared === 'string') return withheld(prepared);
  const notes = [unfolding.notes ?? [], prepared?.remark ?? []].flat().join('\n\n') || undefined;
  // Those of the moment are asked for with what `prepare` has found out, when the loop is.
  const isPrepared = unfolding.prepare !== undefined;
  const tools = isPrepared ? [] : innerTools(unfolding.into, { call: call.id, input }, view);
  if (tools.length === 0 && !isPrepared) return nothing(call, unfolding);
  const fact = unfoldedFact(own, unfolding, { input, tools });
  const known = unfoldedIn(view.recall(UNFOLDED), view).find(
    (one) => one.facade === name && one.under === fact.under,
  );
  const offered = broughtBy(call.offeredAfter(UNFOLDED, fact), name);
  const isAsked = isPrepared && unfolding.into.by === 'moment';
  if (offered.length === 0) return isAsked ? nothing(call, unfolding) : shut(name);
  if (known && sameJson(known.input, fact.input)) return text(listingText(name, offered, notes));
  call.record(UNFOLDED, fact);
  return text(openedText(offered, notes));
}

interface CalledWith {
  readonly input: Json;
  readonly tools: readonly AnyTool[];
}

/** Says what is remembered of a call: as little as makes the same tools again. */
function unfoldedFact(
  offered: AnyTool,
  { into, scope }: Unfolding,
  { input, tools }: CalledWith,
): UnfoldedFact {
  const under = originOf(offered)?.by[0]?.name;
  return {
    facade: offered.name,
    ...(under !== undefined && { under }),
    ...(scope === 'session' && { scope }),
    ...(into.by === 'category' && { input: categoryIn(input, into) }),
    ...(into.by === 'selection' && { input, names: tools.map((one) => one.name) }),
  };
}

/** Keeps the category of an input. Every unknown one is the same: all tools. */
function categoryIn(input: Json, into: Extract<UnfoldsInto, { by: 'category' }>): JsonObject {
  const category = categoryOf(into, input);
  return category === undefined ? {} : { [into.parameter]: category };
}

/** Answers a call when a wrapper says neither that the tool unfolds nor what it wraps. */
function hidden({ tool: name, log }: CallContext): ToolResult {
  log(
    warning(
      `the unfolding tool '${name}' cannot unfold: what wraps it has no delegate, or it is called in no loop that offers it`,
    ),
  );
  return error(`Tool '${name}' cannot show its tools here. Do not call it again; go on without it.`);
}

/** Answers a call of a tool that has nothing to offer in its place, so that it stays. */
function nothing({ tool: name, log }: CallContext, { into }: Unfolding): ToolResult {
  if (into.by === 'moment') {
    return withheld(`Tool '${name}' has no tools now; they may be there later. Go on without them.`);
  }
  log(warning(`the unfolding tool '${name}' has no tools for the input of a call`));
  return withheld(
    `Tool '${name}': no tools for that selection. Nothing has changed; call it again with another input.`,
  );
}

/** Answers a call when another call of the batch, or a strategy, has taken the tool away. */
const shut = (name: string): ToolResult =>
  withheld(
    `Tool '${name}' cannot be opened any more: its tools are not available beside those you have now.`,
  );

/**
 * Answers how an unfolding tool is called with `{ "<inner tool>": <its input> }`: as that tool itself, so that policies,
 * approvals and inspectors see the tool that runs; its success opens the unfolding tool too.
 *
 * Only where the tools are fixed: what a selector would answer is not known from a call that did not ask it. An
 * unfolding tool inside is opened by its own call, and an argument of the unfolding tool itself is one.
 */
export function shortcut(unfolding: Unfolding, { properties }: JsonSchema): AnyTool['route'] {
  const byName = directTools(unfolding, Object.keys(Object(properties)));
  if (byName.size === 0) return undefined;
  return (input) => {
    for (const [name, value] of Object.entries(input)) {
      const tool = byName.get(name);
      const nested = tool && nestedInput(tool, value);
      if (nested) return { tool, input: nested };
    }
    return undefined;
  };
}

/** The tools that can be called through the unfolding tool, by name: a map, since the model names them. */
function directTools(unfolding: Unfolding, taken: readonly string[]): ReadonlyMap<string, AnyTool> {
  const { into } = unfolding;
  if (into.by === 'moment' || into.by === 'selection') return new Map();
  const tools = into.by === 'all' ? into.tools : allOf(into.tools);
  const counts = new Map<string, number>(taken.map((name) => [name, 1]));
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  const direct = tools.filter((tool) => counts.get(tool.name) === 1 && !unfoldingIn(tool));
  return new Map(direct.map((tool) => [tool.name, thatUnfolds(tool, unfolding)]));
}

/** The tool, whose success opens the unfolding tool. */
const thatUnfolds = (tool: AnyTool, unfolding: Unfolding): AnyTool =>
  decorate(tool, {
    call(input, call) {
      const offered = call.offered().find((one) => unfoldingIn(one) === unfolding);
      if (offered) call.record(UNFOLDED, unfoldedFact(offered, unfolding, { input: {}, tools: [] }));
      return tool.call(input, call);
    },
  });

/** What is nested under a tool's name, as its input. Only a text tool takes what is no object: its JSON is the text. */
function nestedInput(tool: AnyTool, value: Json): JsonObject | undefined {
  if (tool.readInput) return tool.readInput(JSON.stringify(value));
  return isJsonObject(value) ? value : undefined;
}

/** Characters of a description that a listing shows. */
const MAX_LINE = 200;

/** What the model reads when an unfolding tool opens: which tools there are now, and when to use which. */
function openedText(tools: readonly AnyTool[], notes: string | undefined): string {
  const names = tools.map(({ name }) => name).join(', ');
  const preamble =
    `Tools now available: ${names}. You MUST call one of these tools to complete the user's request. ` +
    'Do NOT respond with text — call a tool.';
  return paragraphs(preamble, tools.flatMap(renamed).join('\n'), notes);
}

/** What the model reads when it calls an unfolding tool that is open. */
const listingText = (unfolding: string, tools: readonly AnyTool[], notes: string | undefined): string =>
  paragraphs(`'${unfolding}' is open already. Call one of its tools:\n${listed(tools)}`, notes);

/** Lists the tools, one line each. */
export const listed = (tools: readonly AnyTool[]): string =>
  tools.map(({ name, description }) => `- ${name}: ${oneLine(description)}`).join('\n');

const oneLine = (text: string): string => shorten(text.replaceAll(/\s+/g, ' ').trim(), MAX_LINE);

/** Says why a tool is not called what its description may call it. */
function renamed(tool: AnyTool): string[] {
  const own = originOf(tool)?.name;
  if (own === undefined || own === tool.name) return [];
  return [`'${tool.name}' is the tool '${own}' of this list; another tool had the name '${own}' already.`];
}

/**
 * Makes what stays under the name of an unfolding tool that is open, for a model that calls it again: the unfolding tool
 * itself, which lists its tools then. Only one whose input chooses among tools can still change what is offered.
 */
export function guideTo(unfolding: AnyTool, { into }: Unfolding): AnyTool {
  const chooses = into.by === 'category' || into.by === 'selection';
  const use = chooses
    ? 'Call it with another input for other tools, or with the same to list them.'
    : 'Call it only to list them.';
  return decorate(unfolding, {
    description: `${sentence(unfolding)}. Already open: its tools are among yours. ${use}`,
  });
}

/** Says what a context tool tells the model. */
interface Context {
  readonly name: string;
  readonly unfolding: AnyTool;
  readonly notes: string | undefined;
  readonly tools: readonly AnyTool[];
}

/**
 * Makes a tool that keeps what an unfolding tool was for: it names the tools inside, and describes each when it is
 * called.
 */
export function contextTool({ name, unfolding, notes, tools }: Context): AnyTool {
  const about = sentence(unfolding);
  const names = tools.map((tool) => tool.name).join(', ');
  const details = [`Tools for ${about}:`, listed(tools), ...(notes ? [`Usage notes: ${notes}`] : [])];
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

/** Takes the full stops off a description, so that a sentence can go on behind it. */
const sentence = ({ description }: AnyTool): string => description.trim().replace(/\.+$/, '');

/** The longest name that every provider takes. */
const MAX_NAME = 64;

/** Returns the name, or where it is taken one that begins with the unfolding tool's, so that no two tools share a name. */
export function freeName(unfolding: string, name: string, taken: { has(name: string): boolean }): string {
  const wanted = name.slice(0, MAX_NAME);
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = `${unfolding}_${name}`.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
