import { FOLDING } from '../../journal/memory-folding.ts';
import { memoized } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { originOf, unwrapAs } from '../../tool/decorate.ts';
import type { InputSchema } from '../../tool/input-schema.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema, sameJson } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, CallRun, LoopView, OpeningTool, Tool } from '../../tool/tool.ts';
import type { FactPlace, SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/** Marks an unfolding tool. Private to the system: a tool is one by how it was made, never by its shape. */
export const UNFOLDS: unique symbol = Symbol('holdfast.unfolds');

/** What a tool that stands for others is made of: they are offered in its place once it has been called. */
export interface Unfolding {
  readonly into: UnfoldsInto;
  /** Told when it is opened, below the names of its tools. */
  readonly notes: string | undefined;
  /** Opening it takes all other tools away. */
  readonly exclusive: boolean;
  /** It brings one more tool, which tells of its tools. */
  readonly contextTool: boolean;
  readonly scope: UnfoldingScope;
  /**
   * Finds out, when it is called, what it is going to bring, and records that. Answers what is wrong, in words for the
   * model, when it cannot be had: the unfolding tool then stays closed. What is to be said though it opens, is a
   * remark.
   */
  readonly prepare?:
    | ((call: CallRun) => Promise<string | { readonly remark: string } | undefined>)
    | undefined;
  /** Returns whether the session knows what `prepare` finds out. By default it does not before each call. */
  readonly isKnown?: ((view: LoopView) => boolean) | undefined;
}

/** Which tools an unfolding tool unfolds into. */
export type UnfoldsInto =
  | { readonly by: 'all'; readonly tools: readonly AnyTool[] }
  /** Asked anew whenever tools are offered. */
  | { readonly by: 'moment'; readonly ask: (view: LoopView) => readonly AnyTool[] }
  /** A map, since the model names the category. */
  | {
      readonly by: 'category';
      readonly parameter: string;
      readonly tools: ReadonlyMap<string, readonly AnyTool[]>;
    }
  /** Asked once a call, with its checked input as the journal gives it back. */
  | { readonly by: 'selection'; readonly select: (input: Json, view: LoopView) => readonly AnyTool[] };

/** A tool that is known to be an unfolding tool. */
export type AnyUnfoldingTool = OpeningTool & { readonly [UNFOLDS]: Unfolding };

const isUnfoldingTool = (tool: AnyTool): tool is AnyUnfoldingTool => UNFOLDS in tool;

/**
 * Answers what a tool unfolds into, seen through its decorators; `undefined` when it is no unfolding tool, or hides it.
 */
export const unfoldingIn = (tool: AnyTool): Unfolding | undefined =>
  unwrapAs(tool, isUnfoldingTool)?.[UNFOLDS];

/** How long what an unfolding tool unfolded into stays: until the turn or its loop ends, or as long as the session. */
export type UnfoldingScope = 'turn' | 'session';

/** An unfolding tool that was opened, as the session remembers it. A type alias: it must be JSON. */
export type Unfolded = {
  /** The call that opened it: what its tools are made again under. */
  readonly call: string;
  /** The name under which it was offered. */
  readonly facade: string;
  /** The unfolding tool that it came out of; absent for one that was there from the start. */
  readonly under?: string;
  /** What it was opened with, checked, where the tools depend on it. */
  readonly input?: Json;
  /** The tools that a selector answered. What it answers later is no more than these. */
  readonly names?: readonly string[];
  /** The loop that it belongs to, by the id of the call that opened that one; empty for the turn's own. */
  readonly frame?: string;
  /** The loops that it belongs to, by their path, in the whole session. */
  readonly path?: string;
};

/** The unfolding tools of a loop that are open, in the order in which they were opened. */
export type UnfoldedList = readonly Unfolded[];

/** What a call that opens an unfolding tool records. */
export type UnfoldedFact = Omit<Unfolded, 'call' | 'frame' | 'path'> & { readonly scope?: 'session' };

/** The unfolding tools that are open, as calls record them; what was opened for a loop is forgotten with it. */
export const UNFOLDED: ToolMemory<UnfoldedList, UnfoldedFact> & { readonly apply: typeof applyUnfolded } = {
  name: 'unfolding',
  folding: FOLDING,
  initial: [],
  scope: 'session',
  when: 'batch',
  apply: applyUnfolded,
  observe: forget,
};

function forget(list: UnfoldedList, moment: SessionMoment): UnfoldedList {
  switch (moment.type) {
    case 'turn-ended':
      return kept(list, ({ frame }) => frame === undefined);
    case 'call-ended':
      return kept(list, ({ frame }) => frame !== moment.call);
    default:
      return list;
  }
}

/** The same list when nothing goes: what was made of it is still good. */
function kept(list: UnfoldedList, stays: (unfolded: Unfolded) => boolean): UnfoldedList {
  return list.every(stays) ? list : list.filter(stays);
}

/**
 * An unfolding tool that is open already is opened anew in its place, unless with the same input: then nothing has
 * changed.
 */
function applyUnfolded(list: UnfoldedList, { scope, ...fact }: UnfoldedFact, place: FactPlace): UnfoldedList {
  const where = scope === 'session' ? { path: place.path } : { frame: place.frame };
  const unfolded: Unfolded = { call: place.call, ...fact, ...where };
  const at = list.findIndex((one) => isOfSame(one, unfolded));
  if (at < 0) return [...list, unfolded];
  return sameJson(list[at]?.input, unfolded.input) ? list : list.with(at, unfolded);
}

const isOfSame = (a: Unfolded, b: Unfolded): boolean =>
  a.facade === b.facade && a.under === b.under && a.frame === b.frame && a.path === b.path;

/** Selects those of one loop. */
export const unfoldedIn = (
  list: UnfoldedList,
  { frame, path }: { readonly frame: string; readonly path: string },
): UnfoldedList => list.filter((one) => one.frame === frame || one.path === path);

type ByCategory = Extract<UnfoldsInto, { by: 'category' }>;

/** How an unfolding tool was opened: what its tools are made again of. */
type Opened = Pick<Unfolded, 'call' | 'input' | 'names'>;

/**
 * The tools of an unfolding tool that was opened like this, the same whenever they are asked for. A selector runs once an
 * invocation and call; what it answers is held to the names that the model was told.
 *
 * @throws what the code of the unfolding tool throws; TypeError when that answers something else than tools.
 */
export function innerTools(
  into: UnfoldsInto,
  { call, input = {}, names }: Opened,
  view: LoopView,
): readonly AnyTool[] {
  switch (into.by) {
    case 'all':
      return into.tools;
    case 'moment':
      return checked(into.ask(view));
    case 'category':
      return ofCategory(into, input);
    case 'selection': {
      const made = view.made(`unfolding ${call} ${selector(into).id}`, () =>
        checked(into.select(input, view)),
      );
      const told = names && new Set(names);
      return told ? made.filter(({ name }) => told.has(name)) : made;
    }
  }
}

let selectors = 0;

/** Tells selectors apart: the unfolding tool of a chained object is another one when the object is, and selects for that. */
const selector = memoized((_: UnfoldsInto) => {
  selectors += 1;
  return { id: selectors };
});

/** Returns the tools of a category; an unknown category means every one. */
function ofCategory(into: ByCategory, input: Json): readonly AnyTool[] {
  const category = categoryOf(into, input);
  const known = category === undefined ? undefined : into.tools.get(category);
  return known ?? allOf(into.tools);
}

/** The category that an input names, if there is such a one. */
export function categoryOf({ parameter, tools }: ByCategory, input: Json): string | undefined {
  const category = isJsonObject(input) && Object.hasOwn(input, parameter) ? input[parameter] : undefined;
  return typeof category === 'string' && tools.has(category) ? category : undefined;
}

/** The tools of all categories, each once. */
export const allOf = (tools: ByCategory['tools']): readonly AnyTool[] => [
  ...new Set([...tools.values()].flat()),
];

function checked(tools: readonly AnyTool[]): readonly AnyTool[] {
  if (Array.isArray(tools) && tools.every(isTool)) return tools;
  throw new TypeError('What it unfolds into must be a list of tools.');
}

/** Answers those tools of a list that the unfolding tool of this name brought. */
export const broughtBy = (tools: readonly AnyTool[], unfolding: string): readonly AnyTool[] =>
  tools.filter((tool) => isBroughtBy(tool, unfolding));

/** Tells whether an unfolding tool of this name brought the tool. */
export const isBroughtBy = (tool: AnyTool, unfolding: string): boolean =>
  originOf(tool)?.by.some(({ name }) => name === unfolding) ?? false;

export const isInputSchema = (input: InputSchema<unknown> | JsonSchema): input is InputSchema<unknown> =>
  'parse' in input && typeof input.parse === 'function';

/** Takes any input as none: there is nothing to get wrong in it, so nothing is refused. */
export function readAnything(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok ? parsed.input : {};
}

/** A tool that stands for others, which are offered in its place once it has been called. */
export type UnfoldingTool<Name extends string = string, Input = unknown> = Tool<Name, Input, string> & {
  readonly opens: true;
  readonly [UNFOLDS]: Unfolding;
};

/** What every form of an unfolding tool may say beside its tools. */
export interface UnfoldingOptions {
  /** Modules that tools need which are not known when it is made; those of the others come with them. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Told when it is called, below the names of its tools: as long as it has to be, since nobody else pays for it. */
  readonly childToolUsageNotes?: string | undefined;
  /** From its call on, its tools are all there is until the turn ends; without a guide and a context tool. */
  readonly exclusive?: boolean | undefined;
  /** Offers `{name}_context` too, which tells what its tools are for. */
  readonly contextTool?: boolean | undefined;
  /** How long it stays open: `turn`, until the turn or the nested loop ends, unless given. */
  readonly scope?: UnfoldingScope | undefined;
  /** Accepted and ignored: an unfolding tool is always replaced by its tools and a guide of its name. */
  readonly removeOnInvoke?: boolean | undefined;
}

export interface UnfoldingBase<Name extends string> extends UnfoldingOptions {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** What its tools are for, in a sentence: the model pays for it in every call, open or not. */
  readonly description: string;
  /** For programs that list tools; never sent to a model. Must be JSON. */
  readonly metadata?: JsonObject | undefined;
}
