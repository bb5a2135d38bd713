import type { AnyTool } from '../tools/tool.ts';
import type { Binding } from './bindings.ts';
import type { DiscoveredType } from './discover.ts';
import { markedName, objectToolName } from './object-tool-name.ts';
import type { Chain } from './read-chaining.ts';

/** One of several objects. */
export type FoundBinding = Extract<Binding, { readonly as: 'many' }>;

/** A tool of one of them, by the name that it has in the type's own declaration. */
export interface FoundTool {
  readonly binding: FoundBinding;
  readonly tool: string;
}

/**
 * The names under which the tools of several objects are offered. A name never stands now for one object's tool and now for
 * another's: should two have one in spite of their marks, neither is offered.
 */
export function foundNames({ many }: Chain, bound: readonly Binding[]): ReadonlyMap<string, FoundTool> {
  const names = new Map<string, FoundTool>();
  const clashing = new Set<string>();
  for (const binding of bound) {
    const discovered = binding.as === 'many' ? many.get(binding.type) : undefined;
    if (binding.as !== 'many' || !discovered) continue;
    for (const tool of binding.tools) {
      const name = foundName(many, discovered, { id: binding.id, tool });
      if (names.has(name)) clashing.add(name);
      names.set(name, { binding, tool });
    }
  }
  for (const name of clashing) {
    console.warn(`holdfast: the tool '${name}' is not offered: two objects that were discovered have it`);
    names.delete(name);
  }
  return names;
}

/** A tool of an object. */
interface Own {
  readonly id: string;
  readonly tool: string;
}

/**
 * Its name, which depends on nothing but the declared types and the object's id. Where `customer_a_b_x` could be the `x` of `a_b`
 * and the `b_x` of `a`, both end in a mark, whether the other one is there or not; and so does the name of a tool that its
 * type does not declare for all objects.
 */
export function foundName(many: Chain['many'], { type }: DiscoveredType, own: Own): string {
  const { prefix } = type.objects;
  const all = [...many.values()];
  const sharesPrefix = all.some((one) => one.type.name !== type.name && one.type.objects.prefix === prefix);
  const named = { prefix, ...own, ...(sharesPrefix && { type: type.name }) };
  const name = objectToolName(named);
  const readings = all.flatMap((one) => one.type.objects.declared.filter((tool) => reads(name, one, tool)));
  const isDeclared = type.objects.declared.some((tool) => tool.name === own.tool);
  return isDeclared && readings.length === 1 ? name : markedName(named);
}

/** Whether this could be a name of this tool, for some id. */
const reads = (name: string, { type }: DiscoveredType, { name: tool }: AnyTool): boolean => {
  const [start, end] = [`${type.objects.prefix}_`, `_${tool}`];
  return name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length;
};
