import { memoize } from '../../tool/async.ts';
import { checkNaming } from '../../tool/check-definition.ts';
import { decorate, getOrigin, hasSameTools, renameTool, withOrigin, wrapAdopt } from '../../tool/decorate.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { OFFERS } from '../../tool/uses.ts';
import { createContextTool, createGuide, findFreeName } from './call-unfolding.ts';
import {
  createInnerTools,
  findUnfolding,
  isBroughtBy,
  listToolsBroughtBy,
  listUnfolded,
  UNFOLDED_MEMORY,
  type UnfoldedEntry,
  type UnfoldedList,
  type Unfolding,
} from './unfolding.ts';

/** Replaces open unfolding tools with their inner tools. Applies to every loop. */
export const unfoldingStrategy: InjectionStrategy = {
  name: 'unfolding',
  offer: (tools, view) => withoutEmpty(withOpen(tools, view), view),
  mayBecome(tool) {
    const unfolding = findUnfolding(tool);
    return unfolding ? [createGuide(tool, unfolding)] : [];
  },
};

/**
 * Returns the tools, including those inside open unfolding tools. Does not change an unfolding tool that is
 * already open in this list, so that a strategy that adds tools after unfolding can call this again.
 */
export function withOpen(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[] {
  const all = view.recall(UNFOLDED_MEMORY);
  const list = listUnfolded(all, view);
  if (list.length === 0) return tools;
  const known = offers.get(all) ?? [];
  const former = known.find((one) => isStillValid(one, tools, view));
  if (former) return former.offered;
  const asked: MomentAnswer[] = [];
  const offered = unfold(tools, list, (unfolding, unfolded) => {
    const answer = readInnerTools(unfolding, unfolded, view);
    if (unfolding.into.by === 'moment') asked.push({ unfolding, unfolded, answer });
    return answer;
  });
  const { turn, frame } = view;
  offers.set(all, [{ turn, frame, tools, asked, offered }, ...known].slice(0, MAX_KEPT_OFFERS));
  return offered;
}

/** The module of unfolding tools: it stores which are open, and offers their inner tools. */
export const UNFOLDING = createUse(createModule({ name: 'unfolding', state: [UNFOLDED_MEMORY] }));
OFFERS.give(UNFOLDING, unfoldingStrategy);

/** The offered tools, and all inputs that they depend on except the memory of open unfolding tools. */
interface OfferRecord {
  readonly turn: string;
  readonly frame: string;
  readonly tools: readonly AnyTool[];
  readonly asked: readonly MomentAnswer[];
  readonly offered: readonly AnyTool[];
}

/** The tools of an unfolding tool whose function runs at every offer. */
interface MomentAnswer {
  readonly unfolding: Unfolding;
  readonly unfolded: UnfoldedEntry;
  readonly answer: readonly AnyTool[] | undefined;
}

/**
 * Offers by memory. With the same memory, the list of tools stays the same object, so the loop does not
 * process it again.
 */
const offers = new WeakMap<UnfoldedList, readonly OfferRecord[]>();

/**
 * The maximum number of offers to cache, since loops and strategies that add unfolding tools have their own
 * lists.
 */
const MAX_KEPT_OFFERS = 16;

const isStillValid = (
  { turn, frame, tools: former, asked }: OfferRecord,
  tools: readonly AnyTool[],
  view: LoopView,
): boolean =>
  turn === view.turn &&
  frame === view.frame &&
  hasSameTools(former, tools) &&
  asked.every(({ unfolding, unfolded, answer }) =>
    hasSameTools(readInnerTools(unfolding, unfolded, view) ?? [], answer ?? []),
  );

/**
 * Returns the inner tools. Returns `undefined` if they cannot be created again, because the code has changed
 * since the call. The unfolding tool then stays closed.
 */
function readInnerTools(
  unfolding: Unfolding,
  unfolded: UnfoldedEntry,
  view: LoopView,
): readonly AnyTool[] | undefined {
  try {
    const tools = createInnerTools(unfolding.into, unfolded, view);
    return tools.length > 0 || unfolding.into.by === 'moment' ? tools : undefined;
  } catch (thrown) {
    const message = `the unfolding tool '${unfolded.facade}' stays closed: its tools could not be made`;
    view.log(createErrorEntry(message, thrown));
    return undefined;
  }
}

/** Returns the tools of an opened unfolding tool, or `undefined` if they cannot be created. */
type InnerToolsReader = (unfolding: Unfolding, unfolded: UnfoldedEntry) => readonly AnyTool[] | undefined;

/**
 * Returns the offered tools when these unfolding tools are open. Replaces each with its inner tools and a
 * guide with its name. They open in the order of their calls, but an inner unfolding tool waits until the
 * outer one has opened. Skips entries whose unfolding tool is missing. Pure, except for `readInnerTools`.
 */
function unfold(tools: readonly AnyTool[], list: UnfoldedList, inside: InnerToolsReader): readonly AnyTool[] {
  let offered = tools;
  let left = list;
  for (;;) {
    const closed: UnfoldedEntry[] = [];
    for (const unfolded of left) {
      const next = openOne(offered, unfolded, inside);
      if (next) offered = next;
      else closed.push(unfolded);
    }
    if (closed.length === left.length) return offered;
    left = closed;
  }
}

function openOne(
  offered: readonly AnyTool[],
  unfolded: UnfoldedEntry,
  inside: InnerToolsReader,
): readonly AnyTool[] | undefined {
  const at = offered.findIndex((tool) => tool.name === unfolded.facade && isUnder(tool, unfolded.under));
  const tool: GuideTool | undefined = offered[at];
  const { [OPENED]: before = [] } = tool ?? {};
  const unfolding = tool && !before.includes(unfolded) ? findUnfolding(tool) : undefined;
  const inner = unfolding && inside(unfolding, unfolded);
  if (!tool || !unfolding || !inner) return undefined;
  if (unfolding.exclusive) return placeInnerTools([], tool, inner);
  const guide: GuideTool = { ...createGuide(tool, unfolding), [OPENED]: [...before, unfolded] };
  const placed = placeInnerTools(offered.with(at, guide), tool, inner);
  return unfolding.contextTool ? [...placed, createOfferedContextTool(tool, unfolding, placed)] : placed;
}

/** Marks a guide with the entry that opened it. Copies of a guide have the same mark. */
const OPENED: unique symbol = Symbol('holdfast.opened');

type GuideTool = AnyTool & { readonly [OPENED]?: readonly UnfoldedEntry[] };

/**
 * Returns whether a tool is the opened unfolding tool, since several places can have unfolding tools with one
 * name.
 */
function isUnder(tool: AnyTool, unfolding: string | undefined): boolean {
  if (unfolding !== undefined) return isBroughtBy(tool, unfolding);
  const origin = getOrigin(tool);
  return origin === undefined || origin.wasThere;
}

function createOfferedContextTool(tool: AnyTool, { notes }: Unfolding, offered: readonly AnyTool[]): AnyTool {
  const taken = new Set(offered.map((one) => one.name));
  const name = findFreeName(tool.name, `${tool.name}_context`, taken);
  return createContextTool({ name, unfolding: tool, notes, tools: listToolsBroughtBy(offered, tool.name) });
}

/**
 * Returns the siblings and the tools of an unfolding tool. A sibling keeps its name. An inner tool with the
 * same name gets a name that begins with that of the unfolding tool. A tool that is already in the list is
 * not offered twice.
 */
export function placeInnerTools(
  siblings: readonly AnyTool[],
  unfolding: AnyTool,
  inner: readonly AnyTool[],
): readonly AnyTool[] {
  const offered = [...siblings];
  const taken = new Set(siblings.map(({ name }) => name));
  const places = new Map(siblings.map((tool, place) => [getOrigin(tool)?.inner ?? tool, place]));
  for (const tool of inner) {
    const place = unfolding.adopt ? undefined : places.get(tool);
    const there = place === undefined ? undefined : offered[place];
    if (place !== undefined && there) {
      offered[place] = withBringer(unfolding, there);
      continue;
    }
    const adopted = adoptTool(unfolding, tool);
    const name = findFreeName(unfolding.name, adopted.name, taken);
    if (name !== adopted.name) checkNaming(name, adopted.description);
    const named = name === adopted.name ? adopted : renameTool(adopted, name);
    const origin = { by: [unfolding], wasThere: false, inner: tool, name: adopted.name };
    taken.add(name);
    places.set(tool, offered.push(withOrigin(named, origin)) - 1);
  }
  return offered;
}

function withBringer(unfolding: AnyTool, tool: AnyTool): AnyTool {
  const { name } = tool;
  const origin = getOrigin(tool) ?? { by: [], wasThere: true, inner: tool, name };
  return withOrigin(tool, { ...origin, by: [...origin.by, unfolding] });
}

/**
 * Returns an inner tool with the guard of its unfolding tool. The guard also applies to deeper tools, unless
 * it handles them itself. An inner unfolding tool's own guard runs in addition, after it.
 */
function adoptTool({ adopt }: AnyTool, tool: AnyTool): AnyTool {
  if (!adopt) return tool;
  // Removes the tool's own `adopt` first, so that any new `adopt` comes from the outer guard.
  const adopted = adopt(tool.adopt ? decorate(tool, { adopt: undefined }) : tool);
  if (adopted.adopt && !tool.adopt) return adopted;
  const further = adopted.adopt?.bind(adopted) ?? adopt;
  return decorate(adopted, { adopt: wrapAdopt(tool, further) });
}

/**
 * Removes unfolding tools that currently have no tools, since a call could not open them. Keeps an unfolding
 * tool with `prepare` until the session knows its data, and an unfolding tool whose function throws, so that
 * a call reports the error. Returns the same list if nothing changes.
 */
function withoutEmpty(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[] {
  const known = getListFacts(tools);
  if (known.asked.length === 0) return tools;
  const empty = known.asked.filter((tool) => isEmpty(tool, view));
  if (empty.length === 0) return tools;
  if (!hasSameTools(known.empty, empty)) {
    known.empty = empty;
    known.offered = tools.filter((tool) => !empty.includes(tool));
  }
  return known.offered;
}

/** Cached data about a list: the tools to check for emptiness, and the last offer. */
interface ListFacts {
  readonly asked: readonly AnyTool[];
  empty: readonly AnyTool[];
  offered: readonly AnyTool[];
}

const getListFacts = memoize(
  (tools: readonly AnyTool[]): ListFacts => ({ asked: tools.filter(canBeEmpty), empty: [], offered: tools }),
);

/**
 * Returns whether the inner tools of an unfolding tool can change, or are all unfolding tools that can be
 * empty.
 */
function canBeEmpty(tool: AnyTool): boolean {
  const unfolding = findUnfolding(tool);
  if (!unfolding || (unfolding.prepare && !unfolding.isKnown)) return false;
  const { into } = unfolding;
  return into.by === 'moment' || (into.by === 'all' && into.tools.every(canBeEmpty));
}

function isEmpty(tool: AnyTool, view: LoopView): boolean {
  const unfolding = findUnfolding(tool);
  if (!unfolding || (unfolding.prepare && !unfolding.isKnown?.(view))) return false;
  const { into } = unfolding;
  if (into.by === 'all') return into.tools.every((one) => isEmpty(one, view));
  if (into.by !== 'moment') return false;
  try {
    // Tools further inside are not checked, since a tree that is created as it is opened may be endless.
    return into.ask(view).length === 0;
  } catch {
    return false;
  }
}
