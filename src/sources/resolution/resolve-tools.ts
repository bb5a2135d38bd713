import { memoize } from '../../tool/async.ts';
import { checkNaming, isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate, opensTools, wrapAdopt } from '../../tool/decorate.ts';
import { literals } from '../../tool/literals.ts';
import { readObject } from '../../tool/object-reader.ts';
import { withFullStop } from '../../tool/shown.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';
import { collectUses } from '../../tool/uses.ts';
import {
  type AppRequest,
  type CollectedTools,
  type CollectPlace,
  type ElementPlace,
  isSourceCarrier,
  isToolGroup,
  isToolProvider,
  PROVIDER_FUNCTIONS_KEY,
  type ProvideOptions,
  SOURCE_KEY,
  type ToolGroup,
  type ToolProvider,
  ToolResolutionError,
  type ToolSource,
} from './tool-source.ts';

/** The current tools of a list. */
export interface ResolvedTools {
  /** The listed tools in order, followed by those from providers. */
  readonly tools: readonly AnyTool[];
  /** The tools by name, for lookups of names from outside. */
  readonly byName: ReadonlyMap<string, AnyTool>;
}

/** How strictly tools are collected. */
export interface CollectOptions {
  /** If `true`, refuses names with a hyphen, which some catalogs do not support. */
  readonly strictNames?: boolean | undefined;
}

/**
 * Returns the current tools of a list. The list can mix tools, tool objects and providers, which are queried
 * on each call. A provider's tool is omitted if its name is in use.
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError as `collectTools` does.
 * ToolResolutionError if a provider returns a value that is not a tool.
 *
 * @example
 * ```ts
 * const names = resolveTools([ordersGroup, new Invoices()]).tools.map(({ name }) => name);
 * ```
 */
export function resolveTools(
  sources: readonly ToolSource[],
  { strictNames = false }: CollectOptions = {},
): ResolvedTools {
  const { tools: listed, providers } = collectTools(sources);
  const tools = withProviderTools(listed, providers);
  const loose = strictNames ? tools.find(({ name }) => name.includes('-')) : undefined;
  if (loose)
    throw new ToolResolutionError(
      `Tool '${loose.name}': its name can contain only A-Z, a-z, 0-9 and '_' here`,
    );
  return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
}

/**
 * Returns the tools, followed by the current tools of the providers.
 *
 * @throws as `resolveTools` does, and any error that a provider throws.
 */
export const withProviderTools = (
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
  options?: ProvideOptions,
): readonly AnyTool[] =>
  providers[0]?.[PROVIDER_FUNCTIONS_KEY].withProvided(tools, providers, options) ?? tools;

/**
 * Returns the provider with each of its tools changed by `change`, or omitted if that returns `undefined`.
 * Each tool is changed once. Values that are not tools pass through, and are refused later.
 */
export function mapProviderTools(
  provider: ToolProvider,
  change: (tool: AnyTool) => AnyTool | undefined,
): ToolProvider {
  const changed = memoize((tool: AnyTool) => ({ tool: change(tool) }));
  return {
    ...provider,
    toolsNow: (view) =>
      provider.toolsNow(view).flatMap((tool) => (isTool(tool) ? (changed(tool).tool ?? []) : [tool])),
  };
}

/**
 * Collects the tools of a list that can mix tools, tool objects, groups, references, factories and providers.
 * Duplicates count once. An empty list is valid.
 *
 * @throws ToolResolutionError if an element is none of these or is not allowed here, or if two tools share a
 * name.
 * @throws ToolDefinitionError if a provider would refuse a tool's name.
 * @throws ToolObjectError as `toolsOf` does.
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
      if (taken !== tool)
        throw createDuplicateNameError(sources, [taken, places.get(taken) ?? index], [tool, index]);
      byName.set(tool.name, tool);
      places.set(tool, index);
    }
    for (const provider of at.providers ?? []) providers.add(provider);
    requests.push(...(at.requests ?? []));
    notes.push(...(at.notes ?? []));
  }
  if (providers.size > 0 && place.noProviders !== undefined)
    throw new ToolResolutionError(`The list contains a tool provider, ${place.noProviders}`);
  return { tools: [...byName.values()], providers: [...providers], requests, notes };
}

/**
 * Collects the tools in a field of a tool's definition. `said` is the start of the error message, before the
 * reason.
 *
 * @throws ToolDefinitionError if an element cannot be listed there.
 * @throws ToolObjectError as `toolsOf` does.
 */
export function collectForField(
  { tool, field, said = 'it cannot have these tools' }: ListPlace,
  sources: readonly ToolSource[],
  place?: CollectPlace,
): CollectedTools {
  try {
    return collectTools(sources, place);
  } catch (cause) {
    if (!(cause instanceof ToolResolutionError)) throw cause;
    throw new ToolDefinitionError(tool, field, { problem: `${said}: ${withFullStop(cause.message)}`, cause });
  }
}

/** The place of a list in a tool's definition. */
interface ListPlace {
  readonly tool: string;
  readonly field: string;
  readonly said?: string | undefined;
}

/** Collects one element of a list. Checked at run time, since the types cannot exclude every mistake. */
function collectAt(source: unknown, place: ElementPlace): Partial<CollectedTools> {
  if (isTool(source)) return { tools: [source] };
  if (isSourceCarrier(source)) return source[SOURCE_KEY](place);
  const read = readObject(source, { isShared: place.path === undefined });
  if (read) return { tools: read };
  const mistake = literals?.listedMistake(source) ?? 'is not a tool and has no tools';
  throw new ToolResolutionError(`Tool at index ${place.index} ${mistake}`);
}

/** A tool, and the index of the element that it comes from. */
type IndexedTool = readonly [tool: AnyTool, index: number];

const createDuplicateNameError = (
  sources: readonly ToolSource[],
  taken: IndexedTool,
  second: IndexedTool,
): ToolResolutionError =>
  new ToolResolutionError(
    `Duplicate tool name: '${second[0].name}'${literals?.broughtTwice(sources, [taken, second]) ?? ''}`,
  );

/** Adds a source that queries these providers. It replaces a source that queries only some of them. */
export const withProviders = (
  sources: readonly InjectionStrategy[],
  providers: readonly ToolProvider[],
): readonly InjectionStrategy[] =>
  providers[0]?.[PROVIDER_FUNCTIONS_KEY].withProviders(sources, providers) ?? sources;

/**
 * Returns the source with each tool that it adds changed by `change`. An unchanged list stays the same array.
 */
export function mapSourceTools(
  source: InjectionStrategy,
  change: (tool: AnyTool) => AnyTool,
): InjectionStrategy {
  const changed = memoize(change);
  const lists = new WeakMap<readonly AnyTool[], ChangedOffer>();
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

/** A changed offer, and the list that its tools were added to. */
interface ChangedOffer {
  readonly of: readonly AnyTool[];
  readonly made: readonly AnyTool[];
}

/**
 * Decorates every tool of a source, including tools that arrive later: those of a provider as it returns
 * them, and those behind an unfolding tool at any depth. Opening an unfolding tool is not decorated, and an
 * agentic tool counts as one tool.
 *
 * A tool stays a tool, a provider a provider, and a group a group. An object, a reference or a factory
 * becomes a list of its tools. In a list, tools come first. Each tool is decorated once, and the originals
 * are not changed.
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError if an element cannot be listed among
 * the tools of an agent.
 *
 * @example
 * ```ts
 * const tools = eachTool([findOrder, new Invoices(), wikiTools], (tool) => withUsageNote(tool, 'Ask first'));
 * ```
 */
export function eachTool(source: ToolGroup, change: ToolDecorator): ToolGroup;
export function eachTool(source: ToolProvider, change: ToolDecorator): ToolProvider;
export function eachTool(source: AnyTool, change: ToolDecorator): AnyTool;
export function eachTool(
  source: ToolSource | readonly ToolSource[],
  change: ToolDecorator,
): readonly (AnyTool | ToolProvider | ToolGroup)[];
export function eachTool(
  source: ToolGroup | ToolSource | readonly ToolSource[],
  change: ToolDecorator,
): ToolGroup | AnyTool | ToolProvider | readonly (AnyTool | ToolProvider | ToolGroup)[] {
  if (isTool(source)) return changeInnerTool(source, change);
  if (isToolProvider(source)) return mapProviderTools(source, (tool) => changeInnerTool(tool, change));
  if (isToolGroup(source)) return { ...source, ...changeParts(source, change) };
  const list = isList(source) ? source : [source];
  const { tools, providers } = changeParts(collectTools(list.filter((one) => !isToolGroup(one))), change);
  return [...tools, ...providers, ...list.filter(isToolGroup).map((group) => eachTool(group, change))];
}

type ToolDecorator = (tool: AnyTool) => AnyTool;

const changeParts = (
  { tools, providers }: Pick<ToolGroup, 'tools' | 'providers'>,
  change: ToolDecorator,
): Pick<ToolGroup, 'tools' | 'providers'> => ({
  tools: tools.map((tool) => changeInnerTool(tool, change)),
  providers: providers.map((provider) => eachTool(provider, change)),
});

function changeInnerTool(tool: AnyTool, change: ToolDecorator): AnyTool {
  if (!opensTools(tool)) return change(tool);
  const changed = memoize((inner: AnyTool) => changeInnerTool(inner, change));
  const uses = collectUses((tool.inner ?? []).map(changed));
  return decorate(tool, {
    adopt: wrapAdopt(tool, changed),
    ...(uses.length > 0 && { uses: [...new Set([...(tool.uses ?? []), ...uses])] }),
  });
}

const isList = (source: ToolSource | readonly ToolSource[]): source is readonly ToolSource[] =>
  Array.isArray(source);
