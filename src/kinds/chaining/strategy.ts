import type { LoopView } from '../../tool/injection.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type Chain, knownTypes } from './chaining.ts';
import type { ChainedType, DiscoveredType, TypeWithTools } from './define-chaining.ts';
import { BINDINGS, type Binding, boundIn, isSameSlot } from './memory.ts';
import {
  boundTool,
  type FindTool,
  markedName,
  namedTool,
  objectToolName,
  objectTools,
  placeholder,
} from './object-tools.ts';

/** A chain in the loop of one key. */
export interface KeyedChain {
  readonly chain: Chain;
  readonly key: string;
}

/** What a loop has been given, as far as this view goes. */
export const boundNow = ({ key }: KeyedChain, view: LoopView): readonly Binding[] =>
  boundIn(view.recall(BINDINGS), { path: view.path, frame: view.frame, key });

/** What is offered as long as nothing is bound. */
export const unboundTools = (keyed: KeyedChain): readonly AnyTool[] =>
  [...keyed.chain.ones.values()].flatMap((chained) => placeholders(keyed, chained));

/** What is offered of the objects that are bound, and of types that have none. */
export function boundTools(keyed: KeyedChain, bound: readonly Binding[], view: LoopView): readonly AnyTool[] {
  const current = [...keyed.chain.ones.values()].flatMap((chained) => {
    const tools = currentTools(keyed, chained.type, bound.find(isOne(chained.type.name)), view);
    return tools.length > 0 ? tools : placeholders(keyed, chained);
  });
  const any = bound.find(({ as }) => as === 'any');
  const type = any && typeIn(keyed, any, view);
  return [
    ...current,
    ...(type ? currentTools(keyed, type, any, view) : []),
    ...foundTools(keyed, bound, view),
  ];
}

const isOne =
  (type: string) =>
  (one: Binding): boolean =>
    one.as === 'one' && one.type === type;

/** The type of what is bound as the current object of any type; a loop without `any` has none of them any more. */
function typeIn({ chain }: KeyedChain, { type: name }: Binding, view: LoopView): TypeWithTools | undefined {
  const type = chain.any ? knownTypes(chain, view).get(name) : undefined;
  return type?.objects && { ...type, objects: type.objects };
}

function currentTools(
  keyed: KeyedChain,
  type: TypeWithTools,
  binding: Binding | undefined,
  view: LoopView,
): readonly AnyTool[] {
  if (!binding) return [];
  const find = finder(keyed, type, (one) => isSameSlot(one, binding), binding);
  return objectTools(type, binding, view).map((tool) => boundTool(tool, find(tool.name)));
}

const placeholders = (keyed: KeyedChain, { type }: ChainedType): readonly AnyTool[] => {
  const find = finder(keyed, type, isOne(type.name));
  return type.objects.declared.map((tool) => placeholder(type.name, tool, find(tool.name)));
};

function foundTools(keyed: KeyedChain, bound: readonly Binding[], view: LoopView): readonly AnyTool[] {
  return [...foundNames(keyed.chain, bound)].flatMap(([name, { binding, tool: own }]) => {
    const type = keyed.chain.many.get(binding.type)?.type;
    const tool = type && objectTools(type, binding, view).find((one) => one.name === own);
    if (!type || !tool) return [];
    const find = finder(keyed, type, (one) => isSameSlot(one, binding), binding);
    return namedTool(boundTool(tool, find(own)), name, binding);
  });
}

/** Finds a tool of the object that is in a slot by then; `offered` is the one that was in it. */
const finder =
  (keyed: KeyedChain, type: TypeWithTools, isSlot: (one: Binding) => boolean, offered?: Binding) =>
  (name: string): FindTool =>
  (view) => {
    const binding = boundNow(keyed, view).findLast(isSlot);
    if (!binding) return undefined;
    const isNewer = binding.call !== offered?.call || binding.at !== offered.at;
    // Any type may be in the slot of all types.
    const tools = binding.type === type.name ? objectTools(type, binding, view) : [];
    return { isNewer, tool: tools.find((tool) => tool.name === name) };
  };

/** One of several objects. */
type FoundBinding = Extract<Binding, { readonly as: 'many' }>;

/** A tool of one of them, by the name that it has in the type's own declaration. */
interface FoundTool {
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
