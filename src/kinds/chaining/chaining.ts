import type { DomainType } from '../../tool/domain-type.ts';
import { DomainTypeError } from '../../tool/domain-type-error.ts';
import type { InjectionStrategy, LoopView } from '../../tool/injection.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { memoized } from '../../tool/until-aborted.ts';
import { type ChainedType, chainFrom, type DiscoveredType } from './define-chaining.ts';
import { BINDINGS, type Bindings } from './memory.ts';
import { type KnownTypes, typesFrom, typesOf } from './object-tools.ts';
import { rememberArtifact } from './remember-found.ts';
import { boundNow, boundTools, type KeyedChain, unboundTools } from './strategy.ts';

/** Which artifacts bring tools with them. */
export type Chaining = 'any' | readonly Chained[];

/** A domain type is chained as `chainFrom` does it, and `'any'` is `chainAny()`. */
export type Chained = DomainType | ChainedType | DiscoveredType | AnyChained | 'any';

/**
 * What offers the tools of bound objects, for an agent's own loop or a frame's `sources`; the same objects are bound for
 * all that ask under one path and `key`.
 *
 * @throws DomainTypeError when this cannot be chained.
 */
export const chainingSources = (chaining: Chaining | undefined, key = ''): readonly InjectionStrategy[] =>
  chaining === undefined ? [] : [chainingStrategy({ chain: readChaining(chaining), key })];

function chainingStrategy(keyed: KeyedChain): InjectionStrategy {
  let unbound: readonly AnyTool[] | undefined;
  const byBindings = new WeakMap<Bindings, Map<string, readonly AnyTool[]>>();
  // The same list for the same objects: what is made of a list, its definitions for the model, is kept by it.
  const offered = (view: LoopView): readonly AnyTool[] => {
    const bound = boundNow(keyed, view);
    if (bound.length === 0) {
      unbound ??= unboundTools(keyed);
      return unbound;
    }
    const bindings = view.recall(BINDINGS);
    const byPlace = byBindings.get(bindings) ?? new Map<string, readonly AnyTool[]>();
    byBindings.set(bindings, byPlace);
    const place = `${view.path} ${view.frame}`;
    const made = byPlace.get(place) ?? boundTools(keyed, bound, view);
    byPlace.set(place, made);
    return made;
  };
  return {
    name: 'chaining',
    offer: (tools, view) => joined(tools, offered(view)),
    remarkOn: (call, view) => rememberArtifact(keyed, call, view),
  };
}

const joinedLists = new WeakMap<readonly AnyTool[], WeakMap<readonly AnyTool[], readonly AnyTool[]>>();

/** The tools, and those of objects after them. Of one name the loop's own stays, and whoever wrote both is told. */
function joined(tools: readonly AnyTool[], added: readonly AnyTool[]): readonly AnyTool[] {
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
      console.warn(
        `holdfast: the tool '${name}' of a chained object is not offered: another tool has its name`,
      );
    return isFree;
  });
  const list = [...tools, ...free];
  lists.set(tools, list);
  return list;
}

/** Any object of a type that has tools. */
export interface AnyChained {
  readonly chain: 'any';
  readonly types: readonly DomainType[];
}

/**
 * As `'any'`: offers the tools of the last object that a call returned by itself, whatever its type, in place of those
 * of the object before it (CHN-09). The types are these, those that are chained beside it, those that the loop's own
 * tools declare as their `output`, inner ones too, and those to which tools of such objects lead. An artifact without
 * a type is taken for one of the first type, in this order, whose schema it fits.
 */
export const chainAny = (...types: readonly DomainType[]): AnyChained => ({ chain: 'any', types });

/** What is chained, read once. */
export interface Chain {
  /** By the names of their types. */
  readonly ones: ReadonlyMap<string, ChainedType>;
  readonly many: ReadonlyMap<string, DiscoveredType>;
  /** Whether objects of types that are neither count. */
  readonly any: boolean;
  /** Types that are named, and those to which their tools lead. */
  readonly named: KnownTypes;
}

const ANY: readonly Chained[] = ['any'];

/** @throws DomainTypeError when a type is chained twice in one way, or two types that are chained have a tool of one name. */
const readChaining = (chaining: Chaining): Chain => chainOf(chaining === 'any' ? ANY : chaining);

const chainOf = memoized(toChain);

/** The types whose objects a loop may be given, in the order in which an artifact without a type is compared with them. */
export function knownTypes({ named, any }: Chain, { tools }: LoopView): KnownTypes {
  if (!any) return named;
  return new Map([...named, ...[...typesOf(tools)].filter(([name]) => !named.has(name))]);
}

function toChain(entries: readonly Chained[]): Chain {
  const read = entries.map((entry) => {
    if (entry === 'any') return { chain: 'any', types: [] } as const;
    return 'chain' in entry ? entry : chainFrom(entry);
  });
  const ones = byType(read.flatMap((one) => (one.chain === 'one' ? one : [])));
  const many = byType(read.flatMap((one) => (one.chain === 'many' ? one : [])));
  const anys = read.flatMap((one) => (one.chain === 'any' ? one : []));
  checkNames([...ones.values()]);
  for (const { type } of many.values()) type.objects.declared; // Throws here, and not when the first is found.
  const types = [
    ...[...ones.values(), ...many.values()].map(({ type }) => type),
    ...anys.flatMap((one) => one.types),
  ];
  return {
    ones,
    many,
    any: anys.length > 0,
    named: typesFrom(types, []),
  };
}

function byType<One extends ChainedType | DiscoveredType>(chained: readonly One[]): ReadonlyMap<string, One> {
  const found = new Map<string, One>();
  for (const one of chained) {
    const { name } = one.type;
    if (found.has(name)) throw new DomainTypeError(name, 'chaining', 'is chained twice in the same way');
    found.set(name, one);
  }
  return found;
}

/** A name that two types share would mean an object of the first, whatever the model has in mind. */
function checkNames(chained: readonly ChainedType[]): void {
  const owners = new Map<string, string>();
  for (const { type } of chained) {
    for (const { name } of type.objects.declared) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        const problem = `has a tool '${name}', as has '${owner}', which is chained beside it: give them two names`;
        throw new DomainTypeError(type.name, 'tools', problem);
      }
      owners.set(name, type.name);
    }
  }
}
