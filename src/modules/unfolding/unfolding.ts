import { FOLDING } from '../../journal/memory-folding.ts';
import { memoize } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { getOrigin, unwrapAs } from '../../tool/decorate.ts';
import type { InputSchema } from '../../tool/input-schema.ts';
import { isEqualJson, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, CallRun, LoopView, OpeningTool, Tool } from '../../tool/tool.ts';
import type { FactPlace, SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/**
 * Marks an unfolding tool. Only functions of holdfast can create unfolding tools, so an object with the same
 * shape is not enough.
 */
export const UNFOLDS: unique symbol = Symbol('holdfast.unfolds');

/** The parts of an unfolding tool. After its call, the loop offers its inner tools instead. */
export interface Unfolding {
  readonly into: UnfoldsInto;
  /** The usage notes, which are shown below the names of its tools when it opens. */
  readonly notes: string | undefined;
  /** `true` if all other tools are removed when it opens. */
  readonly exclusive: boolean;
  /** `true` if it adds a tool that describes its tools. */
  readonly contextTool: boolean;
  readonly scope: UnfoldingScope;
  /**
   * Loads and records the data for its tools when it is called. Returns a text for the model: a problem, with
   * which the unfolding tool stays closed, or a remark to show when it opens.
   */
  readonly prepare?:
    | ((call: CallRun) => Promise<string | { readonly remark: string } | undefined>)
    | undefined;
  /** Returns whether the session already has the data that `prepare` loads. Defaults to `false`. */
  readonly isKnown?: ((view: LoopView) => boolean) | undefined;
}

/** The tools inside an unfolding tool. */
export type UnfoldsInto =
  | { readonly by: 'all'; readonly tools: readonly AnyTool[] }
  /** Runs each time the loop offers tools. */
  | { readonly by: 'moment'; readonly ask: (view: LoopView) => readonly AnyTool[] }
  /** A map, since the category comes from the model. */
  | {
      readonly by: 'category';
      readonly parameter: string;
      readonly tools: ReadonlyMap<string, readonly AnyTool[]>;
    }
  /** Runs once for each call, with its checked input from the journal. */
  | { readonly by: 'selection'; readonly select: (input: Json, view: LoopView) => readonly AnyTool[] };

/** A tool that is known to be an unfolding tool. */
export type AnyUnfoldingTool = OpeningTool & { readonly [UNFOLDS]: Unfolding };

const isUnfoldingTool = (tool: AnyTool): tool is AnyUnfoldingTool => UNFOLDS in tool;

/**
 * Returns the unfolding parts of a tool or of the tool that it decorates. Returns `undefined` if it is not an
 * unfolding tool, or hides that it is.
 */
export const findUnfolding = (tool: AnyTool): Unfolding | undefined =>
  unwrapAs(tool, isUnfoldingTool)?.[UNFOLDS];

/**
 * The time for which an unfolding tool stays open: until the turn or its loop ends, or for the rest of the
 * session.
 */
export type UnfoldingScope = 'turn' | 'session';

/** An opened unfolding tool in the session's memory. A type alias, because it must be JSON. */
export type UnfoldedEntry = {
  /** The call that opened it, which is the key for creating its tools again. */
  readonly call: string;
  /** The name under which the loop offered it. */
  readonly facade: string;
  /** The unfolding tool that contained it. Absent for a tool that was offered from the start. */
  readonly under?: string;
  /** The checked input, if the tools depend on it. */
  readonly input?: Json;
  /** The names of the tools that a selector returned. Later results are limited to these. */
  readonly names?: readonly string[];
  /** The id of the call whose loop it belongs to, or an empty string for the turn's own loop. */
  readonly frame?: string;
  /** The path of the loops that it belongs to, in the whole session. */
  readonly path?: string;
};

/** The open unfolding tools of a loop, in the order in which they were opened. */
export type UnfoldedList = readonly UnfoldedEntry[];

/** The fact that a call records when it opens an unfolding tool. */
export type UnfoldedFact = Omit<UnfoldedEntry, 'call' | 'frame' | 'path'> & { readonly scope?: 'session' };

/** The memory of open unfolding tools. Entries of a loop are removed when the loop ends. */
export const UNFOLDED_MEMORY: ToolMemory<UnfoldedList, UnfoldedFact> & {
  readonly apply: typeof applyUnfolded;
} = {
  name: 'unfolding',
  folding: FOLDING,
  initial: [],
  scope: 'session',
  when: 'batch',
  apply: applyUnfolded,
  observe: forgetClosed,
};

function forgetClosed(list: UnfoldedList, moment: SessionMoment): UnfoldedList {
  switch (moment.type) {
    case 'turn-ended':
      return filterUnchanged(list, ({ frame }) => frame === undefined);
    case 'call-ended':
      return filterUnchanged(list, ({ frame }) => frame !== moment.call);
    default:
      return list;
  }
}

/** Filters a list. Returns the same list if all entries stay, so that derived results stay valid. */
function filterUnchanged(list: UnfoldedList, stays: (unfolded: UnfoldedEntry) => boolean): UnfoldedList {
  return list.every(stays) ? list : list.filter(stays);
}

/**
 * Adds an opened unfolding tool, or replaces its entry if it is already open. Returns the same list if the
 * input is the same.
 */
function applyUnfolded(list: UnfoldedList, { scope, ...fact }: UnfoldedFact, place: FactPlace): UnfoldedList {
  const where = scope === 'session' ? { path: place.path } : { frame: place.frame };
  const unfolded: UnfoldedEntry = { call: place.call, ...fact, ...where };
  const at = list.findIndex((one) => isSameEntry(one, unfolded));
  if (at < 0) return [...list, unfolded];
  return isEqualJson(list[at]?.input, unfolded.input) ? list : list.with(at, unfolded);
}

const isSameEntry = (a: UnfoldedEntry, b: UnfoldedEntry): boolean =>
  a.facade === b.facade && a.under === b.under && a.frame === b.frame && a.path === b.path;

export const listUnfolded = (
  list: UnfoldedList,
  { frame, path }: { readonly frame: string; readonly path: string },
): UnfoldedList => list.filter((one) => one.frame === frame || one.path === path);

type CategorySelection = Extract<UnfoldsInto, { by: 'category' }>;

/** The part of an entry from which its tools are created. */
type OpenedEntry = Pick<UnfoldedEntry, 'call' | 'input' | 'names'>;

/**
 * Returns the tools of an opened unfolding tool, which are the same each time. A selector runs once for each
 * invocation and call, and its result is limited to the names that the model has read.
 *
 * @throws TypeError if the unfolding tool's own functions return other values than tools. Also rethrows their
 * errors.
 */
export function createInnerTools(
  into: UnfoldsInto,
  { call, input = {}, names }: OpenedEntry,
  view: LoopView,
): readonly AnyTool[] {
  switch (into.by) {
    case 'all':
      return into.tools;
    case 'moment':
      return assertTools(into.ask(view));
    case 'category':
      return getCategoryTools(into, input);
    case 'selection': {
      const made = view.made(`unfolding ${call} ${getSelector(into).id}`, () =>
        assertTools(into.select(input, view)),
      );
      const told = names && new Set(names);
      return told ? made.filter(({ name }) => told.has(name)) : made;
    }
  }
}

let selectors = 0;

/**
 * Identifies selectors. If a chained object changes, its unfolding tool has another selector, for the new
 * object.
 */
const getSelector = memoize((_: UnfoldsInto) => {
  selectors += 1;
  return { id: selectors };
});

/** Returns the tools of a category, or all tools for an unknown category. */
function getCategoryTools(into: CategorySelection, input: Json): readonly AnyTool[] {
  const category = findCategory(into, input);
  const known = category === undefined ? undefined : into.tools.get(category);
  return known ?? listAllTools(into.tools);
}

/** Returns the category in an input if it exists. */
export function findCategory({ parameter, tools }: CategorySelection, input: Json): string | undefined {
  const category = isJsonObject(input) && Object.hasOwn(input, parameter) ? input[parameter] : undefined;
  return typeof category === 'string' && tools.has(category) ? category : undefined;
}

/** Returns the tools of all categories without duplicates. */
export const listAllTools = (tools: CategorySelection['tools']): readonly AnyTool[] => [
  ...new Set([...tools.values()].flat()),
];

function assertTools(tools: readonly AnyTool[]): readonly AnyTool[] {
  if (Array.isArray(tools) && tools.every(isTool)) return tools;
  throw new TypeError('Its tools must be a list of tools.');
}

/** Returns the tools of a list that came from the unfolding tool with this name. */
export const listToolsBroughtBy = (tools: readonly AnyTool[], unfolding: string): readonly AnyTool[] =>
  tools.filter((tool) => isBroughtBy(tool, unfolding));

/** Returns whether a tool came from the unfolding tool with this name. */
export const isBroughtBy = (tool: AnyTool, unfolding: string): boolean =>
  getOrigin(tool)?.by.some(({ name }) => name === unfolding) ?? false;

export const isInputSchema = (input: InputSchema<unknown> | JsonSchema): input is InputSchema<unknown> =>
  'parse' in input && typeof input.parse === 'function';

/**
 * Returns the input, or an empty object if it is not a JSON object, since an unused input cannot be wrong.
 */
export function readOrEmpty(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok ? parsed.input : {};
}

/** An unfolding tool. After its call, the loop offers its inner tools instead. */
export type UnfoldingTool<Name extends string = string, Input = unknown> = Tool<Name, Input, string> & {
  readonly opens: true;
  readonly [UNFOLDS]: Unfolding;
};

/** The options that all forms of unfolding tools share. */
export interface UnfoldingOptions {
  /** Modules for tools that are not known in advance. Known tools add their own modules. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /**
   * Usage notes, which are shown below the names of its tools when it is called. They can be long, since they
   * cost no tokens before that.
   */
  readonly childToolUsageNotes?: string | undefined;
  /**
   * `true` to offer only its tools after its call until the turn ends, without a guide or a context tool.
   * Defaults to `false`.
   */
  readonly exclusive?: boolean | undefined;
  /** `true` to also offer `{name}_context`, a tool that describes its tools. Defaults to `false`. */
  readonly contextTool?: boolean | undefined;
  /**
   * The time for which it stays open. Defaults to `turn`, which means until the turn or the nested loop ends.
   */
  readonly scope?: UnfoldingScope | undefined;
  /**
   * Accepted and ignored: an open unfolding tool is always replaced by its tools and a guide with its name.
   */
  readonly removeOnInvoke?: boolean | undefined;
}

export interface UnfoldingBase<Name extends string> extends UnfoldingOptions {
  /** The tool's name: letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** The purpose of its tools, in a sentence. It is part of every model call, so it always costs tokens. */
  readonly description: string;
  /** JSON for programs that list tools. Never sent to a model. */
  readonly metadata?: JsonObject | undefined;
}
