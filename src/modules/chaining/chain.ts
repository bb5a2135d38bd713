import { findNestingProblem, type NestedSource } from '../../sources/resolution/tool-source.ts';
import { memoize } from '../../tool/async.ts';
import { createConsoleLog } from '../../tool/console-log.ts';
import { DomainTypeError } from '../../tool/domain-objects.ts';
import { type DomainType, isDomainType } from '../../tool/domain-type.ts';
import { createWarningEntry, type LogProblem } from '../../tool/log.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { Chained, ChainedType, DiscoveredType } from './chained.ts';

export interface Chain {
  /** The types of `chainFrom`, by name. */
  readonly ones: ReadonlyMap<string, ChainedType>;
  readonly many: ReadonlyMap<string, DiscoveredType>;
  /** `true` if objects of other types count too. */
  readonly any: boolean;
  /** The named types, and the types that their tools return. */
  readonly named: KnownTypes;
}

/** A chain in a loop with a key. */
export interface KeyedChain {
  readonly chain: Chain;
  readonly key: string;
}

/** A chain with a view of its loop. */
export interface ViewedChain extends KeyedChain {
  readonly view: LoopView;
}

/**
 * Parses the entries of `chaining`.
 *
 * @throws DomainTypeError if a type appears twice in entries of the same kind, or if two chained types have a
 * tool with the same name.
 */
export const readChaining = memoize(toChain);

function toChain(read: readonly Chained[]): Chain {
  const ones = toTypeMap(read.flatMap((one) => (one.chain === 'one' ? one : [])));
  const many = toTypeMap(read.flatMap((one) => (one.chain === 'many' ? one : [])));
  const anys = read.flatMap((one) => (one.chain === 'any' ? one : []));
  assertDistinctNames([...ones.values()]);
  for (const { type } of many.values()) type.objects.declared; // throws now rather than when the first object is found
  const types = [
    ...[...ones.values(), ...many.values()].map(({ type }) => type),
    ...anys.flatMap((one) => one.types),
  ];
  return {
    ones,
    many,
    any: anys.length > 0,
    named: collectTypes(types, []),
  };
}

function toTypeMap<One extends ChainedType | DiscoveredType>(
  chained: readonly One[],
): ReadonlyMap<string, One> {
  const found = new Map<string, One>();
  for (const one of chained) {
    const { name } = one.type;
    if (found.has(name)) throw new DomainTypeError(name, 'chaining', 'is chained twice in the same way');
    found.set(name, one);
  }
  return found;
}

/**
 * Rejects a tool name that two types share. Otherwise a call would always act on an object of the first type.
 */
function assertDistinctNames(chained: readonly ChainedType[]): void {
  const owners = new Map<string, string>();
  for (const { type } of chained) {
    for (const { name } of type.objects.declared) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        const problem = `has a tool '${name}', and so does '${owner}', which is chained with it. Use different names`;
        throw new DomainTypeError(type.name, 'tools', problem);
      }
      owners.set(name, type.name);
    }
  }
}

/**
 * Returns the types whose objects a loop can receive. An artifact without a type is compared with them in
 * this order.
 */
export function collectKnownTypes({ named, any }: Chain, { tools, log }: LoopView): KnownTypes {
  if (!any) return named;
  const { types, problems } = findToolTypes(tools);
  for (const problem of problems.splice(0)) log(problem);
  return new Map([...named, ...[...types].filter(([name]) => !named.has(name))]);
}

/** Types by name. The journal holds only the name. If two types share one, the first counts. */
export type KnownTypes = ReadonlyMap<string, DomainType>;

/** Finds the types that are reachable through tools, and the problems to log once. Computed once per list. */
const findToolTypes = memoize((tools: readonly AnyTool[]) => {
  const problems: LogProblem[] = [];
  const types = collectTypes([], tools, (problem) => problems.push(problem));
  return { types, problems };
});

/**
 * Returns these types, the output types of the tools, and the types that tools of their objects return, in
 * the order found. Inner tools are included, because a tool can return their artifacts as its own.
 */
export function collectTypes(
  types: readonly DomainType[],
  tools: readonly AnyTool[],
  tell: (problem: LogProblem) => void = createConsoleLog(),
): KnownTypes {
  const found = new Map<string, DomainType>();
  const seen = new Set<AnyTool>();
  const queue = tools.map((tool): VisitedTool => ({ tool, path: [] }));
  const addType = (type: DomainType, path: readonly NestedSource[]): void => {
    const nested = { of: type, name: type.name };
    if (found.has(type.name)) return;
    const problem = findNestingProblem(path, nested);
    if (problem !== undefined) {
      tell(createWarningEntry(problem));
      return;
    }
    found.set(type.name, type);
    queue.push(...getDeclaredTools(type, tell).map((tool) => ({ tool, path: [...path, nested] })));
  };
  for (const type of types) addType(type, []);
  // The queue grows during this loop.
  for (const { tool, path } of queue) {
    if (seen.has(tool)) continue;
    seen.add(tool);
    queue.push(...(tool.inner ?? []).map((inner) => ({ tool: inner, path })));
    if (tool.output && isDomainType(tool.output)) addType(tool.output, path);
  }
  return found;
}

interface VisitedTool {
  readonly tool: AnyTool;
  readonly path: readonly NestedSource[];
}

/**
 * Returns the tools of a type. Offering must not throw, so a type whose tools cannot be declared is logged
 * and returns no tools.
 */
function getDeclaredTools(
  { name, objects }: DomainType,
  tell: (problem: LogProblem) => void,
): readonly AnyTool[] {
  try {
    return objects?.declared ?? [];
  } catch (failure) {
    tell(
      createWarningEntry(`the tools of '${name}' objects cannot be made, so they are not offered`, failure),
    );
    return [];
  }
}
