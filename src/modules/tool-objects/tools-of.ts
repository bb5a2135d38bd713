import { canNest, type NestedSource } from '../../sources/resolution/tool-source.ts';
import { attempt } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { warnDeveloper, writeDebug } from '../../tool/console-log.ts';
import { listDistinctTools } from '../../tool/decorate.ts';
import { getClass, getPrototypeChain } from '../../tool/object-class.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { withName } from '../../tool/with.ts';
import { toUnfolding } from '../unfolding/to-unfolding.ts';
import type { AnyUnfoldingTool, UnfoldingOptions, UnfoldingTool } from '../unfolding/unfolding.ts';
import { withInnerTools } from '../unfolding/with-unfolding.ts';
import type { ObjectOrMistake, PlainTools, ToolOfPlain } from './tool-entry.ts';
import { getDeclaredTools, ToolObjectError, toToolObject } from './tool-object.ts';

/** Options that select and rename the tools of an object. */
export interface ToolsOfOptions {
  /** Returns a new name for a tool. The prefix is added afterwards. */
  readonly naming?: ((name: string) => string) | undefined;
  /** The prefix of every name. */
  readonly prefix?: string | undefined;
  /** Selects tools by their own names, before they are renamed. */
  readonly filter?: ((name: string) => boolean) | undefined;
}

/**
 * Returns the tools of an object, sorted by name: the methods that the static `tools` of its class or a
 * superclass describes (see `ToolTable`). For a class, returns its static methods. Each call looks up the
 * method on the object and calls it there, so that proxies, `#private` members and `this` work as usual.
 * Numbers and booleans in quotes are accepted (`withCoercion`). Returns a tool unchanged. If several tools
 * have the same name, returns the first. If the class also has a static `unfolding`, returns one unfolding
 * tool with the tools inside (see `unfoldingOf`).
 *
 * @throws ToolObjectError if the object has no such table or is a list, or a name in the table is not a
 * method.
 * @throws ToolDefinitionError if a tool is invalid.
 *
 * @example
 * ```ts
 * const tools = toolsOf(new Invoices(), { prefix: 'invoices_' });
 * ```
 */
export function toolsOf<const Inputs, const Tools extends object>(
  tools: PlainTools<Inputs, Tools>,
): readonly ToolOfPlain<Inputs, Tools>[];
export function toolsOf<const Inputs, const Tools extends object>(
  tools: PlainTools<Inputs, Tools>,
  options: ToolsOfOptions | undefined,
): readonly AnyTool[];
export function toolsOf<Source extends object>(
  object: Source & ObjectOrMistake<Source>,
  options?: ToolsOfOptions,
): readonly AnyTool[];
export function toolsOf(object: object, options: ToolsOfOptions = {}): readonly AnyTool[] {
  const { naming = (name) => name, prefix = '', filter = () => true } = options;
  const named = createOwnTools(object)
    .filter(({ name }) => filter(name))
    .map((tool) => {
      const name = prefix + naming(tool.name);
      return name === tool.name ? tool : withName(tool, name);
    });
  return listDistinctTools(named);
}

function createOwnTools(object: object): readonly AnyTool[] {
  if (isTool(object)) return [object];
  return hasDeclaredUnfolding(object) ? [unfoldingOf(object)] : getDeclaredTools(object);
}

/**
 * Returns the tools of several objects in one list, sorted by name. Tools among the objects are included
 * unchanged. If several tools have the same name, returns the first.
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const tools = toolsOfAll([new Invoices(), findOrder]);
 * ```
 */
export const toolsOfAll = (objects: Iterable<object>, options?: ToolsOfOptions): readonly AnyTool[] =>
  listDistinctTools([...objects].flatMap((object) => toolsOf(object, options)));

/**
 * Works like `toolsOf` for objects that may have no tools. If `toolsOf` throws, returns an empty list and
 * logs the reason at debug level.
 */
export function toolsOfSafely(object: unknown, options?: ToolsOfOptions): readonly AnyTool[] {
  try {
    return toolsOf(Object(object), options);
  } catch (reason) {
    writeDebug('no tools of an object', reason);
    return [];
  }
}

/**
 * Returns whether `toolsOf` would look for tools in a value: a tool, or an object or class that has a static
 * `tools` or `unfolding`. Also returns `true` for an invalid table, so that `toolsOf` can report the mistake.
 * Never throws or logs.
 */
export function hasTools(object: unknown): boolean {
  const found = attempt(() => hasDeclaredTools(Object(object)));
  return found.ok && found.value;
}

const hasDeclaredTools = (object: object): boolean =>
  isTool(object) ||
  hasDeclaredUnfolding(object) ||
  (!(Symbol.iterator in object) && toToolObject(object).table.size > 0);

/**
 * The static `unfolding` of a class, whose tools are then inside one unfolding tool:
 * `static readonly unfolding = { ... } satisfies UnfoldingDeclaration`.
 */
export interface UnfoldingDeclaration extends UnfoldingOptions {
  /** The name of the unfolding tool: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** The purpose of its tools, in a sentence. */
  readonly description: string;
  /**
   * The name of the input property for the category, if the tools have categories. Defaults to `category`.
   */
  readonly categoryParameter?: string | undefined;
}

/** Returns whether the class of an object declares an unfolding tool. */
const hasDeclaredUnfolding = (object: object): boolean => findDeclaration(getClass(object)) !== undefined;

/**
 * Creates an unfolding tool from the tools of an object, as the static `unfolding` of its class or the
 * options declare it. Tools with a category are offered by category. Other tools are offered with every
 * category and with `all`. Static members that are such classes are instantiated without arguments and are
 * included, up to 16 levels deep. A class that cannot be instantiated is omitted with a warning.
 *
 * @throws ToolObjectError if neither the class nor the options have a name and a description, or the object
 * has no tools.
 * @throws ToolDefinitionError if a tool is invalid.
 *
 * @example
 * ```ts
 * const invoices = unfoldingOf(new Invoices(), { name: 'invoices', description: 'Invoices.' });
 * ```
 */
export const unfoldingOf = (object: object, options: Partial<UnfoldingDeclaration> = {}): UnfoldingTool =>
  createUnfolding(object, options, []);

/** Creates the unfolding tool of an object that is nested at a path. */
function createUnfolding(
  object: object,
  options: Partial<UnfoldingDeclaration>,
  path: readonly NestedSource[],
): UnfoldingTool {
  const owner = getClass(object);
  const source = toToolObject(object);
  const { name, description, categoryParameter, ...more } = { ...findDeclaration(owner), ...options };
  if (typeof name !== 'string' || typeof description !== 'string') {
    const problem =
      `Class ${source.name} has no name and description for its unfolding tool. ` +
      "Give it a static 'unfolding' with a name and a description, or give both to unfoldingOf.";
    throw new ToolObjectError(source.name, problem);
  }
  const nested = findNestedUnfoldings(owner, [...path, { of: owner, name: source.name }]);
  if (source.table.size === 0 && nested.length === 0) {
    const problem =
      `Class ${source.name} has no tools to unfold. ` +
      "Give it a static 'tools' table, or a static member that is a class with a static 'unfolding'.";
    throw new ToolObjectError(source.name, problem);
  }
  const tools = [...(source.table.size > 0 ? getDeclaredTools(object) : []), ...nested];
  const byCategory = groupByCategory(tools);
  const config = { ...more, name, description };
  return toUnfolding(byCategory ? { ...config, byCategory, categoryParameter } : { ...config, tools });
}

/** Groups tools by category, or returns `undefined` if no tool has a category. */
function groupByCategory(tools: readonly AnyTool[]): Record<string, readonly AnyTool[]> | undefined {
  const everywhere = tools.filter((tool) => findCategory(tool) === undefined);
  const names = [...new Set(tools.flatMap((tool) => findCategory(tool) ?? []))];
  const categories = names.map((category) => {
    const own = tools.filter((tool) => findCategory(tool) === category);
    return [category, [...own, ...everywhere]] as const;
  });
  if (categories.length === 0) return undefined;
  return Object.fromEntries(everywhere.length > 0 ? [...categories, ['all', tools]] : categories);
}

const findCategory = ({ metadata: { category } }: AnyTool): string | undefined =>
  typeof category === 'string' && category !== '' ? category : undefined;

/** Returns the unfolding tools of the static members of a class or its superclasses. */
function findNestedUnfoldings(owner: object, path: readonly NestedSource[]): AnyUnfoldingTool[] {
  const members = getPrototypeChain(owner).flatMap((one) => Object.values(one));
  return [...new Set(members)].flatMap((member) => {
    if (typeof member !== 'function' || !findDeclaration(member)) return [];
    if (!canNest(path, { of: member, name: member.name })) return [];
    try {
      return [createUnfolding(Reflect.construct(member, []), {}, path)];
    } catch (reason) {
      warnDeveloper(`the inner class ${member.name} is left out, since it cannot be constructed`, reason);
      return [];
    }
  });
}

function findDeclaration(owner: object): Partial<UnfoldingDeclaration> | undefined {
  const declared: unknown = Reflect.get(owner, 'unfolding');
  return typeof declared === 'object' && declared !== null ? declared : undefined;
}

/**
 * Works like `unfoldingOf` for objects that may have no unfolding tool. If `unfoldingOf` throws, returns
 * `undefined` and logs the reason at debug level.
 */
export function unfoldingOfSafely(
  object: unknown,
  options?: Partial<UnfoldingDeclaration>,
): UnfoldingTool | undefined {
  try {
    return unfoldingOf(Object(object), options);
  } catch (reason) {
    writeDebug('no unfolding tool of an object', reason);
    return undefined;
  }
}

/**
 * Adds the tools of an object to an unfolding tool, like `withInnerTools`. An object that declares an
 * unfolding tool adds that unfolding tool.
 *
 * @throws ToolObjectError as `toolsOf` does.
 * @throws ToolDefinitionError as `withInnerTools` does.
 *
 * @example
 * ```ts
 * const more = withInnerToolObject(orders, new Invoices());
 * ```
 */
export const withInnerToolObject = <T extends AnyTool>(
  unfolding: T,
  object: object,
  options?: ToolsOfOptions,
): T => withInnerTools(unfolding, ...toolsOf(object, options));
