import type { Reference } from '../agent/reference.ts';
import { facadeIn } from '../tools/facades/facade.ts';
import { toUnfolding } from '../tools/facades/to-unfolding.ts';
import type { UnfoldingOptions } from '../tools/facades/unfolding-config.ts';
import type { ToolGroup } from '../tools/groups/define-tool-group.ts';

/**
 * The same reference or tool group with its tools behind one, which tells its notes when it is called: they are no longer
 * part of the instructions. One that is like this already stays as it is (PRN-07, UNF-34).
 *
 * The tool has the name of the reference or group, with `_` for what may not stand in a tool's name, unless another is
 * given. A group keeps its role, version and permissions.
 *
 * @throws ToolDefinitionError when there are no tools, or the name or description cannot be a tool's.
 */
export function withUnfolding<T extends Reference | ToolGroup>(
  source: T,
  options: Omit<UnfoldingOptions, 'childToolUsageNotes'> & { readonly name?: string | undefined } = {},
): T {
  const [first, ...more] = source.tools;
  if (first && more.length === 0 && facadeIn(first)) return source;
  const { name = toToolName(source.name), ...rest } = options;
  const { description, tools } = source;
  const unfolding = toUnfolding({ ...rest, name, description, tools, childToolUsageNotes: notesOf(source) });
  const told = isGroup(source)
    ? { childToolUsageNotes: undefined }
    : { notes: `Call '${name}' for its notes and its tools.` };
  return { ...source, ...told, tools: [unfolding] };
}

const isGroup = (source: Reference | ToolGroup): source is ToolGroup => 'childToolUsageNotes' in source;

const notesOf = (source: Reference | ToolGroup): string | undefined =>
  isGroup(source) ? source.childToolUsageNotes : source.notes;

const toToolName = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, 64);
