import { decorate } from '../tools/decorate.ts';
import { withName } from '../tools/decorators/with-name.ts';
import { originOf, withOrigin } from '../tools/facades/brought.ts';
import type { AnyTool } from '../tools/tool.ts';
import { freeName } from './free-name.ts';

/**
 * The siblings, and beside them the tools of a facade. A sibling keeps its name: an inner tool of the same name is called
 * after the facade too (UNF-31). A tool that is there already is not offered twice.
 */
export function placeInnerTools(
  siblings: readonly AnyTool[],
  facade: AnyTool,
  inner: readonly AnyTool[],
): readonly AnyTool[] {
  const offered = [...siblings];
  const taken = new Set(siblings.map(({ name }) => name));
  const places = new Map(siblings.map((tool, place) => [originOf(tool)?.inner ?? tool, place]));
  for (const tool of inner) {
    const place = facade.adopt ? undefined : places.get(tool);
    const there = place === undefined ? undefined : offered[place];
    if (place !== undefined && there) {
      offered[place] = alsoBroughtBy(facade, there);
      continue;
    }
    const adopted = adoptedBy(facade, tool);
    const name = freeName(facade.name, adopted.name, taken);
    const named = name === adopted.name ? adopted : withName(adopted, name);
    const origin = { by: [facade], wasThere: false, inner: tool, name: adopted.name };
    taken.add(name);
    places.set(tool, offered.push(withOrigin(named, origin)) - 1);
  }
  return offered;
}

function alsoBroughtBy(facade: AnyTool, tool: AnyTool): AnyTool {
  const { name } = tool;
  const origin = originOf(tool) ?? { by: [], wasThere: true, inner: tool, name };
  return withOrigin(tool, { ...origin, by: [...origin.by, facade] });
}

/** What guards a facade guards the tools inside, and those further inside unless it has its own way with them (UNF-28). */
function adoptedBy({ adopt }: AnyTool, tool: AnyTool): AnyTool {
  if (!adopt) return tool;
  const adopted = adopt(tool);
  return adopted.adopt ? adopted : decorate(adopted, { adopt });
}
