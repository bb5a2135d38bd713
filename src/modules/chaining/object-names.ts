import { hash32 } from '../../tool/json.ts';
import { warning } from '../../tool/log.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { Chain, ViewedChain } from './chain.ts';
import type { DiscoveredType } from './chained.ts';
import type { Binding } from './memory.ts';

/**
 * The names under which the tools of several objects are offered. A name never stands now for one object's tool and now for
 * another's: should two have one in spite of their marks, neither is offered.
 */
export function foundNames(
  { chain: { many }, view }: Pick<ViewedChain, 'chain' | 'view'>,
  bound: readonly Binding[],
): ReadonlyMap<string, FoundTool> {
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
    view.log(warning(`the tool '${name}' is not offered: two objects that were discovered have it`));
    names.delete(name);
  }
  return names;
}

/** One of several objects. */
type FoundBinding = Extract<Binding, { readonly as: 'many' }>;

/** A tool of one of them, by the name that it has in the type's own declaration. */
interface FoundTool {
  readonly binding: FoundBinding;
  readonly tool: string;
}

/** A tool of an object. */
interface Own {
  readonly id: string;
  readonly tool: string;
}

/**
 * Its name, which depends on nothing but the declared types and the object's id. Where `customer_a_b_x` could be the
 * `x` of `a_b` and the `b_x` of `a`, both end in a mark, whether the other one is there or not; and so does the name of
 * a tool that its type does not declare for all objects.
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

/**
 * `{prefix}_{id}_{tool}`, as every provider takes it: what no name may hold is dropped from the id, and it is cut to fit.
 * A name that lost something by that ends in a mark of the whole id, so that two ids keep two names.
 */
export function objectToolName(named: Named): string {
  const { prefix, id, tool } = named;
  const clean = id.replaceAll(UNNAMEABLE, '');
  const name = `${prefix}_${clean}_${tool}`;
  return clean === id && name.length <= MAX_NAME ? name : markedName(named);
}

/** Says whose tool a name stands for. */
interface Named {
  readonly prefix: string;
  readonly id: string;
  readonly tool: string;
  /** The domain type, where the prefix does not tell it. */
  readonly type?: string;
}

/** Makes a name that has its mark in any case, since another object's tool could have it otherwise. */
export function markedName({ prefix, id, tool, type }: Named): string {
  const whole = type === undefined ? [prefix, id, tool] : [prefix, id, tool, type];
  const mark = `_${hash32(JSON.stringify(whole)).toString(36)}`;
  const most = MAX_NAME - mark.length;
  // The tool's own name tells more than the end of a long id does.
  const room = Math.max(most - tool.length - 1, prefix.length + 1);
  const object = `${prefix}_${id.replaceAll(UNNAMEABLE, '')}`.slice(0, room);
  return `${object}_${tool}`.slice(0, most) + mark;
}

const MAX_NAME = 64;

/** Matches what a name may not hold. */
const UNNAMEABLE = /[^A-Za-z0-9_-]/g;
