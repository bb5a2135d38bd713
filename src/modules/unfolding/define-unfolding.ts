import { FOLDING } from '../../journal/memory-folding.ts';
import { discoveryIn } from '../../loop/discovery.ts';
import { collectFor, collectTools, withProvided } from '../../sources/resolution/resolve-tools.ts';
import {
  type CollectedTools,
  foundBy,
  partsOf,
  type ToolGroup,
  type ToolObjectSource,
  type ToolProvider,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import { memoized } from '../../tool/async.ts';
import { checkToolLiteral, isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import { paragraphs } from '../../tool/json.ts';
import { readObject } from '../../tool/object-reader.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { FOREIGN_INPUT, NAMED } from '../../tool/tool-literals.ts';
import { usesOf } from '../../tool/uses.ts';
import {
  toUnfolding,
  type CategoryUnfolding as WithCategories,
  type PlainUnfolding as WithList,
  type SelectableUnfolding as WithSelector,
} from './to-unfolding.ts';
import type { Unfolding, UnfoldingTool } from './unfolding.ts';

/**
 * Brings all of its tools. What a group tells of its tools is told when it is opened. Providers are asked whenever tools are
 * offered while it is open; what they find out outside, when it is opened.
 */
export type PlainUnfolding<Name extends string> = WithList<Name, ToolSource, Answered>;

/** Brings the tools of the category that the model names; of one that is not there, all. There can be no providers. */
export type CategoryUnfolding<Name extends string> = WithCategories<Name, ToolSource>;

/** Brings what a function of its input answers, which may be tools that were not there before. */
export type SelectableUnfolding<Name extends string, Declaration extends InputDeclaration> = WithSelector<
  Name,
  Declaration,
  ToolSource,
  Answered
>;

/** The literal that `defineUnfolding` takes. */
export type UnfoldingConfig<Name extends string, Declaration extends InputDeclaration> =
  | PlainUnfolding<Name>
  | CategoryUnfolding<Name>
  | SelectableUnfolding<Name, Declaration>;

/** What a function of an unfolding tool answers: it is asked for tools, so it asks providers itself. */
type Answered = AnyTool | ToolGroup | ToolObjectSource;

/**
 * Makes a tool that stands for others: the model is offered it alone until it calls it, and from the next model call on
 * its tools in its place. They are listed as for an agent, and may be unfolding tools themselves, to any depth. Works in every loop;
 * what is open is remembered by the journal.
 *
 * @throws ToolDefinitionError when the tool cannot work; ToolObjectError as `toolsOf`.
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
    ...NAMED,
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

/** The literal of an unfolding tool, of whose sources tools are made. */
function withTools<Declaration extends InputDeclaration>(
  config: UnfoldingConfig<string, Declaration>,
): WithList<string> | WithCategories<string> | WithSelector<string, Declaration> {
  const { name } = config;
  if (config.select) {
    const { select, tools = [] } = config;
    const listed = collectFor({ tool: name, field: 'tools' }, tools, { noProviders: BY_SELECT });
    return { ...config, tools: listed.tools, select: (input, view) => answered(select(input, view)) };
  }
  if (config.byCategory) {
    const lists = Object.entries(config.byCategory).map(([category, list]) => {
      const place = { tool: name, field: `byCategory.${category}` };
      return [category, collectFor(place, list, { noProviders: BY_CATEGORY })] as const;
    });
    const tools = Object.fromEntries(lists.map(([category, listed]) => [category, listed.tools]));
    return { ...config, byCategory: tools, ...notesOf(config, ...lists.map(([, { notes }]) => notes)) };
  }
  const { tools, prepare, isKnown } = config;
  if (typeof tools === 'function') return { ...config, tools: (view) => answered(tools(view)) };
  const listed = collectFor({ tool: name, field: 'tools' }, tools);
  const into = unfoldingInto(listed, { prepare, isKnown });
  const uses = [...(config.uses ?? []), ...(into.uses ?? [])];
  return { ...config, ...into, uses, ...notesOf(config, listed.notes) };
}

const BY_SELECT = "where none can stand, since `select` answers the tools: ask it there, by its 'toolsNow'";
const BY_CATEGORY =
  "where none can stand, since the tools of a category stay the same: list it in the 'tools' of an unfolding tool, and that here";

const notesOf = (
  { childToolUsageNotes: own }: { readonly childToolUsageNotes?: string | undefined },
  ...notes: readonly (readonly string[])[]
): { readonly childToolUsageNotes: string | undefined } => {
  const all = [...new Set(notes.flat())];
  return { childToolUsageNotes: all.length > 0 ? paragraphs(own, ...all) : own };
};

/** What an unfolding tool unfolds into that has these inside. */
export function unfoldingInto(
  { tools, providers }: Pick<CollectedTools, 'tools' | 'providers'>,
  { prepare, isKnown }: Finding = {},
): Pick<WithList<string>, 'tools' | 'uses'> & Finding {
  if (providers.length === 0) return { tools, prepare, isKnown };
  const finding = providers.filter((provider) => partsOf(provider).length > 0);
  return {
    tools: (view) => withProvided(tools, providers, { view }),
    prepare: finding.length === 0 ? prepare : findingOut(finding, prepare),
    isKnown: (view) =>
      (!prepare || isKnown?.(view) === true) && finding.every((one) => one.isKnown?.(view) === true),
    uses: usesOf([...tools, ...providers]),
  };
}

/** How an unfolding tool finds out what it brings. */
type Finding = Pick<Unfolding, 'prepare' | 'isKnown'>;

/** Lets providers find out what they have when the tool is opened, once nothing is against that. */
const findingOut =
  (providers: readonly ToolProvider[], prepare: Unfolding['prepare']) =>
  async (call: CallRun): ReturnType<NonNullable<Unfolding['prepare']>> => {
    const prepared = await prepare?.(call);
    if (typeof prepared === 'string') return prepared;
    const found = await foundBy(providers.flatMap(partsOf), discoveryIn(call));
    // `record` goes by the memory's name alone. What was found out holds whether or not the tool opens.
    for (const { slice, fact } of found)
      call.record({ name: slice, initial: null, folding: FOLDING }, fact, { on: 'end' });
    return prepared;
  };

/** Makes tools of what a function answered. The same object has the same tools. */
function answered(sources: readonly Answered[]): readonly AnyTool[] {
  // What is no list is told to whoever has to open it.
  if (!Array.isArray(sources) || sources.every(isTool)) return sources as readonly AnyTool[];
  const listed = sources.flatMap((one) => (isTool(one) ? one : (objectTools(Object(one)).tools ?? one)));
  return collectTools(listed, { noProviders: ASKED, path: [] }).tools;
}

const ASKED = "which nobody asks for what it finds out: answer its tools, by its 'toolsNow'";

const objectTools = memoized((object: object) => ({
  tools: readObject(object, { isShared: false }),
}));
