import { saysTrue } from '../../tool/check-definition.ts';
import { DomainTypeError } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import { literals } from '../../tool/literals.ts';
import { mistake } from '../../tool/log.ts';
import { type ModuleUse, useOf } from '../../tool/module-use.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { OFFERS } from '../../tool/uses.ts';
import { type Chain, readChaining, typesFrom } from './chain.ts';
import {
  type AnyChained,
  CHAINS,
  type Chained,
  type ChainedType,
  type DiscoveredType,
  type TypeWithTools,
} from './chained.ts';
import { CHAINING, CHAINING_MODULE, forgetBindings } from './memory.ts';
import { chainingStrategy } from './strategy.ts';

/**
 * Offers the tools of objects once a call has returned one, in the loop that has it in its `use`: of an agent, or of an agentic
 * tool. In `use` of an app it holds in every loop. Without entries it returns the module alone, for `uses` of a domain type whose
 * tools need it.
 *
 * @throws DomainTypeError if a type is chained twice in one way, or two types that are chained have a tool of one name.
 *   TypeError if an entry is none.
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
  if (entries.length === 0) return CHAINING;
  const problem = literals?.chainsProblem(entries, (entry) => CHAINS in entry);
  if (problem !== undefined) throw new TypeError(problem);
  // An app and its agents may each have some.
  made += 1;
  const use = useOf(CHAINING_MODULE, `chained ${made}`);
  OFFERS.give(use, {
    ...chainingStrategy(entries, ''),
    own: 'before',
    under: (key) => chainingStrategy(entries, key),
    forget: forgetBindings,
    refuses: (tools) => nothingToChain(readChaining(entries), tools),
  });
  return use;
}

let made = 0;

/** What is wrong with a type is reported in the loop that looks for it. */
const untold = (): void => {};

/** Returns why a chain of any type finds none, to follow the name of an agent or a tool; `undefined` if it finds one. */
function nothingToChain({ any, named }: Chain, tools: readonly AnyTool[]): string | undefined {
  const types = any ? [...typesFrom([...named.values()], tools, untold).values()] : [];
  return !any || types.some(({ objects }) => objects) ? undefined : literals?.nothingToChain;
}

/**
 * Offers the tools of one object of the type at a time: of the last one that a call returned by itself and that is
 * taken. Until then they are declared, and answer that there is none yet.
 *
 * @throws DomainTypeError when objects of the type have no tools.
 */
export const chainFrom = <Value>(
  type: DomainType<string, Value>,
  options: AcceptOptions<Value> = {},
): ChainedType => ({ [CHAINS]: true, chain: 'one', type: withTools(type), accepts: acceptor(type, options) });

/**
 * Offers the tools of every object of the type that a call has returned, alone or in a list, under names that hold its
 * id: `customer_c123_average_spend`. An object that is returned again takes its own place.
 *
 * @throws DomainTypeError when objects of the type have no tools, or `max` or `maxDepth` is no positive whole number.
 */
export function discover<Value>(
  type: DomainType<string, Value>,
  { max = 64, maxDepth, hint = false, when }: DiscoverOptions<Value> = {},
): DiscoveredType {
  for (const [field, value = 1] of Object.entries({ max, maxDepth })) {
    if (Number.isInteger(value) && value > 0) continue;
    const problem = `is discovered with a ${field} of ${value}: use a positive whole number`;
    throw new DomainTypeError(type.name, field, problem);
  }
  return {
    [CHAINS]: true,
    chain: 'many',
    type: withTools(type),
    max,
    maxDepth: maxDepth ?? Infinity,
    hint,
    accepts: acceptor(type, { when }),
  };
}

/**
 * Offers the tools of the last object that a call returned by itself, whatever its type, in place of those
 * of the object before it. The types are these, those that are chained beside it, those that the loop's own
 * tools declare as their `output`, inner ones too, and those to which tools of such objects lead. An artifact without
 * a type is taken for one of the first type, in this order, whose schema it fits. An agent, or an agentic tool, that cannot know
 * any such type is an error where it is defined, in development. Name the types of tools that come later, as of an MCP server.
 */
export const chainAny = (...types: readonly DomainType[]): AnyChained => ({
  [CHAINS]: true,
  chain: 'any',
  types,
});

/** Which objects of a type are taken. */
export interface AcceptOptions<Value> {
  /**
   * Asked of each object, with the loop as of the start of its batch; all are taken unless given. One that is refused
   * leaves what was there before. An object for which it throws is refused, and the error logged.
   */
  readonly when?: ((value: NoInfer<Value>, view: LoopView) => boolean) | undefined;
}

/** How many objects are known, and what the model is told of them. */
export interface DiscoverOptions<Value> extends AcceptOptions<Value> {
  /** The tools that are offered of all objects of the type, 64 unless given; those of the newest objects are kept. */
  readonly max?: number | undefined;
  /**
   * How many discovered objects may be in a row of which a tool of the one before has returned each: with 1, only what other tools of
   * the loop return brings tools. Defaults to any number. The model is told what is left out.
   */
  readonly maxDepth?: number | undefined;
  /** Says below a result which tools its objects have brought; `false` unless given. */
  readonly hint?: boolean | undefined;
}

/** @throws DomainTypeError when objects of the type have no tools. */
function withTools(type: DomainType): TypeWithTools {
  const { name, objects } = type;
  if (!objects) throw new DomainTypeError(name, 'tools', 'has no tools, so there is nothing to chain');
  return { ...type, objects };
}

/** Makes the predicate of a type, for values as the journal has them. */
function acceptor<Value>(
  { name, parse }: DomainType<string, Value>,
  { when }: AcceptOptions<Value>,
): ChainedType['accepts'] {
  if (!when) return () => true;
  return (value, view) => {
    try {
      const parsed = parse(value);
      return (
        parsed.ok &&
        saysTrue({ whose: `\`when\` of the chained type '${name}'`, log: view.log }, when, parsed.value, view)
      );
    } catch (thrown) {
      view.log(mistake(`whether a '${name}' is chained could not be told, so it is not`, thrown));
      return false;
    }
  };
}
