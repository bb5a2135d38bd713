import { withName } from '../../decorators/with.ts';
import { attempt } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import { distinctTools } from '../../tool/decorate.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ObjectOrMistake, PlainTools, ToolOfPlain } from './tool-method.ts';
import { declaredTools, toToolObject } from './tool-object.ts';
import { declaresUnfolding, unfoldingOf } from './unfolding-of.ts';

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
    console.debug('holdfast: no tools of an object', reason);
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
