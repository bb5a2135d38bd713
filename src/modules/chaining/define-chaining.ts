import { isExactlyTrue } from '../../tool/check-definition.ts';
import { DomainTypeError } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { literals } from '../../tool/literals.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { OFFERS } from '../../tool/uses.ts';
import { type Chain, collectTypes, readChaining } from './chain.ts';
import {
  type AnyChained,
  CHAIN_BRAND,
  type Chained,
  type ChainedType,
  type DiscoveredType,
  type TypeWithTools,
} from './chained.ts';
import { CHAINING_MODULE, CHAINING_USE, createForgetFact } from './memory.ts';
import { createChainingStrategy } from './strategy.ts';

/**
 * Offers the tools of objects after a call has returned them. In the `use` of an agent or an agentic tool, it
 * applies to the loop of that agent or tool. In the `use` of an app, it applies to every loop. Without
 * entries, it returns only the module, for the `uses` of a domain type whose tools need it.
 *
 * @throws DomainTypeError if a type is chained twice in the same way, or if two chained types have a tool
 * with the same name.
 * @throws TypeError if an entry is invalid.
 *
 * @example
 * ```ts
 * const desk = defineAgent({
 *   name: 'desk',
 *   description: 'Answers questions about orders.',
 *   instructions: 'Find the order first.',
 *   tools: [findOrder],
 *   use: [chaining([chainAny()])],
 * });
 * ```
 */
export function chaining(entries: readonly Chained[] = []): ModuleUse {
  if (entries.length === 0) return CHAINING_USE;
  const problem = literals?.chainsProblem(entries, (entry) => CHAIN_BRAND in entry);
  if (problem !== undefined) throw new TypeError(problem);
  // An app and its agents can each have their own entries, so each use gets a separate key.
  useCount += 1;
  const use = createUse(CHAINING_MODULE, `chained ${useCount}`);
  OFFERS.give(use, {
    ...createChainingStrategy(entries, ''),
    own: 'before',
    under: (key) => createChainingStrategy(entries, key),
    forget: createForgetFact,
    refuses: (tools) => findEmptyChainProblem(readChaining(entries), tools),
  });
  return use;
}

let useCount = 0;

/** Ignores problems of a type. The loop that searches for the type reports them. */
const ignoreProblem = (): void => {};

/**
 * Returns the problem if `chainAny` finds no type with tools, as text that follows the name of an agent or a
 * tool. Returns `undefined` if there is such a type.
 */
function findEmptyChainProblem({ any, named }: Chain, tools: readonly AnyTool[]): string | undefined {
  const types = any ? [...collectTypes([...named.values()], tools, ignoreProblem).values()] : [];
  return !any || types.some(({ objects }) => objects) ? undefined : literals?.nothingToChain;
}

/**
 * Offers the tools of one object of the type at a time: the last accepted object that a call returned on its
 * own. Before that, its tools are offered as placeholders that report that no object has been retrieved.
 *
 * @throws DomainTypeError if objects of the type have no tools.
 *
 * @example
 * ```ts
 * const use = [chaining([chainFrom(Customer, { when: ({ city }) => city === 'Bern' })])];
 * ```
 */
export const chainFrom = <Value>(
  type: DomainType<string, Value>,
  options: AcceptOptions<Value> = {},
): ChainedType => ({
  [CHAIN_BRAND]: true,
  chain: 'one',
  type: withDomainObjects(type),
  accepts: createAcceptor(type, options),
});

/**
 * Offers the tools of every object of the type that a call has returned, on its own or in a list. Their names
 * contain the object's id: `customer_c123_average_spend`. If an object is returned again, it replaces its
 * earlier version.
 *
 * @throws DomainTypeError if objects of the type have no tools, or if `max` or `maxDepth` is not a positive
 * whole number.
 *
 * @example
 * ```ts
 * const use = [chaining([discover(Customer, { max: 32, hint: true })])];
 * ```
 */
export function discover<Value>(
  type: DomainType<string, Value>,
  { max = 64, maxDepth, hint = false, when }: DiscoverOptions<Value> = {},
): DiscoveredType {
  for (const [field, value = 1] of Object.entries({ max, maxDepth })) {
    if (Number.isInteger(value) && value > 0) continue;
    const problem = `is discovered with a ${field} of ${value}. Use a positive whole number`;
    throw new DomainTypeError(type.name, field, problem);
  }
  return {
    [CHAIN_BRAND]: true,
    chain: 'many',
    type: withDomainObjects(type),
    max,
    maxDepth: maxDepth ?? Infinity,
    hint,
    accepts: createAcceptor(type, { when }),
  };
}

/**
 * Offers the tools of the last object that a call returned on its own, of any type, in place of the object
 * before it. The types are those passed here, those in other entries of `chaining`, the `output` types of the
 * loop's own tools, including inner tools, and the types that tools of such objects return. An artifact
 * without a type counts as the first type, in this order, whose schema it matches. In development, defining
 * an agent or an agentic tool throws if it cannot know any such type. Pass the types of tools that are added
 * later, for example those of an MCP server.
 *
 * @example
 * ```ts
 * const use = [chaining([chainAny(Customer)])];
 * ```
 */
export const chainAny = (...types: readonly DomainType[]): AnyChained => ({
  [CHAIN_BRAND]: true,
  chain: 'any',
  types,
});

/** Options that decide which objects of a type are accepted. */
export interface AcceptOptions<Value> {
  /**
   * Returns `true` to accept an object. It receives the loop's view at the start of the batch. By default,
   * all objects are accepted. A rejected object does not replace the current one. If the function throws, the
   * object is rejected and the error is logged.
   */
  readonly when?: ((value: NoInfer<Value>, view: LoopView) => boolean) | undefined;
}

/** Options for the number of known objects, and for hints to the model. */
export interface DiscoverOptions<Value> extends AcceptOptions<Value> {
  /**
   * The maximum number of tools that are offered for all objects of the type together. Defaults to 64. The
   * tools of the newest objects are offered.
   */
  readonly max?: number | undefined;
  /**
   * The maximum length of a chain of objects in which a tool of each object returned the next. With 1, only
   * objects that other tools of the loop return offer tools. Defaults to unlimited. The model sees which
   * tools are omitted.
   */
  readonly maxDepth?: number | undefined;
  /** `true` to list, below a result, the tools that its objects add. Defaults to `false`. */
  readonly hint?: boolean | undefined;
}

/** Narrows a type to one with tools. @throws DomainTypeError if its objects have no tools. */
function withDomainObjects(type: DomainType): TypeWithTools {
  const { name, objects } = type;
  if (!objects) throw new DomainTypeError(name, 'tools', 'has no tools, so there is nothing to chain');
  return { ...type, objects };
}

/** Returns the predicate of a type, for values from the journal. */
function createAcceptor<Value>(
  { name, parse }: DomainType<string, Value>,
  { when }: AcceptOptions<Value>,
): ChainedType['accepts'] {
  if (!when) return () => true;
  return (value, view) => {
    try {
      const parsed = parse(value);
      return (
        parsed.ok &&
        isExactlyTrue(
          { whose: `\`when\` of the chained type '${name}'`, log: view.log },
          when,
          parsed.value,
          view,
        )
      );
    } catch (thrown) {
      view.log(createErrorEntry(`whether a '${name}' is chained could not be decided, so it is not`, thrown));
      return false;
    }
  };
}
