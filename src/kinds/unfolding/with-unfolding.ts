import type { ToolGroup } from '../../sources/define-tool-group.ts';
import { type ToolsOfOptions, toolsOf } from '../../sources/objects/tools-of.ts';
import { withProvided } from '../../sources/resolution/resolve-tools.ts';
import { foundBy, partsOf, type Reference, type ToolProvider } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { shortcut } from '../../tool/unfolding/call-unfolding.ts';
import { checkTools, toUnfolding } from '../../tool/unfolding/define-unfolding.ts';
import { UNFOLDS, type UnfoldsInto, unfoldingIn } from '../../tool/unfolding/unfolding.ts';
import type { PlainUnfolding, UnfoldingOptions } from '../../tool/unfolding/unfolding-config.ts';

/**
 * The same reference or tool group with its tools behind one, which tells its notes when it is called: they are no longer
 * part of the instructions. One that is like this already stays as it is.
 *
 * The tool has the name of the reference or group, with `_` for what may not stand in a tool's name, unless another is
 * given. A group keeps its role, version and permissions. Its providers are asked for their tools by whoever opens it, and
 * find out nothing before.
 *
 * @throws ToolDefinitionError when there are no tools, or the name or description cannot be a tool's.
 *
 * @example
 * ```ts
 * const folded = withUnfolding(ordersGroup, { name: 'orders' });
 * ```
 */
export function withUnfolding<T extends Reference | ToolGroup>(
  source: T,
  options: Omit<UnfoldingOptions, 'childToolUsageNotes'> & { readonly name?: string | undefined } = {},
): T {
  const [first, ...more] = source.tools;
  const providers = isGroup(source) ? source.providers : [];
  if (first && more.length === 0 && providers.length === 0 && unfoldingIn(first)) return source;
  const { name = toToolName(source.name), ...rest } = options;
  const { description } = source;
  const inside = providers.length === 0 ? { tools: source.tools } : provided(source.tools, providers);
  const unfolding = toUnfolding({
    ...rest,
    ...inside,
    name,
    description,
    childToolUsageNotes: notesOf(source),
  });
  const told = isGroup(source)
    ? { childToolUsageNotes: undefined, providers: [] }
    : { notes: `Call '${name}' for its notes and its tools.` };
  return { ...source, ...told, tools: [unfolding] };
}

/** Says what is inside when providers know some of it only in a turn: they find out when the tool is opened. */
const provided = (
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
): Pick<PlainUnfolding<string>, 'tools' | 'prepare'> => ({
  tools: (view) => withProvided(tools, providers, { view }),
  async prepare({ discovery, record }) {
    const found = await foundBy(providers.flatMap(partsOf), discovery);
    // `record` goes by the memory's name alone.
    for (const { slice, fact } of found) record({ name: slice, initial: null }, fact);
    return undefined;
  },
});

const isGroup = (source: Reference | ToolGroup): source is ToolGroup => 'childToolUsageNotes' in source;

const notesOf = (source: Reference | ToolGroup): string | undefined =>
  isGroup(source) ? source.childToolUsageNotes : source.notes;

const toToolName = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 64);

/**
 * The same unfolding tool with more tools inside. Its notes, its schema and its selector stay: the new tools come with
 * every category and every selection.
 *
 * @throws ToolDefinitionError when it is no unfolding tool, or two tools inside would share a name.
 *
 * @example
 * ```ts
 * const more = withInnerTools(orders, countWords);
 * ```
 */
export function withInnerTools<T extends AnyTool>(unfolding: T, ...tools: readonly AnyTool[]): T {
  const known = unfoldingIn(unfolding);
  if (!known) throw new ToolDefinitionError(unfolding.name, 'tools', 'it is no unfolding tool.');
  const more = { ...known, into: withMore(unfolding.name, known.into, tools) };
  const inner = known.into.by === 'moment' ? undefined : [...(unfolding.inner ?? []), ...tools];
  return {
    ...decorate(unfolding, { inner }),
    route: unfolding.route && shortcut(more, unfolding.inputSchema),
    [UNFOLDS]: more,
  };
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

function withMore(name: string, into: UnfoldsInto, more: readonly AnyTool[]): UnfoldsInto {
  switch (into.by) {
    case 'all':
      return { ...into, tools: checkTools(name, 'tools', [...into.tools, ...more]) };
    case 'moment':
      return { ...into, ask: (view) => [...into.ask(view), ...more] };
    case 'category': {
      const lists = [...into.tools].map(
        ([category, tools]) =>
          [category, checkTools(name, `byCategory.${category}`, [...tools, ...more])] as const,
      );
      return { ...into, tools: new Map(lists) };
    }
    case 'selection':
      return { ...into, select: (input, view) => [...into.select(input, view), ...more] };
  }
}
