import { hash32 } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { Chain, ViewedChain } from './chain.ts';
import type { DiscoveredType } from './chained.ts';
import type { Binding } from './memory.ts';

/**
 * Returns the names under which the tools of several objects are offered. A name never refers to different
 * objects over time. Omits both of two tools that have the same name despite their marks.
 */
export function nameFoundTools(
  { chain: { many }, view }: Pick<ViewedChain, 'chain' | 'view'>,
  bound: readonly Binding[],
): ReadonlyMap<string, FoundTool> {
  const names = new Map<string, FoundTool>();
  const clashing = new Set<string>();
  for (const binding of bound) {
    const discovered = binding.as === 'many' ? many.get(binding.type) : undefined;
    if (binding.as !== 'many' || !discovered) continue;
    for (const tool of binding.tools) {
      const name = nameFoundTool(many, discovered, { id: binding.id, tool });
      if (names.has(name)) clashing.add(name);
      names.set(name, { binding, tool });
    }
  }
  for (const name of clashing) {
    view.log(createWarningEntry(`the tool '${name}' is not offered: two discovered objects have it`));
    names.delete(name);
  }
  return names;
}

/** A binding of one of several objects. */
type FoundBinding = Extract<Binding, { readonly as: 'many' }>;

/** A tool of such an object, identified by its name in the type's declaration. */
interface FoundTool {
  readonly binding: FoundBinding;
  readonly tool: string;
}

interface ObjectTool {
  readonly id: string;
  readonly tool: string;
}

/**
 * Returns the name of an object's tool. It depends only on the declared types and the object's id. If
 * `customer_a_b_x` could mean both the `x` of `a_b` and the `b_x` of `a`, both names end in a mark, even if
 * only one of these objects exists. A tool that its type declares only for some objects also has a mark.
 */
export function nameFoundTool(many: Chain['many'], { type }: DiscoveredType, own: ObjectTool): string {
  const { prefix } = type.objects;
  const all = [...many.values()];
  const sharesPrefix = all.some((one) => one.type.name !== type.name && one.type.objects.prefix === prefix);
  const named = { prefix, ...own, ...(sharesPrefix && { type: type.name }) };
  const name = toObjectToolName(named);
  const readings = all.flatMap((one) =>
    one.type.objects.declared.filter((tool) => canBeNameOf(name, one, tool)),
  );
  const isDeclared = type.objects.declared.some((tool) => tool.name === own.tool);
  return isDeclared && readings.length === 1 ? name : toMarkedName(named);
}

/** Returns `true` if this can be a name of this tool for some id. */
const canBeNameOf = (name: string, { type }: DiscoveredType, { name: tool }: AnyTool): boolean => {
  const [start, end] = [`${type.objects.prefix}_`, `_${tool}`];
  return name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length;
};

/**
 * Returns `{prefix}_{id}_{tool}` in a form that every provider accepts. Invalid characters are removed from
 * the id, and long names are shortened. A name that lost characters ends in a mark of the whole id, which
 * keeps names of different ids distinct.
 */
export function toObjectToolName(named: NameParts): string {
  const { prefix, id, tool } = named;
  const clean = id.replaceAll(INVALID_NAME_CHARACTERS, '');
  const name = `${prefix}_${clean}_${tool}`;
  return clean === id && name.length <= MAX_NAME_LENGTH ? name : toMarkedName(named);
}

interface NameParts {
  readonly prefix: string;
  readonly id: string;
  readonly tool: string;
  /** The domain type, if several types share the prefix. */
  readonly type?: string;
}

/** Returns a name with a mark, because another object's tool can have the plain name. */
export function toMarkedName({ prefix, id, tool, type }: NameParts): string {
  const whole = type === undefined ? [prefix, id, tool] : [prefix, id, tool, type];
  const mark = `_${hash32(JSON.stringify(whole)).toString(36)}`;
  const most = MAX_NAME_LENGTH - mark.length;
  // The tool's own name is more informative than the end of a long id.
  const room = Math.max(most - tool.length - 1, prefix.length + 1);
  const object = `${prefix}_${id.replaceAll(INVALID_NAME_CHARACTERS, '')}`.slice(0, room);
  return `${object}_${tool}`.slice(0, most) + mark;
}

const MAX_NAME_LENGTH = 64;

/** Matches characters that a name cannot contain. */
const INVALID_NAME_CHARACTERS = /[^A-Za-z0-9_-]/g;
