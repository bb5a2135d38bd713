import type { AnyTool } from '../../tool/tool.ts';
import { toUnfolding } from '../../tool/unfolding/define-unfolding.ts';
import type { AnyUnfoldingTool } from '../../tool/unfolding/unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../../tool/unfolding/unfolding-config.ts';
import { mayNest, type Nested } from '../resolution/tool-source.ts';
import { chainOf, declaredTools, ownerOf, ToolObjectError, toToolObject } from './tool-object.ts';

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
export const declaresUnfolding = (object: object): boolean => declarationOf(ownerOf(object)) !== undefined;

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
      console.warn(`holdfast: the inner class ${member.name} is left out, since it cannot be made`, reason);
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
    console.debug('holdfast: no unfolding tool of an object', reason);
    return undefined;
  }
}
