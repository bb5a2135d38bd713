import { memoized } from '../../tool/async.ts';
import { checkNaming, isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { adopting, decorate, opensTools } from '../../tool/decorate.ts';
import { literals } from '../../tool/literals.ts';
import { readObject } from '../../tool/object-reader.ts';
import { ended } from '../../tool/shown.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';
import { usesOf } from '../../tool/uses.ts';
import {
  type AppRequest,
  ASKS,
  type CollectedTools,
  type CollectPlace,
  carriesSource,
  isGroup,
  isToolProvider,
  type ListedAt,
  type ProvideOptions,
  SOURCE,
  type ToolGroup,
  type ToolProvider,
  ToolResolutionError,
  type ToolSource,
} from './tool-source.ts';

/** The tools of a list as it stands now. */
export interface ResolvedTools {
  /** Those that were listed, in order, then those that providers answered. */
  readonly tools: readonly AnyTool[];
  /** For names that come from outside. */
  readonly byName: ReadonlyMap<string, AnyTool>;
}

/** How strictly tools are collected. */
export interface CollectOptions {
  /** Refuse names with a hyphen, which some catalogues do not know. */
  readonly strictNames?: boolean | undefined;
}

/**
 * The tools of a list that may mix tools, tool objects and providers, which are asked each time. A provider's
 * tool whose name is taken is left out.
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError as `collectTools`; ToolResolutionError when a
 *   provider answers with something else than tools.
 */
export function resolveTools(
  sources: readonly ToolSource[],
  { strictNames = false }: CollectOptions = {},
): ResolvedTools {
  const { tools: listed, providers } = collectTools(sources);
  const tools = withProvided(listed, providers);
  const loose = strictNames ? tools.find(({ name }) => name.includes('-')) : undefined;
  if (loose)
    throw new ToolResolutionError(`Tool '${loose.name}': its name may hold only A-Z, a-z, 0-9 and '_' here`);
  return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
}

/** The tools, and those that the providers answer now. @throws as `resolveTools`, and what a provider throws. */
export const withProvided = (
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
  options?: ProvideOptions,
): readonly AnyTool[] => providers[0]?.[ASKS].withProvided(tools, providers, options) ?? tools;

/**
 * The provider, each of its tools as `change` makes it, or left out where that answers `undefined`. The same tool is changed
 * once. What is no tool is left for whoever asks to refuse.
 */
export function changedTools(
  provider: ToolProvider,
  change: (tool: AnyTool) => AnyTool | undefined,
): ToolProvider {
  const changed = memoized((tool: AnyTool) => ({ tool: change(tool) }));
  return {
    ...provider,
    toolsNow: (view) =>
      provider.toolsNow(view).flatMap((tool) => (isTool(tool) ? (changed(tool).tool ?? []) : [tool])),
  };
}

/**
 * The tools of a list that may mix tools, tool objects, groups, references, factories and providers. What is listed twice counts once;
 * an empty list is fine.
 *
 * @throws ToolResolutionError for what is none of these, or may not stand here, and when two tools share a name;
 *   ToolDefinitionError for a name that some provider would refuse; ToolObjectError as `toolsOf`.
 */
export function collectTools(sources: readonly ToolSource[], place: CollectPlace = {}): CollectedTools {
  const byName = new Map<string, AnyTool>();
  const places = new Map<AnyTool, number>();
  const providers = new Set<ToolProvider>();
  const requests: AppRequest[] = [];
  const notes: string[] = [];
  for (const [index, source] of sources.entries()) {
    if (sources.indexOf(source) < index) continue;
    const at = collectAt(source, { ...place, index: (place.from ?? 0) + index });
    for (const tool of at.tools ?? []) {
      checkNaming(tool.name, tool.description);
      const taken = byName.get(tool.name) ?? tool;
      if (taken !== tool) throw duplicate(sources, [taken, places.get(taken) ?? index], [tool, index]);
      byName.set(tool.name, tool);
      places.set(tool, index);
    }
    for (const provider of at.providers ?? []) providers.add(provider);
    requests.push(...(at.requests ?? []));
    notes.push(...(at.notes ?? []));
  }
  if (providers.size > 0 && place.noProviders !== undefined)
    throw new ToolResolutionError(`A tool provider is among them, ${place.noProviders}`);
  return { tools: [...byName.values()], providers: [...providers], requests, notes };
}

/**
 * What a list holds that a tool is made with. `said`: what the error says before the reason.
 *
 * @throws ToolDefinitionError for what cannot be listed there; ToolObjectError as `toolsOf`.
 */
export function collectFor(
  { tool, field, said = 'it cannot have these tools' }: ListPlace,
  sources: readonly ToolSource[],
  place?: CollectPlace,
): CollectedTools {
  try {
    return collectTools(sources, place);
  } catch (cause) {
    if (!(cause instanceof ToolResolutionError)) throw cause;
    throw new ToolDefinitionError(tool, field, { problem: `${said}: ${ended(cause.message)}`, cause });
  }
}

/** Where a list stands in the literal of a tool. */
interface ListPlace {
  readonly tool: string;
  readonly field: string;
  readonly said?: string | undefined;
}

/** What one element of a list holds. The types cannot keep everything out. */
function collectAt(source: unknown, place: ListedAt): Partial<CollectedTools> {
  if (isTool(source)) return { tools: [source] };
  if (carriesSource(source)) return source[SOURCE](place);
  const read = readObject(source, { isShared: place.path === undefined });
  if (read) return { tools: read };
  const mistake = literals?.listedMistake(source) ?? 'is neither a tool nor has tools';
  throw new ToolResolutionError(`Tool at index ${place.index} ${mistake}`);
}

/** A tool, and the index of what brings it. */
type Brought = readonly [tool: AnyTool, index: number];

const duplicate = (sources: readonly ToolSource[], taken: Brought, second: Brought): ToolResolutionError =>
  new ToolResolutionError(
    `Duplicate tool name: '${second[0].name}'${literals?.broughtTwice(sources, [taken, second]) ?? ''}`,
  );

/** The sources after one that asks these providers, in place of the one that asked only some of them. */
export const withProviders = (
  sources: readonly InjectionStrategy[],
  providers: readonly ToolProvider[],
): readonly InjectionStrategy[] => providers[0]?.[ASKS].withProviders(sources, providers) ?? sources;

/** The same source, each tool that it adds as `change` makes it. An unchanged list stays the same list. */
export function changedSource(
  source: InjectionStrategy,
  change: (tool: AnyTool) => AnyTool,
): InjectionStrategy {
  const changed = memoized(change);
  const lists = new WeakMap<readonly AnyTool[], Changed>();
  return {
    name: source.name,
    uses: source.uses,
    discover: source.discover,
    offer(tools, view) {
      const offered = source.offer(tools, view);
      if (offered === tools) return tools;
      const known = lists.get(offered);
      if (known?.of === tools) return known.made;
      const made = offered.map((tool) => (tools.includes(tool) ? tool : changed(tool)));
      lists.set(offered, { of: tools, made });
      return made;
    },
  };
}

/** What was made of an offer, and to what that was added. */
interface Changed {
  readonly of: readonly AnyTool[];
  readonly made: readonly AnyTool[];
}

/**
 * The same source with each of its tools decorated, also those that come later: what a provider answers is decorated as it comes, and
 * of an unfolding tool the tools behind it are, at whatever depth, and opening it is not. An agentic tool is one tool. A
 * tool stays a tool, a provider a provider, and a group a group; an object, a reference or a factory becomes a list of its tools,
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
