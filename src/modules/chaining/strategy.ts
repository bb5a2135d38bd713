import { attempt } from '../../tool/async.ts';
import { adopting, decorate, mapRoute } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { shorten } from '../../tool/json.ts';
import { warning } from '../../tool/log.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { withheld } from '../../tool/tool-result.ts';
import { type OfferSeam, usesOf } from '../../tool/uses.ts';
import { withDescription, withMetadata, withName } from '../../tool/with.ts';
import { UNFOLDING } from '../unfolding/strategy.ts';
import { unfoldingIn } from '../unfolding/unfolding.ts';
import { type KeyedChain, knownTypes, readChaining, type ViewedChain } from './chain.ts';
import type { Chained, ChainedType, TypeWithTools } from './chained.ts';
import { BINDINGS, type Binding, type Bindings, boundNow, CHAINING, isSameSlot } from './memory.ts';
import { foundNames } from './object-names.ts';
import { rememberArtifact } from './remember-found.ts';

/**
 * Returns what offers the tools of bound objects. The same objects are bound for all loops of one path and `key`.
 *
 * @throws DomainTypeError if the entries cannot be chained beside each other.
 */
export function chainingStrategy(
  entries: readonly Chained[],
  key: string,
): InjectionStrategy & Pick<OfferSeam, 'declares'> {
  const keyed: KeyedChain = { chain: readChaining(entries), key };
  let unbound: readonly AnyTool[] | undefined;
  const byBindings = new WeakMap<Bindings, Map<string, readonly AnyTool[]>>();
  // The same list for the same objects: what is made of a list, its definitions for the model, is kept by it.
  const offered = (view: LoopView): readonly AnyTool[] => {
    const bound = boundNow({ ...keyed, view });
    if (bound.length === 0) {
      unbound ??= unboundTools(keyed);
      return unbound;
    }
    const bindings = view.recall(BINDINGS);
    const byPlace = byBindings.get(bindings) ?? new Map<string, readonly AnyTool[]>();
    byBindings.set(bindings, byPlace);
    const place = `${view.path} ${view.frame}`;
    const made = byPlace.get(place) ?? boundTools({ ...keyed, view }, bound);
    byPlace.set(place, made);
    return made;
  };
  return {
    name: 'chaining',
    uses: [...new Set([CHAINING, UNFOLDING, ...usesOf(declaredIn(keyed.chain))])],
    offer: (tools, view) => joined(tools, offered(view), view),
    declares: () =>
      Array.from(keyed.chain.ones.values(), ({ type }) => declaredOf(type).map(({ name }) => name)).flat(),
    remarkOn: (call, view) => rememberArtifact({ ...keyed, view }, call),
  };
}

/** The tools of the objects of all types that are named, as far as they are known before there is an object. */
const declaredIn = ({ named }: KeyedChain['chain']): readonly AnyTool[] =>
  [...named.values()].flatMap(declaredOf);

function declaredOf({ objects }: Pick<DomainType, 'objects'>): readonly AnyTool[] {
  const declared = attempt(() => objects?.declared ?? []);
  return declared.ok ? declared.value : [];
}

const joinedLists = new WeakMap<readonly AnyTool[], WeakMap<readonly AnyTool[], readonly AnyTool[]>>();

/** Lists the tools, and those of objects after them. Of one name the loop's own stays, and whoever wrote both is told. */
function joined(
  tools: readonly AnyTool[],
  added: readonly AnyTool[],
  { log }: Pick<LoopView, 'log'>,
): readonly AnyTool[] {
  if (added.length === 0) return tools;
  const lists = joinedLists.get(added) ?? new WeakMap<readonly AnyTool[], readonly AnyTool[]>();
  joinedLists.set(added, lists);
  const known = lists.get(tools);
  if (known) return known;
  const names = new Set(tools.map(({ name }) => name));
  const free = added.filter(({ name }) => {
    const isFree = !names.has(name);
    names.add(name);
    if (!isFree)
      log(warning(`the tool '${name}' of a chained object is not offered: another tool has its name`));
    return isFree;
  });
  const list = [...tools, ...free];
  lists.set(tools, list);
  return list;
}

/** Lists what is offered as long as nothing is bound. */
const unboundTools = (keyed: KeyedChain): readonly AnyTool[] =>
  [...keyed.chain.ones.values()].flatMap((chained) => placeholders(keyed, chained));

/** Lists what is offered of the objects that are bound, and of types that have none. */
function boundTools(chained: ViewedChain, bound: readonly Binding[]): readonly AnyTool[] {
  const current = [...chained.chain.ones.values()].flatMap((one) => {
    const binding = bound.find(isOne(one.type.name));
    const tools = binding ? currentTools(chained, one.type, binding) : [];
    return tools.length > 0 ? tools.map((tool) => withNote(one.type.name, tool)) : placeholders(chained, one);
  });
  const any = bound.find(({ as }) => as === 'any');
  const type = any && typeIn(chained, any);
  return [
    ...current,
    ...(any && type ? currentTools(chained, type, any) : []),
    ...foundTools(chained, bound),
  ];
}

const isOne =
  (type: string) =>
  (one: Binding): boolean =>
    one.as === 'one' && one.type === type;

/** Finds the type of the current object of any type; a loop that does not chain any type has none any more. */
function typeIn({ chain, view }: ViewedChain, { type: name }: Binding): TypeWithTools | undefined {
  const type = chain.any ? knownTypes(chain, view).get(name) : undefined;
  return type?.objects && { ...type, objects: type.objects };
}

function currentTools(chained: ViewedChain, type: TypeWithTools, binding: Binding): readonly AnyTool[] {
  const find = finder(chained, { type, ...inSlotOf(binding) });
  const id = type.objects.idOf(binding.value);
  const whose = { domainType: type.name, ...(id.ok && { instanceId: id.value }) };
  return objectTools(type, binding, chained.view).map((tool) =>
    boundTool(withMetadata(tool, whose), find(tool.name)),
  );
}

const placeholders = (keyed: KeyedChain, { type }: ChainedType): readonly AnyTool[] => {
  const find = finder(keyed, { type, isSlot: isOne(type.name), offered: undefined });
  return type.objects.declared.map((tool) => placeholder(type.name, tool, find(tool.name)));
};

function foundTools(chained: ViewedChain, bound: readonly Binding[]): readonly AnyTool[] {
  const { chain, view } = chained;
  return [...foundNames(chained, bound)].flatMap(([name, { binding, tool: own }]) => {
    const type = chain.many.get(binding.type)?.type;
    const tool = type && objectTools(type, binding, view).find((one) => one.name === own);
    if (!type || !tool) return [];
    const find = finder(chained, { type, ...inSlotOf(binding) });
    return namedTool(boundTool(tool, find(own)), name, binding);
  });
}

/** Says where a tool that is offered is looked for when it is called. */
interface OfferedSlot {
  readonly type: TypeWithTools;
  readonly isSlot: (one: Binding) => boolean;
  /** What was in the slot when the tool was offered. */
  readonly offered: Binding | undefined;
}

const inSlotOf = (offered: Binding): Pick<OfferedSlot, 'isSlot' | 'offered'> => ({
  isSlot: (one) => isSameSlot(one, offered),
  offered,
});

/** Finds a tool of the object that is in the slot by then. */
const finder =
  ({ key }: KeyedChain, { type, isSlot, offered }: OfferedSlot) =>
  (name: string): FindTool =>
  (view) => {
    const binding = boundNow({ key, view }).findLast(isSlot);
    if (!binding) return undefined;
    const isNewer = binding.call !== offered?.call || binding.at !== offered.at;
    // An object of any type may be in the slot of all types.
    const tools = binding.type === type.name ? objectTools(type, binding, view) : [];
    return { isNewer, tool: tools.find((tool) => tool.name === name) };
  };

/**
 * The tools of a bound object, made again from its JSON; none when its type does not take that any more. Made once an
 * invocation.
 */
function objectTools({ objects, name }: TypeWithTools, binding: Binding, view: LoopView): readonly AnyTool[] {
  return view.made(`chaining ${view.path} ${name} ${binding.call} ${binding.at}`, () => {
    const tools = objects.toolsOf(binding.value);
    return tools.ok ? tools.value : [];
  });
}

/** Says what has become of an offered tool when a call of it runs. */
interface ToolNow {
  /** Whether another object is bound than when the tool was offered. */
  readonly isNewer: boolean;
  /** The tool of the object that is bound; `undefined` when that has none of the name. */
  readonly tool: AnyTool | undefined;
}

/** Finds it in what is bound; `undefined` when nothing is. */
type FindTool = (view: LoopView) => ToolNow | undefined;

/**
 * A tool of a bound object as it is offered. A call that runs after an earlier one of its batch, of the same `serial`,
 * sees the object that that one has bound, and so does what an unfolding tool stands for. It never acts on an object in
 * whose place there is another: what that does not have is withheld.
 */
const boundTool = (tool: AnyTool, find: FindTool): AnyTool =>
  decorate(tool, {
    route: mapRoute(tool, (meant, input) =>
      boundTool(
        meant,
        within(find, (unfolding) => unfolding.route?.(input)?.tool),
      ),
    ),
    adopt: adopting(tool, (inner) => boundTool(inner, innerOf(find, inner.name))),
    async call(input, call) {
      const now = find(call.view);
      const bound = now?.tool ?? (now?.isNewer ? undefined : tool);
      return bound ? bound.call(input, call) : withheld(REPLACED);
    },
  });

const REPLACED = 'This tool is not available. The object that was retrieved last does not have it.';

/** Stands in for a tool of a type that has no object yet, with its real schema, so that the model can plan with it. */
function placeholder(type: string, tool: AnyTool, find: FindTool): AnyTool {
  const missing = `This tool is not yet available. You must first retrieve a single ${type} instance.`;
  return decorate(withNote(type, tool), {
    // A function would ask for an object, and there is none.
    serial: typeof tool.serial === 'string' ? tool.serial : undefined,
    adopt: adopting(tool, (inner) => placeholder(type, inner, innerOf(find, inner.name))),
    call: async (input, call) => find(call.view)?.tool?.call(input, call) ?? withheld(missing),
  });
}

/**
 * Tells what a tool of a type needs; also once it has it, since newer models check the descriptions that stood before their
 * replies.
 */
const withNote = (type: string, tool: AnyTool): AnyTool =>
  decorate(tool, {
    description: `${tool.description}\n\nNote: This tool requires a ${type} instance to be retrieved first.`,
  });

/**
 * Finds a tool behind another one: that of a newer object, by what it says of itself; else the one that was offered
 * stands.
 */
const within =
  (find: FindTool, behind: (tool: AnyTool) => AnyTool | undefined): FindTool =>
  (view) => {
    const now = find(view);
    return now && { ...now, tool: now.isNewer && now.tool ? behind(now.tool) : undefined };
  };

/**
 * Finds a tool inside an unfolding tool. What one has that decides when it is opened cannot be told without opening it
 * again.
 */
const innerOf = (find: FindTool, name: string): FindTool =>
  within(find, (unfolding) => {
    const by = unfoldingIn(unfolding)?.into.by;
    const named =
      by === 'all' || by === 'category' ? unfolding.inner?.filter((one) => one.name === name) : [];
    // Two categories may have a tool of one name.
    const inner = named?.length === 1 ? named[0] : undefined;
    return inner && (unfolding.adopt?.(inner) ?? inner);
  });

/** Names a tool of one of several objects; its metadata has the id in full. */
function namedTool(
  tool: AnyTool,
  name: string,
  { type, id }: { readonly type: string; readonly id: string },
): AnyTool {
  const whose = `Note: This tool belongs to the ${type} with the id ${JSON.stringify(shorten(id, 100))}.`;
  const told = withDescription(tool, `${tool.description}\n\n${whose}`);
  return withName(withMetadata(told, { domainType: type, instanceId: id }), name);
}
