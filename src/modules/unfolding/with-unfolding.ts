import { collectForField, withProviderTools } from '../../sources/resolution/resolve-tools.ts';
import {
  type CollectedTools,
  isToolGroup,
  type Reference,
  type ToolGroup,
  type ToolSource,
} from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import { joinParagraphs } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { collectUses } from '../../tool/uses.ts';
import { createShortcut } from './call-unfolding.ts';
import { toUnfoldsInto } from './define-unfolding.ts';
import { checkTools, toUnfolding } from './to-unfolding.ts';
import type { UnfoldingOptions } from './unfolding.ts';
import { createInnerTools, findUnfolding, UNFOLDS, type Unfolding, type UnfoldsInto } from './unfolding.ts';

/**
 * Returns a copy of a reference or tool group whose tools are inside one unfolding tool. Its notes are shown
 * when that tool is called, and are no longer part of the instructions. Returns a copy that already has this
 * form unchanged.
 *
 * The tool's name defaults to that of the reference or group, in which invalid characters become `_`. A group
 * keeps its role, version and permissions. Its providers load no data before the model opens it.
 *
 * @throws ToolDefinitionError if it has no tools, or the name or description is invalid for a tool.
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
  const providers = isToolGroup(source) ? source.providers : [];
  if (first && more.length === 0 && providers.length === 0 && findUnfolding(first)) return source;
  const { name = toToolName(source.name), ...rest } = options;
  const { description } = source;
  const unfolding = toUnfolding({
    ...rest,
    ...toUnfoldsInto({ tools: source.tools, providers }),
    name,
    description,
    childToolUsageNotes: getNotes(source),
  });
  const told = isToolGroup(source)
    ? { childToolUsageNotes: undefined, providers: [] }
    : { notes: `Call '${name}' for its notes and its tools.` };
  return { ...source, ...told, tools: [unfolding] };
}

const getNotes = (source: Reference | ToolGroup): string | undefined =>
  isToolGroup(source) ? source.childToolUsageNotes : source.notes;

const toToolName = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 64);

/**
 * Returns a copy of an unfolding tool with more inner tools, listed as for an agent. Its notes, schema and
 * selector stay the same. With categories or a selector, the new tools are offered for every input, and
 * cannot come from providers.
 *
 * @throws ToolDefinitionError if it is not an unfolding tool, or two inner tools would share a name.
 * @throws ToolObjectError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const more = withInnerTools(orders, countWords);
 * ```
 */
export function withInnerTools<T extends AnyTool>(unfolding: T, ...tools: readonly ToolSource[]): T {
  const known = findUnfolding(unfolding);
  const { name } = unfolding;
  if (!known) throw new ToolDefinitionError(name, 'tools', 'it is not an unfolding tool.');
  const noProviders = findProviderProblem(known);
  const more = extendUnfolding(
    name,
    known,
    collectForField({ tool: name, field: 'tools' }, tools, { noProviders }),
  );
  const inner = known.into.by === 'moment' ? undefined : [...(unfolding.inner ?? []), ...more.listed];
  return {
    ...decorate(unfolding, { inner, uses: [...(unfolding.uses ?? []), ...more.uses] }),
    route: unfolding.route && createShortcut(more.unfolding, unfolding.inputSchema),
    [UNFOLDS]: more.unfolding,
  };
}

const findProviderProblem = ({ into }: Unfolding): string | undefined =>
  into.by === 'category' || into.by === 'selection'
    ? 'which is not allowed here, since the input of this tool selects its tools'
    : undefined;

/** Adds tools to an unfolding tool, some of which may be known in advance. */
function extendUnfolding(
  name: string,
  unfolding: Unfolding,
  { tools: more, providers, notes: told }: CollectedTools,
): {
  readonly unfolding: Unfolding;
  readonly listed: readonly AnyTool[];
  readonly uses: readonly ModuleUse[];
} {
  const into = extendInto(name, unfolding.into, more);
  const notes = joinParagraphs(unfolding.notes, ...told) || undefined;
  if (providers.length === 0) return { unfolding: { ...unfolding, notes, into }, listed: more, uses: [] };
  const createInnerToolList = (view: LoopView): readonly AnyTool[] =>
    withProviderTools(createInnerTools(into, { call: '' }, view), providers, { view });
  const { prepare, isKnown } = toUnfoldsInto({ tools: [], providers }, unfolding);
  const uses = collectUses([...more, ...providers]);
  return {
    unfolding: { ...unfolding, notes, into: { by: 'moment', ask: createInnerToolList }, prepare, isKnown },
    listed: more,
    uses,
  };
}

function extendInto(name: string, into: UnfoldsInto, more: readonly AnyTool[]): UnfoldsInto {
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
