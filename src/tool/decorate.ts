import { isTool, ToolDefinitionError } from './check-definition.ts';
import type { JsonObject } from './json.ts';
import { nameIn, shown } from './shown.ts';
import type { AnyTool, OpeningTool } from './tool.ts';

/**
 * A copy of a tool with changes, which remembers what it was made of. Everything that is not changed is forwarded:
 * name, schema, metadata, effect, serial, returnDirect. `call` hands on the live call that it was given, and with it
 * the context.
 *
 * Decorators run as they are written, the outermost first: of `a(b(tool))`, `a` sees the call before `b`, and the result
 * after it. Around all of them is the loop, which binds the call, makes an error of what is thrown and lets signals
 * through; so the usual order is observability around event publication around what belongs to the tool.
 *
 * @throws ToolDefinitionError when it is given no tool.
 */
export function decorate<T extends AnyTool>(tool: T, changes: Partial<AnyTool>): T {
  if (!isTool(tool)) throw noTool(tool);
  return {
    ...tool,
    ...forwarded(tool),
    // What a decorator does around a call, or around the tools inside, would not be done around the call of another tool.
    route: changes.call || changes.adopt ? undefined : tool.route?.bind(tool),
    ...changes,
    delegate: tool,
  };
}

/** @throws ToolDefinitionError if something is no tool: callers without types may hand over anything. */
export function mustBeTool(tool: unknown): void {
  if (!isTool(tool)) throw noTool(tool);
}

const noTool = (given: unknown): ToolDefinitionError =>
  new ToolDefinitionError(
    nameIn(given),
    'tool',
    `it is ${shown(given)} and no tool, so it cannot be decorated.`,
  );

/** What a spread leaves behind of a tool that a class makes: its getters, and its methods, which need their `this`. */
const forwarded = (tool: AnyTool): AnyTool => ({
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

/** How tools are made again with changes. It goes by the tool itself: a decorated one is another tool. */
const makers = new WeakMap<AnyTool, (changes: object) => AnyTool>();

/** Returns the tool, which can be copied with changes from now on. Who made it knows what they may be. */
export function copyable<T extends AnyTool>(tool: T, make: (changes: object) => AnyTool): T {
  makers.set(tool, make);
  return tool;
}

/** Returns what makes the tool again with changes, or `undefined` if it cannot be copied. */
export const makerOf = (tool: AnyTool): ((changes: object) => AnyTool) | undefined => makers.get(tool);

/** The same tool under another name, by which it is called. Some provider may refuse the name: `withName` looks at it. */
export function renamed<T extends AnyTool, const Name extends string>(
  tool: T,
  name: Name,
): T & { readonly name: Name } {
  const check: AnyTool['check'] = (input, as = name) => tool.check(input, as);
  return { ...decorate(tool, { check }), name };
}

/** The `adopt` of a tool, around which `wrap` is put: what guards the tools inside already stays, and comes after it. */
export const adopting =
  (tool: AnyTool, wrap: (inner: AnyTool) => AnyTool): NonNullable<AnyTool['adopt']> =>
  (inner) =>
    wrap(tool.adopt?.(inner) ?? inner);

/** The first tool along the chain of delegates, this one included, that `is` recognises. */
export function unwrapAs<T extends AnyTool>(tool: AnyTool, is: (one: AnyTool) => one is T): T | undefined {
  for (let one: AnyTool | undefined = tool; one !== undefined; one = one.delegate) if (is(one)) return one;
  return undefined;
}

const isOpening = (tool: AnyTool): tool is OpeningTool => tool.opens === true;

/** Whether the tools inside of a tool, decorated or not, are offered in its own loop. */
export const opensTools = (tool: AnyTool): boolean => unwrapAs(tool, isOpening) !== undefined;

/** Returns the tool as `change` makes it; of an unfolding tool those behind it, at whatever depth, and its opening as it is. */
export const changedBehind = <T extends AnyTool>(
  tool: T,
  change: <One extends AnyTool>(one: One) => One,
): T =>
  opensTools(tool)
    ? decorate(tool, { adopt: adopting(tool, (inner) => changedBehind(inner, change)) })
    : change(tool);

/** Returns where a tool came from, seen through its decorators, or `undefined` if it was there from the start. */
export const originOf = (tool: AnyTool): Origin | undefined => unwrapAs(tool, isBrought)?.[BROUGHT];

/** Where a tool that is offered came from: out of a tool that `opens`. */
interface Origin {
  /** The tools that brought it, as they were offered; more than one have the same tool inside. */
  readonly by: readonly AnyTool[];
  /** It was offered without them. */
  readonly wasThere: boolean;
  /** As the tool around it has it. */
  readonly inner: AnyTool;
  /** The name that it has inside of the tool that brought it. */
  readonly name: string;
}

/** Returns the tool, known to have come out of another. */
export const withOrigin = (tool: AnyTool, origin: Origin): BroughtTool => ({
  ...decorate(tool, {}),
  [BROUGHT]: origin,
});

/** Marks a tool that came out of another. */
const BROUGHT: unique symbol = Symbol('holdfast.brought');

type BroughtTool = AnyTool & { readonly [BROUGHT]: Origin };

const isBrought = (tool: AnyTool): tool is BroughtTool => BROUGHT in tool;

/** The route of a tool, whose answers lead to what `wrap` makes of the tools that are meant; none when it has none. */
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
 * Tells whether two lists hold the same tools in the same order. What a provider answers may be the same tools in a new
 * list.
 */
export const sameTools = (a: readonly AnyTool[], b: readonly AnyTool[]): boolean =>
  a === b || (a.length === b.length && a.every((tool, index) => tool === b[index]));

/** The first tool of each name, sorted by name, as a model is shown them: its provider's prompt cache then holds. */
export function distinctTools(tools: readonly AnyTool[]): readonly AnyTool[] {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Makes a list of tools anew only when it is made of another list, or `by` something else. For strategies: as long as they
 * answer the same they answer the same list, because the definitions that a model is sent are kept by it.
 */
export function lastList(): (
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
