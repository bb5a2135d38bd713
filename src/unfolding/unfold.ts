import { broughtBy, isBroughtBy, originOf } from '../tools/facades/brought.ts';
import { type Facade, facadeIn } from '../tools/facades/facade.ts';
import type { Opening, Openings } from '../tools/facades/openings.ts';
import type { AnyTool } from '../tools/tool.ts';
import { freeName } from './free-name.ts';
import { contextTool, guideTo } from './guide.ts';
import { placeInnerTools } from './place-inner-tools.ts';

/** The tools of a facade that was opened; `undefined` when they cannot be made. */
export type Inside = (facade: Facade, opening: Opening) => readonly AnyTool[] | undefined;

/**
 * What is offered once these facades are open: each is replaced by the tools inside it, and by a guide under its name
 * (UNF-10). In the order of the openings, but one that waits for another's tools is looked at again after that. One
 * whose facade is not there changes nothing. Pure, but for `inside`.
 */
export function unfold(tools: readonly AnyTool[], openings: Openings, inside: Inside): readonly AnyTool[] {
  let offered = tools;
  let left = openings;
  for (;;) {
    const closed: Opening[] = [];
    for (const opening of left) {
      const next = open(offered, opening, inside);
      if (next) offered = next;
      else closed.push(opening);
    }
    if (closed.length === left.length) return offered;
    left = closed;
  }
}

function open(offered: readonly AnyTool[], opening: Opening, inside: Inside): readonly AnyTool[] | undefined {
  const at = offered.findIndex((tool) => tool.name === opening.facade && isUnder(tool, opening.under));
  const tool = offered[at];
  const facade = tool && facadeIn(tool);
  const inner = facade && inside(facade, opening);
  if (!inner) return undefined;
  if (facade.exclusive) return placeInnerTools([], tool, inner);
  const unfolded = placeInnerTools(offered.with(at, guideTo(tool, facade)), tool, inner);
  return facade.contextTool ? [...unfolded, contextOf(tool, facade, unfolded)] : unfolded;
}

/** Facades of one name may come from several places; what was opened is one of them. */
function isUnder(tool: AnyTool, facade: string | undefined): boolean {
  if (facade !== undefined) return isBroughtBy(tool, facade);
  const origin = originOf(tool);
  return origin === undefined || origin.wasThere;
}

function contextOf(tool: AnyTool, { notes }: Facade, offered: readonly AnyTool[]): AnyTool {
  const taken = new Set(offered.map((one) => one.name));
  const name = freeName(tool.name, `${tool.name}_context`, taken);
  return contextTool({ name, facade: tool, notes, tools: broughtBy(offered, tool.name) });
}
