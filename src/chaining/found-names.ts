import type { Binding } from './bindings.ts';
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
 * The names under which the tools of several objects are offered. Where `customer_a_b_x` could be the `x` of `a_b` and the
 * `b_x` of `a`, the object that was found later has the longer name; no name ever changes from one of them to the other.
 */
export function foundNames({ many }: Chain, bound: readonly Binding[]): ReadonlyMap<string, FoundTool> {
  const names = new Map<string, FoundTool>();
  for (const binding of bound) {
    if (binding.as !== 'many') continue;
    const prefix = many.get(binding.type)?.type.objects.prefix;
    if (prefix === undefined) continue;
    for (const tool of binding.tools) {
      const named = { prefix, id: binding.id, tool };
      const name = objectToolName(named);
      const free = names.has(name) ? markedName(named) : name;
      if (!names.has(free)) names.set(free, { binding, tool });
    }
  }
  return names;
}
