import type { Reference } from '../agent/reference.ts';
import { foundBy, partsOf } from '../tools/discovery.ts';
import { facadeIn } from '../tools/facades/facade.ts';
import { toUnfolding } from '../tools/facades/to-unfolding.ts';
import type { PlainUnfolding, UnfoldingOptions } from '../tools/facades/unfolding-config.ts';
import type { ToolGroup } from '../tools/groups/define-tool-group.ts';
import { withProvided } from '../tools/resolution/resolve-tools.ts';
import type { ToolProvider } from '../tools/resolution/tool-source.ts';
import type { AnyTool } from '../tools/tool.ts';

/**
 * The same reference or tool group with its tools behind one, which tells its notes when it is called: they are no longer
 * part of the instructions. One that is like this already stays as it is (PRN-07, UNF-34).
 *
 * The tool has the name of the reference or group, with `_` for what may not stand in a tool's name, unless another is
 * given. A group keeps its role, version and permissions. Its providers are asked for their tools by whoever opens it, and
 * find out nothing before.
 *
 * @throws ToolDefinitionError when there are no tools, or the name or description cannot be a tool's.
 */
export function withUnfolding<T extends Reference | ToolGroup>(
  source: T,
  options: Omit<UnfoldingOptions, 'childToolUsageNotes'> & { readonly name?: string | undefined } = {},
): T {
  const [first, ...more] = source.tools;
  const providers = isGroup(source) ? source.providers : [];
  if (first && more.length === 0 && providers.length === 0 && facadeIn(first)) return source;
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

/** What is inside when some of it is known only in a turn, and found out when it is opened. */
const provided = (
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
): Pick<PlainUnfolding<string>, 'tools' | 'prepare'> => ({
  tools: (view) => withProvided(tools, providers, { view }),
  async prepare({ discovery, record }) {
    const found = await foundBy(providers.flatMap(partsOf), discovery);
    // `record` goes by the slice's name alone.
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
