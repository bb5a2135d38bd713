import { memoized } from '../../tool/async.ts';
import { sameTools } from '../../tool/decorate.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { unfoldingIn } from '../../tool/unfolding/unfolding.ts';

/**
 * The tools without the unfolding tools that have nothing to bring now: a call of one would come to nothing. One that finds out when
 * it is called what it brings stays, and so does one whose code throws, which a call tells. The same list when none goes,
 * and for the same list without the same ones.
 */
export function withoutEmpty(tools: readonly AnyTool[], view: LoopView): readonly AnyTool[] {
  const known = lists(tools);
  if (known.asked.length === 0) return tools;
  const empty = known.asked.filter((tool) => isEmpty(tool, view));
  if (empty.length === 0) return tools;
  if (!sameTools(known.empty, empty)) {
    known.empty = empty;
    known.offered = tools.filter((tool) => !empty.includes(tool));
  }
  return known.offered;
}

/** Of a list: which of its tools are asked whether they have any, and what was last offered of it. */
interface Known {
  readonly asked: readonly AnyTool[];
  empty: readonly AnyTool[];
  offered: readonly AnyTool[];
}

const lists = memoized(
  (tools: readonly AnyTool[]): Known => ({ asked: tools.filter(mayBeEmpty), empty: [], offered: tools }),
);

/** Tells an unfolding tool whose tools come and go, and one that has nothing but such inside. */
function mayBeEmpty(tool: AnyTool): boolean {
  const unfolding = unfoldingIn(tool);
  if (!unfolding || unfolding.prepare) return false;
  const { into } = unfolding;
  return into.by === 'moment' || (into.by === 'all' && into.tools.every(mayBeEmpty));
}

function isEmpty(tool: AnyTool, view: LoopView): boolean {
  const unfolding = unfoldingIn(tool);
  if (!unfolding || unfolding.prepare) return false;
  const { into } = unfolding;
  if (into.by === 'all') return into.tools.every((one) => isEmpty(one, view));
  if (into.by !== 'moment') return false;
  try {
    // What is further inside is not asked: a tree that is made as it is opened may have no end.
    return into.ask(view).length === 0;
  } catch {
    return false;
  }
}
