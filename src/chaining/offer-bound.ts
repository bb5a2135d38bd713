import type { LoopView } from '../tools/injection.ts';
import type { AnyTool } from '../tools/tool.ts';
import { BINDINGS, type Binding, boundIn, isSameSlot } from './bindings.ts';
import type { ChainedType, TypeWithTools } from './chain-from.ts';
import { foundNames } from './found-names.ts';
import { boundTool, type FindTool, namedTool, objectTools, placeholder } from './object-tools.ts';
import { type Chain, knownTypes } from './read-chaining.ts';

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
