import { memoized } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { originOf } from '../../tool/decorate.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { Unfolded, UnfoldsInto } from './unfolding.ts';

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
