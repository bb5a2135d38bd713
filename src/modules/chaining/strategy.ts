import { attempt } from '../../tool/async.ts';
import { decorate, mapRoute, wrapAdopt } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { shorten } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { createWithheldResult } from '../../tool/tool-result.ts';
import { collectUses, type OfferSeam } from '../../tool/uses.ts';
import { withDescription, withMetadata, withName } from '../../tool/with.ts';
import { UNFOLDING } from '../unfolding/strategy.ts';
import { findUnfolding } from '../unfolding/unfolding.ts';
import { collectKnownTypes, type KeyedChain, readChaining, type ViewedChain } from './chain.ts';
import type { Chained, ChainedType, TypeWithTools } from './chained.ts';
import {
  BINDING_MEMORY,
  type Binding,
  type Bindings,
  CHAINING_USE,
  getCurrentBindings,
  isSameSlot,
} from './memory.ts';
import { nameFoundTools } from './object-names.ts';
import { rememberArtifact } from './remember-found.ts';

/**
 * Returns the strategy that offers the tools of bound objects. All loops with the same path and `key` share
 * their bound objects.
 *
 * @throws DomainTypeError if the entries cannot be chained together.
 */
export function createChainingStrategy(
  entries: readonly Chained[],
  key: string,
): InjectionStrategy & Pick<OfferSeam, 'declares'> {
  const keyed: KeyedChain = { chain: readChaining(entries), key };
  let unbound: readonly AnyTool[] | undefined;
  const byBindings = new WeakMap<Bindings, Map<string, readonly AnyTool[]>>();
  // Returns the same list for the same objects, because tool definitions are cached per list.
  const getBoundTools = (view: LoopView): readonly AnyTool[] => {
    const bound = getCurrentBindings({ ...keyed, view });
    if (bound.length === 0) {
      unbound ??= createUnboundTools(keyed);
      return unbound;
    }
    const bindings = view.recall(BINDING_MEMORY);
    const byPlace = byBindings.get(bindings) ?? new Map<string, readonly AnyTool[]>();
    byBindings.set(bindings, byPlace);
    const place = `${view.path} ${view.frame}`;
    const made = byPlace.get(place) ?? createBoundTools({ ...keyed, view }, bound);
    byPlace.set(place, made);
    return made;
  };
  return {
    name: 'chaining',
    uses: [...new Set([CHAINING_USE, UNFOLDING, ...collectUses(listNamedTools(keyed.chain))])],
    offer: (tools, view) => appendTools(tools, getBoundTools(view), view),
    declares: () =>
      Array.from(keyed.chain.ones.values(), ({ type }) =>
        getDeclaredTools(type).map(({ name }) => name),
      ).flat(),
    remarkOn: (call, view) => rememberArtifact({ ...keyed, view }, call),
  };
}

/** Returns the tools that all named types declare without an object. */
const listNamedTools = ({ named }: KeyedChain['chain']): readonly AnyTool[] =>
  [...named.values()].flatMap(getDeclaredTools);

function getDeclaredTools({ objects }: Pick<DomainType, 'objects'>): readonly AnyTool[] {
  const declared = attempt(() => objects?.declared ?? []);
  return declared.ok ? declared.value : [];
}

const joinedLists = new WeakMap<readonly AnyTool[], WeakMap<readonly AnyTool[], readonly AnyTool[]>>();

/**
 * Appends the tools of objects to a loop's tools. If a name clashes, offers the loop's own tool and logs a
 * warning.
 */
function appendTools(
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
      log(
        createWarningEntry(
          `the tool '${name}' of a chained object is not offered: another tool has its name`,
        ),
      );
    return isFree;
  });
  const list = [...tools, ...free];
  lists.set(tools, list);
  return list;
}

/** Returns the tools that are offered while no object is bound. */
const createUnboundTools = (keyed: KeyedChain): readonly AnyTool[] =>
  [...keyed.chain.ones.values()].flatMap((chained) => createPlaceholders(keyed, chained));

/** Returns the tools of the bound objects, and placeholders for types without a bound object. */
function createBoundTools(chained: ViewedChain, bound: readonly Binding[]): readonly AnyTool[] {
  const current = [...chained.chain.ones.values()].flatMap((one) => {
    const binding = bound.find(isOne(one.type.name));
    const tools = binding ? createCurrentTools(chained, one.type, binding) : [];
    return tools.length > 0
      ? tools.map((tool) => withNote(one.type.name, tool))
      : createPlaceholders(chained, one);
  });
  const any = bound.find(({ as }) => as === 'any');
  const type = any && findType(chained, any);
  return [
    ...current,
    ...(any && type ? createCurrentTools(chained, type, any) : []),
    ...createFoundTools(chained, bound),
  ];
}

const isOne =
  (type: string) =>
  (one: Binding): boolean =>
    one.as === 'one' && one.type === type;

/**
 * Returns the type of the current object of `chainAny`. Returns `undefined` if the loop no longer chains any
 * type.
 */
function findType({ chain, view }: ViewedChain, { type: name }: Binding): TypeWithTools | undefined {
  const type = chain.any ? collectKnownTypes(chain, view).get(name) : undefined;
  return type?.objects && { ...type, objects: type.objects };
}

function createCurrentTools(chained: ViewedChain, type: TypeWithTools, binding: Binding): readonly AnyTool[] {
  const find = createFinder(chained, { type, ...toOfferedSlot(binding) });
  const id = type.objects.idOf(binding.value);
  const whose = { domainType: type.name, ...(id.ok && { instanceId: id.value }) };
  return getObjectTools(type, binding, chained.view).map((tool) =>
    createBoundTool(withMetadata(tool, whose), find(tool.name)),
  );
}

const createPlaceholders = (keyed: KeyedChain, { type }: ChainedType): readonly AnyTool[] => {
  const find = createFinder(keyed, { type, isSlot: isOne(type.name), offered: undefined });
  return type.objects.declared.map((tool) => createPlaceholder(type.name, tool, find(tool.name)));
};

function createFoundTools(chained: ViewedChain, bound: readonly Binding[]): readonly AnyTool[] {
  const { chain, view } = chained;
  return [...nameFoundTools(chained, bound)].flatMap(([name, { binding, tool: own }]) => {
    const type = chain.many.get(binding.type)?.type;
    const tool = type && getObjectTools(type, binding, view).find((one) => one.name === own);
    if (!type || !tool) return [];
    const find = createFinder(chained, { type, ...toOfferedSlot(binding) });
    return nameTool(createBoundTool(tool, find(own)), name, binding);
  });
}

/** The slot in which a call of an offered tool looks for its object. */
interface OfferedSlot {
  readonly type: TypeWithTools;
  readonly isSlot: (one: Binding) => boolean;
  /** The binding in the slot when the tool was offered. */
  readonly offered: Binding | undefined;
}

const toOfferedSlot = (offered: Binding): Pick<OfferedSlot, 'isSlot' | 'offered'> => ({
  isSlot: (one) => isSameSlot(one, offered),
  offered,
});

/** Finds a tool of the object that is bound to the slot at the time of the call. */
const createFinder =
  ({ key }: KeyedChain, { type, isSlot, offered }: OfferedSlot) =>
  (name: string): ToolFinder =>
  (view) => {
    const binding = getCurrentBindings({ key, view }).findLast(isSlot);
    if (!binding) return undefined;
    const isNewer = binding.call !== offered?.call || binding.at !== offered.at;
    // The slot for any type can hold an object of another type.
    const tools = binding.type === type.name ? getObjectTools(type, binding, view) : [];
    return { isNewer, tool: tools.find((tool) => tool.name === name) };
  };

/**
 * Rebuilds the tools of a bound object from its JSON, once per invocation. Returns an empty list if its type
 * no longer accepts the JSON.
 */
function getObjectTools(
  { objects, name }: TypeWithTools,
  binding: Binding,
  view: LoopView,
): readonly AnyTool[] {
  return view.made(`chaining ${view.path} ${name} ${binding.call} ${binding.at}`, () => {
    const tools = objects.toolsOf(binding.value);
    return tools.ok ? tools.value : [];
  });
}

/** The state of an offered tool when a call of it runs. */
interface CurrentTool {
  /** `true` if the bound object differs from the one when the tool was offered. */
  readonly isNewer: boolean;
  /** The tool of the bound object, or `undefined` if the object has no tool of that name. */
  readonly tool: AnyTool | undefined;
}

/** Finds the tool in the bound objects. Returns `undefined` if no object is bound. */
type ToolFinder = (view: LoopView) => CurrentTool | undefined;

/**
 * Returns an offered tool of a bound object. If an earlier call of the batch with the same `serial` binds
 * another object, the call acts on that object, and so do tools inside an unfolding tool. The call never acts
 * on a replaced object. If the new object does not have the tool, the call is withheld.
 */
const createBoundTool = (tool: AnyTool, find: ToolFinder): AnyTool =>
  decorate(tool, {
    route: mapRoute(tool, (meant, input) =>
      createBoundTool(
        meant,
        findBehind(find, (unfolding) => unfolding.route?.(input)?.tool),
      ),
    ),
    adopt: wrapAdopt(tool, (inner) => createBoundTool(inner, findInner(find, inner.name))),
    async call(input, call) {
      const now = find(call.view);
      const bound = now?.tool ?? (now?.isNewer ? undefined : tool);
      return bound ? bound.call(input, call) : createWithheldResult(REPLACED_OBJECT_MESSAGE);
    },
  });

const REPLACED_OBJECT_MESSAGE =
  'This tool is not available. The object that was retrieved last does not have it.';

/**
 * Returns a placeholder for a tool of a type that has no object yet. It has the real schema, so the model can
 * plan with it.
 */
function createPlaceholder(type: string, tool: AnyTool, find: ToolFinder): AnyTool {
  const missing = `This tool is not yet available. You must first retrieve a single ${type} instance.`;
  return decorate(withNote(type, tool), {
    // A `serial` function would need an object, which does not exist yet.
    serial: typeof tool.serial === 'string' ? tool.serial : undefined,
    adopt: wrapAdopt(tool, (inner) => createPlaceholder(type, inner, findInner(find, inner.name))),
    call: async (input, call) => find(call.view)?.tool?.call(input, call) ?? createWithheldResult(missing),
  });
}

/**
 * Adds a note about the required object to a tool's description. The note remains once the object exists,
 * because newer models verify the descriptions before their earlier replies.
 */
const withNote = (type: string, tool: AnyTool): AnyTool =>
  decorate(tool, {
    description: `${tool.description}\n\nNote: This tool requires a ${type} instance to be retrieved first.`,
  });

/**
 * Finds a tool inside another tool of a newer object. Returns no tool if the object is unchanged since the
 * offer, so the offered tool runs.
 */
const findBehind =
  (find: ToolFinder, behind: (tool: AnyTool) => AnyTool | undefined): ToolFinder =>
  (view) => {
    const now = find(view);
    return now && { ...now, tool: now.isNewer && now.tool ? behind(now.tool) : undefined };
  };

/**
 * Finds a tool inside an unfolding tool. If a function determines the inner tools, they are unknown until it
 * is opened again.
 */
const findInner = (find: ToolFinder, name: string): ToolFinder =>
  findBehind(find, (unfolding) => {
    const by = findUnfolding(unfolding)?.into.by;
    const named =
      by === 'all' || by === 'category' ? unfolding.inner?.filter((one) => one.name === name) : [];
    // Two categories can have a tool with the same name.
    const inner = named?.length === 1 ? named[0] : undefined;
    return inner && (unfolding.adopt?.(inner) ?? inner);
  });

/** Names a tool of one of several objects. Its metadata contains the full id. */
function nameTool(
  tool: AnyTool,
  name: string,
  { type, id }: { readonly type: string; readonly id: string },
): AnyTool {
  const whose = `Note: This tool belongs to the ${type} with the id ${JSON.stringify(shorten(id, 100))}.`;
  const told = withDescription(tool, `${tool.description}\n\n${whose}`);
  return withName(withMetadata(told, { domainType: type, instanceId: id }), name);
}
