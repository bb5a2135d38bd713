import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import {
  canNest,
  isSourceCarrier,
  type NestedSource,
  SOURCE_KEY,
  type ToolFactory,
  type ToolObjectSource,
  ToolResolutionError,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import { memoize } from '../../tool/async.ts';
import { decorate } from '../../tool/decorate.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { describeValue, isClass } from '../../tool/shown.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { createShortcut } from '../unfolding/call-unfolding.ts';
import {
  type AnyUnfoldingTool,
  findUnfolding,
  listAllTools,
  UNFOLDS,
  type Unfolding,
  type UnfoldsInto,
} from '../unfolding/unfolding.ts';

/** The return value of a factory: an object with a table of tools, a tool, or a list of these. */
export type MadeTools = FactoryResult | readonly FactoryResult[];

type FactoryResult = AnyTool | ToolObjectSource;

/**
 * Creates tools that store values in fields or closures. Each invocation calls `make` when the first of these
 * tools runs, and all loops of the invocation share the result. Sessions never share it. An invocation that
 * resumes a turn calls `make` again, so store values that must survive in `call.state`.
 *
 * The factory also calls `make` once where the tools are listed, to read their names and schemas. So `make`
 * must be synchronous, return the same tools each time, and have no side effects, since a Worker cannot
 * connect or generate random values outside a request.
 *
 * @throws TypeError if `make` is not a function. Other problems are reported where the factory is listed.
 *
 * @example
 * ```ts
 * const tools = [toolFactory(() => new Invoices())];
 * ```
 */
export function toolFactory(make: () => MadeTools): ToolFactory {
  if (typeof make === 'function' && !isClass(make)) return createFactory(make);
  const example = typeof make === 'function' ? Reflect.get(make, 'name') : 'Cart';
  throw new TypeError(
    `toolFactory received ${describeValue(make)}. Pass a function, as in toolFactory(() => new ${example}()).`,
  );
}

/** Creates a factory that caches its listed tools, and has a key for the copy of each invocation. */
function createFactory(make: () => MadeTools): ToolFactory {
  let listed: readonly AnyTool[] | undefined;
  factories += 1;
  const key = `factory ${factories}`;
  const factory: ToolFactory = {
    [SOURCE_KEY]({ path = [] }) {
      const { name = 'a tool factory' } = path.find(({ of }) => of === factory) ?? {};
      if (!canNest(path, { of: factory, name })) return {};
      const createTools = () => makeTools(make, { path, of: factory });
      listed ??= createTools().map((tool) =>
        createLiveTool(tool, (view) => view.made(key, createTools).find(({ name }) => name === tool.name)),
      );
      return { tools: listed };
    },
  };
  return factory;
}

let factories = 0;

function makeTools(
  make: () => unknown,
  { path, of }: { readonly path: readonly NestedSource[]; readonly of: ToolFactory },
): readonly AnyTool[] {
  const made = make();
  if (made instanceof Promise) {
    throw new ToolResolutionError(
      'the function of toolFactory returns a promise. Make the object synchronously, and await inside its tools',
    );
  }
  const things = [made].flat() as readonly ToolSource[]; // each item is checked below
  const inside = [...path, { of, name: things.map(getSourceName).join(', ') || 'nothing' }];
  return collectTools(things, { path: inside, noProviders: IN_FACTORY_PROBLEM }).tools;
}

const IN_FACTORY_PROBLEM = 'which a tool factory cannot make. List it next to the factory';

function getSourceName(made: unknown): string {
  if (isSourceCarrier(made)) return 'a tool factory';
  const { name }: { readonly name?: unknown } = Object(made);
  return typeof name === 'string' ? name : String(Object(made).constructor?.name);
}

/** Finds a tool among those that the invocation created. */
type ToolFinder = (view: LoopView) => AnyTool | undefined;

/** Returns a tool whose calls run the tool that `find` returns. */
function createLiveTool(tool: AnyTool, find: ToolFinder): AnyTool {
  const live = decorate(tool, {
    async call(input, call) {
      const found = find(call.view);
      if (found) return found.call(input, call);
      call.view.log(createErrorEntry(`a tool factory no longer makes '${tool.name}'.`));
      return error(`Tool '${call.tool}' is not there any more. Do not call it again; go on without it.`);
    },
  });
  const unfolding = findUnfolding(tool);
  return unfolding ? createLiveUnfolding(live, unfolding, find) : live;
}

/** Returns an unfolding tool whose inner tools are those of the unfolding tool that `find` returns. */
function createLiveUnfolding(live: AnyTool, unfolding: Unfolding, find: ToolFinder): AnyUnfoldingTool {
  const { delegate: tool = live } = live;
  const createFoundUnfolding = (view: LoopView): Unfolding => {
    const now = find(view);
    const found = now && findUnfolding(now);
    if (found) return found;
    throw new TypeError(`A tool factory no longer makes the unfolding tool '${tool.name}'.`);
  };
  const into = createLiveInto(unfolding.into, (view) => createFoundUnfolding(view).into);
  const { prepare } = unfolding;
  const made: Unfolding = {
    ...unfolding,
    into,
    prepare: prepare && ((call) => (createFoundUnfolding(call.view).prepare ?? prepare)(call)),
  };
  const inner =
    into.by === 'all' ? into.tools : into.by === 'category' ? listAllTools(into.tools) : tool.inner;
  // A call through a decorated tool would bypass its guards.
  const route = UNFOLDS in tool && tool.route ? createShortcut(made, tool.inputSchema) : undefined;
  return { ...live, opens: true, inner, route, [UNFOLDS]: made };
}

function createLiveInto(into: UnfoldsInto, now: (view: LoopView) => UnfoldsInto): UnfoldsInto {
  const all = listTools(into);
  const live = memoize((tool: AnyTool) => {
    const at = all.indexOf(tool);
    // Tools of two categories can have the same name. If a factory returns other tools this time, another
    // tool must not run instead.
    const isIt = (one: AnyTool | undefined): boolean => one?.name === tool.name;
    return createLiveTool(tool, (view) => [listTools(now(view))[at]].find(isIt));
  });
  switch (into.by) {
    case 'all':
      return { ...into, tools: into.tools.map(live) };
    case 'category':
      return { ...into, tools: new Map([...into.tools].map(([name, tools]) => [name, tools.map(live)])) };
    case 'moment':
      return {
        ...into,
        ask: (view) => {
          const found = now(view);
          return found.by === 'moment' ? found.ask(view) : into.ask(view);
        },
      };
    case 'selection':
      return {
        ...into,
        select: (input, view) => {
          const found = now(view);
          return (found.by === 'selection' ? found : into).select(input, view);
        },
      };
  }
}

/** Returns the fixed inner tools, in the same order each time that a factory creates them. */
function listTools(into: UnfoldsInto): readonly AnyTool[] {
  if (into.by === 'all') return into.tools;
  return into.by === 'category' ? listAllTools(into.tools) : [];
}
