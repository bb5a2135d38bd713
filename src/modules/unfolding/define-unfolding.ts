import { FOLDING } from '../../journal/memory-folding.ts';
import { discoveryIn } from '../../loop/discovery.ts';
import { collectForField, collectTools, withProviderTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type CollectedTools,
  getDiscoverySteps,
  runDiscovery,
  type ToolGroup,
  type ToolObjectSource,
  type ToolProvider,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import { memoize } from '../../tool/async.ts';
import { checkToolLiteral, isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import { joinParagraphs } from '../../tool/json.ts';
import { readObject } from '../../tool/object-reader.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { FOREIGN_INPUT, NAMED_KEYS } from '../../tool/tool-literals.ts';
import { collectUses } from '../../tool/uses.ts';
import {
  toUnfolding,
  type CategoryUnfolding as WithCategories,
  type PlainUnfolding as WithList,
  type SelectableUnfolding as WithSelector,
} from './to-unfolding.ts';
import type { Unfolding, UnfoldingTool } from './unfolding.ts';

/**
 * The options of an unfolding tool that offers all of its tools. When it opens, the result contains the usage
 * notes of groups, and providers load external data. While it is open, providers are queried each time the
 * loop offers tools.
 */
export type PlainUnfolding<Name extends string> = WithList<Name, ToolSource, ReturnedTool>;

/**
 * The options of an unfolding tool that offers the tools of the category that the model names, or all tools
 * for an unknown category. It cannot contain providers.
 */
export type CategoryUnfolding<Name extends string> = WithCategories<Name, ToolSource>;

/**
 * The options of an unfolding tool that offers the tools that a function returns for its input, including new
 * tools.
 */
export type SelectableUnfolding<Name extends string, Declaration extends InputDeclaration> = WithSelector<
  Name,
  Declaration,
  ToolSource,
  ReturnedTool
>;

/** The options of `defineUnfolding`. */
export type UnfoldingConfig<Name extends string, Declaration extends InputDeclaration> =
  | PlainUnfolding<Name>
  | CategoryUnfolding<Name>
  | SelectableUnfolding<Name, Declaration>;

/** The return type of an unfolding tool's functions. They return tools, so they call providers themselves. */
type ReturnedTool = AnyTool | ToolGroup | ToolObjectSource;

/**
 * Creates an unfolding tool, whose inner tools the model does not see at first. After the model calls it, the
 * loop offers the inner tools instead. They are listed as for an agent, and can be unfolding tools
 * themselves, to any depth. Works in every loop. The journal records which unfolding tools are open.
 *
 * @throws ToolDefinitionError if the tool is invalid.
 * @throws ToolObjectError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const orders = defineUnfolding({
 *   name: 'orders',
 *   description: 'Finds orders and refunds them. Call this first.',
 *   tools: [findOrder, new Invoices()],
 * });
 * ```
 */
export const defineUnfolding = <
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
>(
  config: UnfoldingConfig<Name, Declaration>,
): UnfoldingTool<Name, InputOf<Declaration>> => {
  checkToolLiteral(config, SHAPE);
  // `toUnfolding` keeps the name.
  return toUnfolding(withTools(config)) as UnfoldingTool<Name, InputOf<Declaration>>;
};

const SHAPE = {
  of: 'defineUnfolding',
  keys: {
    ...NAMED_KEYS,
    tools: 'any',
    byCategory: 'object',
    categoryParameter: 'text',
    input: 'schema',
    select: 'function',
    prepare: 'function',
    isKnown: 'function',
    metadata: 'any',
    childToolUsageNotes: 'text',
    exclusive: 'flag',
    contextTool: 'flag',
    uses: 'list',
    scope: 'any',
    removeOnInvoke: 'flag',
  },
  required: ['name', 'description'],
  foreign: { ...FOREIGN_INPUT, children: 'tools', innerTools: 'tools', subtools: 'tools' },
} satisfies LiteralShape<keyof UnfoldingConfig<string, undefined>>;

/** Converts the tool sources in the options to tools. */
function withTools<Declaration extends InputDeclaration>(
  config: UnfoldingConfig<string, Declaration>,
): WithList<string> | WithCategories<string> | WithSelector<string, Declaration> {
  const { name } = config;
  if (config.select) {
    const { select, tools = [] } = config;
    const listed = collectForField({ tool: name, field: 'tools' }, tools, {
      noProviders: SELECT_PROVIDER_PROBLEM,
    });
    return { ...config, tools: listed.tools, select: (input, view) => flattenAnswer(select(input, view)) };
  }
  if (config.byCategory) {
    const lists = Object.entries(config.byCategory).map(([category, list]) => {
      const place = { tool: name, field: `byCategory.${category}` };
      return [category, collectForField(place, list, { noProviders: CATEGORY_PROVIDER_PROBLEM })] as const;
    });
    const tools = Object.fromEntries(lists.map(([category, listed]) => [category, listed.tools]));
    return { ...config, byCategory: tools, ...joinNotes(config, ...lists.map(([, { notes }]) => notes)) };
  }
  const { tools, prepare, isKnown } = config;
  if (typeof tools === 'function') return { ...config, tools: (view) => flattenAnswer(tools(view)) };
  const listed = collectForField({ tool: name, field: 'tools' }, tools);
  const into = toUnfoldsInto(listed, { prepare, isKnown });
  const uses = [...(config.uses ?? []), ...(into.uses ?? [])];
  return { ...config, ...into, uses, ...joinNotes(config, listed.notes) };
}

const SELECT_PROVIDER_PROBLEM =
  "which is not allowed here, since `select` returns the tools. Call its 'toolsNow' there";
const CATEGORY_PROVIDER_PROBLEM =
  "which is not allowed here, since the tools of a category are fixed. List it in the 'tools' of an unfolding tool, and that tool here";

const joinNotes = (
  { childToolUsageNotes: own }: { readonly childToolUsageNotes?: string | undefined },
  ...notes: readonly (readonly string[])[]
): { readonly childToolUsageNotes: string | undefined } => {
  const all = [...new Set(notes.flat())];
  return { childToolUsageNotes: all.length > 0 ? joinParagraphs(own, ...all) : own };
};

/** Returns the tools inside an unfolding tool with these sources. */
export function toUnfoldsInto(
  { tools, providers }: Pick<CollectedTools, 'tools' | 'providers'>,
  { prepare, isKnown }: LoadingFunctions = {},
): Pick<WithList<string>, 'tools' | 'uses'> & LoadingFunctions {
  if (providers.length === 0) return { tools, prepare, isKnown };
  const finding = providers.filter((provider) => getDiscoverySteps(provider).length > 0);
  return {
    tools: (view) => withProviderTools(tools, providers, { view }),
    prepare: finding.length === 0 ? prepare : createPrepare(finding, prepare),
    isKnown: (view) =>
      (!prepare || isKnown?.(view) === true) && finding.every((one) => one.isKnown?.(view) === true),
    uses: collectUses([...tools, ...providers]),
  };
}

/** The functions that load an unfolding tool's external data. */
type LoadingFunctions = Pick<Unfolding, 'prepare' | 'isKnown'>;

/** Lets providers load their data when the tool opens, after all checks have passed. */
const createPrepare =
  (providers: readonly ToolProvider[], prepare: Unfolding['prepare']) =>
  async (call: CallRun): ReturnType<NonNullable<Unfolding['prepare']>> => {
    const prepared = await prepare?.(call);
    if (typeof prepared === 'string') return prepared;
    const found = await runDiscovery(providers.flatMap(getDiscoverySteps), discoveryIn(call));
    // `record` uses only the memory's name. The data stays valid whether or not the tool opens.
    for (const { slice, fact } of found)
      call.record({ name: slice, initial: null, folding: FOLDING }, fact, { on: 'end' });
    return prepared;
  };

/** Converts the sources that a function returned to tools. The same object always returns the same tools. */
function flattenAnswer(sources: readonly ReturnedTool[]): readonly AnyTool[] {
  // Passes on a value that is not a list. The code that opens the tool reports the mistake.
  if (!Array.isArray(sources) || sources.every(isTool)) return sources as readonly AnyTool[];
  const listed = sources.flatMap((one) => (isTool(one) ? one : (objectTools(Object(one)).tools ?? one)));
  return collectTools(listed, { noProviders: CANNOT_LOAD_PROBLEM, path: [] }).tools;
}

const CANNOT_LOAD_PROBLEM = "which cannot load its tools there. Return the result of its 'toolsNow'";

const objectTools = memoize((object: object) => ({
  tools: readObject(object, { isShared: false }),
}));
