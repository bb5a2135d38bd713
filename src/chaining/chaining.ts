import type { DomainType } from '../tools/domain-type.ts';
import type { InjectionStrategy, LoopView } from '../tools/injection.ts';
import type { AnyTool } from '../tools/tool.ts';
import { BINDINGS, type Bindings } from './bindings.ts';
import type { AnyChained } from './chain-any.ts';
import type { ChainedType } from './chain-from.ts';
import type { DiscoveredType } from './discover.ts';
import { noteArtifact } from './note-artifact.ts';
import { boundNow, boundTools, type KeyedChain, unboundTools } from './offer-bound.ts';
import { readChaining } from './read-chaining.ts';

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
    note: (call, view) => noteArtifact(keyed, call, view),
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
