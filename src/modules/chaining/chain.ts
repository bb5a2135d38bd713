import { type Nested, nestingProblem } from '../../sources/resolution/tool-source.ts';
import { memoized } from '../../tool/async.ts';
import { consoleLog } from '../../tool/console-log.ts';
import { DomainTypeError } from '../../tool/domain-objects.ts';
import { type DomainType, isDomainType } from '../../tool/domain-type.ts';
import { type LogProblem, warning } from '../../tool/log.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { Chained, ChainedType, DiscoveredType } from './chained.ts';

/** Holds what is chained, as it was read once. */
export interface Chain {
  /** Chained types, by name. */
  readonly ones: ReadonlyMap<string, ChainedType>;
  readonly many: ReadonlyMap<string, DiscoveredType>;
  /** Whether objects of types that are neither count. */
  readonly any: boolean;
  /** Types that are named, and those to which their tools lead. */
  readonly named: KnownTypes;
}

/** A chain in the loop of one key. */
export interface KeyedChain {
  readonly chain: Chain;
  readonly key: string;
}

/** The same chain, with one view of its loop. */
export interface ViewedChain extends KeyedChain {
  readonly view: LoopView;
}

/**
 * @throws DomainTypeError when a type is chained twice in one way, or two types that are chained have a tool of one
 *   name.
 */
export const readChaining = memoized(toChain);

function toChain(read: readonly Chained[]): Chain {
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

/** Refuses a name that two types share: it would mean an object of the first, whatever the model has in mind. */
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

/**
 * Lists the types whose objects a loop may be given, in the order in which an artifact without a type is compared with
 * them.
 */
export function knownTypes({ named, any }: Chain, { tools, log }: LoopView): KnownTypes {
  if (!any) return named;
  const { types, problems } = typesOf(tools);
  for (const problem of problems.splice(0)) log(problem);
  return new Map([...named, ...[...types].filter(([name]) => !named.has(name))]);
}

/** Types by their names, which are all that is journaled of them; the first of a name counts. */
export type KnownTypes = ReadonlyMap<string, DomainType>;

/** Finds the types to which tools lead, and what is to be told of them once; it works them out once a list. */
const typesOf = memoized((tools: readonly AnyTool[]) => {
  const problems: LogProblem[] = [];
  const types = typesFrom([], tools, (problem) => problems.push(problem));
  return { types, problems };
});

/**
 * These types, those that the tools declare to return, and those that tools of such objects declare, in the order in
 * which they are met. What a tool holds inside counts: its artifact may become that of the tool.
 */
export function typesFrom(
  types: readonly DomainType[],
  tools: readonly AnyTool[],
  tell: (problem: LogProblem) => void = consoleLog(),
): KnownTypes {
  const found = new Map<string, DomainType>();
  const seen = new Set<AnyTool>();
  const queue = tools.map((tool): Met => ({ tool, path: [] }));
  const meet = (type: DomainType, path: readonly Nested[]): void => {
    const nested = { of: type, name: type.name };
    if (found.has(type.name)) return;
    const problem = nestingProblem(path, nested);
    if (problem !== undefined) {
      tell(warning(problem));
      return;
    }
    found.set(type.name, type);
    queue.push(...declaredBy(type, tell).map((tool) => ({ tool, path: [...path, nested] })));
  };
  for (const type of types) meet(type, []);
  // The queue grows while it is walked.
  for (const { tool, path } of queue) {
    if (seen.has(tool)) continue;
    seen.add(tool);
    queue.push(...(tool.inner ?? []).map((inner) => ({ tool: inner, path })));
    if (tool.output && isDomainType(tool.output)) meet(tool.output, path);
  }
  return found;
}

/** A tool, and the types through which it was met. */
interface Met {
  readonly tool: AnyTool;
  readonly path: readonly Nested[];
}

/**
 * Lists the tools of a type. Offering must not throw: a type whose tools cannot be declared is reported, and leads
 * nowhere.
 */
function declaredBy({ name, objects }: DomainType, tell: (problem: LogProblem) => void): readonly AnyTool[] {
  try {
    return objects?.declared ?? [];
  } catch (failure) {
    tell(warning(`objects of '${name}' lead to no others`, failure));
    return [];
  }
}
