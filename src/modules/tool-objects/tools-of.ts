import { mayNest, type Nested } from '../../sources/resolution/tool-source.ts';
import { attempt } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { warnDeveloper, writeDebug } from '../../tool/console-log.ts';
import { distinctTools } from '../../tool/decorate.ts';
import { chainOf, ownerOf } from '../../tool/object-class.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { withName } from '../../tool/with.ts';
import { toUnfolding } from '../unfolding/to-unfolding.ts';
import type { AnyUnfoldingTool, UnfoldingOptions, UnfoldingTool } from '../unfolding/unfolding.ts';
import { withInnerTools } from '../unfolding/with-unfolding.ts';
import type { ObjectOrMistake, PlainTools, ToolOfPlain } from './tool-entry.ts';
import { declaredTools, ToolObjectError, toToolObject } from './tool-object.ts';

/** Which tools of an object are taken, and under which names. */
export interface ToolsOfOptions {
  /** Makes a tool's name of its own; the prefix is put before that. */
  readonly naming?: ((name: string) => string) | undefined;
  /** Put before every name. */
  readonly prefix?: string | undefined;
  /** Decides by the tool's own name, before it is renamed. */
  readonly filter?: ((name: string) => boolean) | undefined;
}

/**
 * The tools of an object, sorted by name: its methods that the static `tools` of its class describes, or of the classes
 * that this extends; see `ToolTable`. A class has its static methods as tools. Each call looks the method up on the
 * object and calls it there, so that proxies, `#private` members and `this` work as elsewhere. Numbers and booleans in
 * quotes are understood (`withCoercion`). A tool passes through. Of several tools that come to one name, the first stays.
 * Where the class has a static `unfolding` too, they are behind that one tool; see `unfoldingOf`.
 *
 * @throws ToolObjectError when there is no such table, for a list, and for a name in it that is no method;
 *   ToolDefinitionError when one of the tools cannot work.
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
  const named = ownTools(object)
    .filter(({ name }) => filter(name))
    .map((tool) => {
      const name = prefix + naming(tool.name);
      return name === tool.name ? tool : withName(tool, name);
    });
  return distinctTools(named);
}

function ownTools(object: object): readonly AnyTool[] {
  if (isTool(object)) return [object];
  return declaresUnfolding(object) ? [unfoldingOf(object)] : declaredTools(object);
}

/**
 * The tools of several objects in one list, sorted by name; tools among them pass through. Of several tools that come
 * to one name, the first stays.
 *
 * @throws ToolObjectError and ToolDefinitionError as `toolsOf`.
 */
export const toolsOfAll = (objects: Iterable<object>, options?: ToolsOfOptions): readonly AnyTool[] =>
  distinctTools([...objects].flatMap((object) => toolsOf(object, options)));

/**
 * `toolsOf` for objects that may have no tools: where that throws, whatever the reason, there are none, and one debug
 * line says why.
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
 * Tells whether `toolsOf` would look for tools in something: it is a tool, or its class, or an object itself, says by a static
 * `tools` or `unfolding` what it has. A table that is wrong counts too, so that `toolsOf` can say what is wrong with it. Never
 * throws, and logs nothing.
 */
export function hasTools(object: unknown): boolean {
  const found = attempt(() => declaresTools(Object(object)));
  return found.ok && found.value;
}

const declaresTools = (object: object): boolean =>
  isTool(object) ||
  declaresUnfolding(object) ||
  (!(Symbol.iterator in object) && toToolObject(object).table.size > 0);

/**
 * The static `unfolding` of a class whose tools are offered behind one: `static readonly unfolding = { ... } satisfies
 * UnfoldingDeclaration`.
 */
export interface UnfoldingDeclaration extends UnfoldingOptions {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** What its tools are for, in a sentence. */
  readonly description: string;
  /** What the model names a category in, where the tools have some; `category` unless given. */
  readonly categoryParameter?: string | undefined;
}

/** Tells whether the class of an object says that its tools are to be offered behind one. */
const declaresUnfolding = (object: object): boolean => declarationOf(ownerOf(object)) !== undefined;

/**
 * An unfolding tool of the tools of an object, as the static `unfolding` of its class says, or the options. Tools that have a category
 * are offered by category, those that have none with every category and with `all`. Static members that are
 * such classes themselves are made without arguments and are inside too, up to 16 deep; one that cannot be made is
 * left out with a warning.
 *
 * @throws ToolObjectError when neither says a name and a description, or there are no tools; ToolDefinitionError when one
 *   cannot work.
 */
export const unfoldingOf = (object: object, options: Partial<UnfoldingDeclaration> = {}): UnfoldingTool =>
  unfoldingInside(object, options, []);

/** The same for an object that stands inside the path. */
function unfoldingInside(
  object: object,
  options: Partial<UnfoldingDeclaration>,
  path: readonly Nested[],
): UnfoldingTool {
  const owner = ownerOf(object);
  const source = toToolObject(object);
  const { name, description, categoryParameter, ...more } = { ...declarationOf(owner), ...options };
  if (typeof name !== 'string' || typeof description !== 'string') {
    const problem =
      `Class ${source.name} does not say what the tool in front of its tools is called and what it is for: ` +
      "give it a static 'unfolding' with a name and a description, or give both to unfoldingOf.";
    throw new ToolObjectError(source.name, problem);
  }
  const nested = nestedIn(owner, [...path, { of: owner, name: source.name }]);
  if (source.table.size === 0 && nested.length === 0) {
    const problem =
      `Class ${source.name} has no tools to stand in front of: ` +
      "give it a static 'tools' table, or a static member that is a class with a static 'unfolding'.";
    throw new ToolObjectError(source.name, problem);
  }
  const tools = [...(source.table.size > 0 ? declaredTools(object) : []), ...nested];
  const byCategory = categoriesOf(tools);
  const config = { ...more, name, description };
  return toUnfolding(byCategory ? { ...config, byCategory, categoryParameter } : { ...config, tools });
}

/** `undefined` when no tool has a category. */
function categoriesOf(tools: readonly AnyTool[]): Record<string, readonly AnyTool[]> | undefined {
  const everywhere = tools.filter((tool) => categoryOf(tool) === undefined);
  const names = [...new Set(tools.flatMap((tool) => categoryOf(tool) ?? []))];
  const categories = names.map((category) => {
    const own = tools.filter((tool) => categoryOf(tool) === category);
    return [category, [...own, ...everywhere]] as const;
  });
  if (categories.length === 0) return undefined;
  return Object.fromEntries(everywhere.length > 0 ? [...categories, ['all', tools]] : categories);
}

const categoryOf = ({ metadata: { category } }: AnyTool): string | undefined =>
  typeof category === 'string' && category !== '' ? category : undefined;

/** The unfolding tools of the classes that are static members of a class, or of those that it extends. */
function nestedIn(owner: object, path: readonly Nested[]): AnyUnfoldingTool[] {
  const members = chainOf(owner).flatMap((one) => Object.values(one));
  return [...new Set(members)].flatMap((member) => {
    if (typeof member !== 'function' || !declarationOf(member)) return [];
    if (!mayNest(path, { of: member, name: member.name })) return [];
    try {
      return [unfoldingInside(Reflect.construct(member, []), {}, path)];
    } catch (reason) {
      warnDeveloper(`the inner class ${member.name} is left out, since it cannot be made`, reason);
      return [];
    }
  });
}

function declarationOf(owner: object): Partial<UnfoldingDeclaration> | undefined {
  const declared: unknown = Reflect.get(owner, 'unfolding');
  return typeof declared === 'object' && declared !== null ? declared : undefined;
}

/**
 * `unfoldingOf` for objects that may have none: where that throws, whatever the reason, the answer is `undefined`, and one
 * debug line says why.
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
 * `withInnerTools` with the tools of an object, as `toolsOf` takes them: of an object that unfolds itself, one.
 *
 * @throws ToolObjectError as `toolsOf`; ToolDefinitionError as `withInnerTools`.
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
