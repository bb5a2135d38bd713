import { DomainTypeError } from '../tools/domain-type-error.ts';
import type { LoopView } from '../tools/injection.ts';
import { memoized } from '../tools/memoized.ts';
import { type ChainedType, chainFrom } from './chain-from.ts';
import type { Chained, Chaining } from './chaining.ts';
import type { DiscoveredType } from './discover.ts';
import { type KnownTypes, typesFrom, typesOf } from './known-types.ts';

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
export const readChaining = (chaining: Chaining): Chain => chainOf(chaining === 'any' ? ANY : chaining);

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
