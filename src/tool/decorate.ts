import { isTool, ToolDefinitionError } from './check-definition.ts';
import type { JsonObject } from './json.ts';
import { describeValue, readName } from './shown.ts';
import type { AnyTool, OpeningTool } from './tool.ts';

/**
 * Returns a copy of a tool with changes. The copy refers to the original. All other members are forwarded:
 * name, schema, metadata, effect, serial, returnDirect. In `call`, pass on the live call that it receives,
 * and with it the context.
 *
 * Decorators run in the order in which they are written, outermost first: in `a(b(tool))`, `a` sees the call
 * before `b`, and the result after it. The loop encloses all decorators: it binds the call, converts
 * exceptions to errors and lets signals through. The usual order is therefore: observability, then event
 * publication, then decorators that belong to the tool.
 *
 * @throws ToolDefinitionError if `tool` is not a tool.
 *
 * @example
 * ```ts
 * const timed = decorate(findOrder, {
 *   async call(input, context) {
 *     const started = Date.now();
 *     const result = await findOrder.call(input, context);
 *     console.log(Date.now() - started);
 *     return result;
 *   },
 * });
 * ```
 */
export function decorate<T extends AnyTool>(tool: T, changes: Partial<AnyTool>): T {
  if (!isTool(tool)) throw createNotToolError(tool);
  return {
    ...tool,
    ...forwardMembers(tool),
    // A route would lead around the decorator's `call` or `adopt` to another tool, so it is dropped.
    route: changes.call || changes.adopt ? undefined : tool.route?.bind(tool),
    ...changes,
    delegate: tool,
  };
}

/** @throws ToolDefinitionError if the value is not a tool. Callers without types can pass anything. */
export function assertTool(tool: unknown): void {
  if (!isTool(tool)) throw createNotToolError(tool);
}

const createNotToolError = (given: unknown): ToolDefinitionError =>
  new ToolDefinitionError(
    readName(given),
    'tool',
    `it is ${describeValue(given)}, not a tool, so it cannot be decorated.`,
  );

/**
 * Returns the members of a class-based tool that a spread omits: its getters and methods, bound to the tool.
 */
const forwardMembers = (tool: AnyTool): AnyTool => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
  effect: tool.effect,
  serial: tool.serial,
  returnDirect: tool.returnDirect,
  metadata: tool.metadata,
  output: tool.output,
  expose: tool.expose,
  providerTool: tool.providerTool,
  inner: tool.inner,
  adopt: tool.adopt?.bind(tool),
  ...(tool.uses && { uses: tool.uses }),
  readInput: tool.readInput?.bind(tool),
  check: tool.check.bind(tool),
  call: tool.call.bind(tool),
});

/**
 * Functions that recreate tools with changes, by tool. A decorated tool is a different tool and has no entry.
 */
const copyMakers = new WeakMap<AnyTool, (changes: object) => AnyTool>();

/** Makes the tool copyable with changes, and returns it. `make` defines which changes are valid. */
export function makeCopyable<T extends AnyTool>(tool: T, make: (changes: object) => AnyTool): T {
  copyMakers.set(tool, make);
  return tool;
}

/** Returns the function that recreates a tool with changes, or `undefined` if it cannot be copied. */
export const findCopyMaker = (tool: AnyTool): ((changes: object) => AnyTool) | undefined =>
  copyMakers.get(tool);

/** Returns the tool under another name. Does not check whether providers accept the name. `withName` does. */
export function renameTool<T extends AnyTool, const Name extends string>(
  tool: T,
  name: Name,
): T & { readonly name: Name } {
  const check: AnyTool['check'] = (input, as = name) => tool.check(input, as);
  return { ...decorate(tool, { check }), name };
}

/** Wraps the `adopt` of a tool. The new `adopt` wraps an existing one. */
export const wrapAdopt =
  (tool: AnyTool, wrap: (inner: AnyTool) => AnyTool): NonNullable<AnyTool['adopt']> =>
  (inner) =>
    wrap(tool.adopt?.(inner) ?? inner);

/** Returns the first tool in the chain of delegates, starting with this one, that matches `is`. */
export function unwrapAs<T extends AnyTool>(tool: AnyTool, is: (one: AnyTool) => one is T): T | undefined {
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate) if (is(one)) return one;
  return undefined;
}

const isOpeningTool = (tool: AnyTool): tool is OpeningTool => tool.opens === true;

/** Returns whether the inner tools of a tool, decorated or not, are offered in its own loop. */
export const opensTools = (tool: AnyTool): boolean => unwrapAs(tool, isOpeningTool) !== undefined;

/**
 * Returns the tool changed by `change`. For an unfolding tool, changes only the tools inside it, at any
 * depth.
 */
export const changeInnerTools = <T extends AnyTool>(
  tool: T,
  change: <One extends AnyTool>(one: One) => One,
): T =>
  opensTools(tool)
    ? decorate(tool, { adopt: wrapAdopt(tool, (inner) => changeInnerTools(inner, change)) })
    : change(tool);

/** Returns the origin of a tool, decorated or not. Returns `undefined` if it was offered from the start. */
export const getOrigin = (tool: AnyTool): Origin | undefined => unwrapAs(tool, hasOrigin)?.[ORIGIN_KEY];

/** The origin of a tool that is offered because another tool unfolded. */
interface Origin {
  /** The offered tools that unfolded to it. Several can contain the same tool. */
  readonly by: readonly AnyTool[];
  /** `true` if it was also offered without them. */
  readonly wasThere: boolean;
  /** The inner tool in the form in which its outer tool contains it. */
  readonly inner: AnyTool;
  /** Its name inside the tool that unfolded. */
  readonly name: string;
}

export const withOrigin = (tool: AnyTool, origin: Origin): ToolWithOrigin => ({
  ...decorate(tool, {}),
  [ORIGIN_KEY]: origin,
});

/** Marks a tool that came from an unfolding tool. */
const ORIGIN_KEY: unique symbol = Symbol('holdfast.brought');

type ToolWithOrigin = AnyTool & { readonly [ORIGIN_KEY]: Origin };

const hasOrigin = (tool: AnyTool): tool is ToolWithOrigin => ORIGIN_KEY in tool;

/** Returns the route of a tool with its targets changed by `wrap`, or `undefined` if it has none. */
export function mapRoute(
  tool: AnyTool,
  wrap: (meant: AnyTool, input: JsonObject) => AnyTool,
): AnyTool['route'] {
  const route = tool.route?.bind(tool);
  if (!route) return undefined;
  return (input) => {
    const meant = route(input);
    return meant && { ...meant, tool: wrap(meant.tool, input) };
  };
}

/**
 * Returns whether two lists contain the same tools in the same order. A provider can return the same tools in
 * a new list.
 */
export const hasSameTools = (a: readonly AnyTool[], b: readonly AnyTool[]): boolean =>
  a === b || (a.length === b.length && a.every((tool, index) => tool === b[index]));

/**
 * Returns the first tool of each name, sorted by name. The stable order keeps the provider's prompt cache
 * valid.
 */
export function listDistinctTools(tools: readonly AnyTool[]): readonly AnyTool[] {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Caches a list of tools until its source list or `by` changes. For strategies: an unchanged result must be
 * the same array, since the definitions for a model are cached by array.
 */
export function createListCache(): (
  tools: readonly AnyTool[],
  by: string | undefined,
  make: () => readonly AnyTool[],
) => readonly AnyTool[] {
  let last: { tools: readonly AnyTool[]; by: string | undefined; made: readonly AnyTool[] } | undefined;
  return (tools, by, make) => {
    if (last?.tools !== tools || last.by !== by) last = { tools, by, made: make() };
    return last.made;
  };
}
