import { memoized } from '../tool/async.ts';
import { isTool } from '../tool/check-definition.ts';
import { adopting, decorate, opensTools } from '../tool/decorate.ts';
import type { AnyTool } from '../tool/tool.ts';
import { usesOf } from '../tool/uses.ts';
import { changedTools, collectTools } from './resolution/resolve-tools.ts';
import {
  isGroup,
  isToolProvider,
  type ToolGroup,
  type ToolProvider,
  type ToolSource,
} from './resolution/tool-source.ts';

/**
 * The same source with each of its tools decorated, also those that come later: what a provider answers is decorated as it comes, and
 * of an unfolding tool the tools behind it are, at whatever depth, and opening it is not. An agentic tool is one tool. A
 * tool stays a tool, a provider a provider, and a group a group; an object, or a factory, becomes a list of its tools,
 * and of a list the tools come first. Each tool is decorated once. Nothing that was given is changed.
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError for what cannot be listed among the tools of an agent.
 *
 * @example
 * ```ts
 * const tools = eachTool([findOrder, new Invoices(), wikiTools], (tool) => withUsageNote(tool, 'Ask first'));
 * ```
 */
export function eachTool(source: ToolGroup, change: ChangesTool): ToolGroup;
export function eachTool(source: ToolProvider, change: ChangesTool): ToolProvider;
export function eachTool(source: AnyTool, change: ChangesTool): AnyTool;
export function eachTool(
  source: ToolSource | readonly ToolSource[],
  change: ChangesTool,
): readonly (AnyTool | ToolProvider | ToolGroup)[];
export function eachTool(
  source: ToolGroup | ToolSource | readonly ToolSource[],
  change: ChangesTool,
): ToolGroup | AnyTool | ToolProvider | readonly (AnyTool | ToolProvider | ToolGroup)[] {
  if (isTool(source)) return eachInside(source, change);
  if (isToolProvider(source)) return changedTools(source, (tool) => eachInside(tool, change));
  if (isGroup(source)) return { ...source, ...partsOf(source, change) };
  const list = isList(source) ? source : [source];
  const { tools, providers } = partsOf(collectTools(list.filter((one) => !isGroup(one))), change);
  return [...tools, ...providers, ...list.filter(isGroup).map((group) => eachTool(group, change))];
}

/** What a decorator of each tool is: it takes a tool and answers a tool. */
type ChangesTool = (tool: AnyTool) => AnyTool;

const partsOf = (
  { tools, providers }: Pick<ToolGroup, 'tools' | 'providers'>,
  change: ChangesTool,
): Pick<ToolGroup, 'tools' | 'providers'> => ({
  tools: tools.map((tool) => eachInside(tool, change)),
  providers: providers.map((provider) => eachTool(provider, change)),
});

function eachInside(tool: AnyTool, change: ChangesTool): AnyTool {
  if (!opensTools(tool)) return change(tool);
  const changed = memoized((inner: AnyTool) => eachInside(inner, change));
  const uses = usesOf((tool.inner ?? []).map(changed));
  return decorate(tool, {
    adopt: adopting(tool, changed),
    ...(uses.length > 0 && { uses: [...new Set([...(tool.uses ?? []), ...uses])] }),
  });
}

const isList = (source: ToolSource | readonly ToolSource[]): source is readonly ToolSource[] =>
  Array.isArray(source);
