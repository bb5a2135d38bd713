import { memoized } from '../../tool/async.ts';
import { checkNaming, isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { nameOf, ownerOf } from '../../tool/object-class.ts';
import { readerOf } from '../../tool/object-reader.ts';
import { ended } from '../../tool/shown.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { Nested } from './nesting.ts';
import {
  type CollectMade,
  FACTORY,
  isGroup,
  isToolFactory,
  isToolProvider,
  partsOf,
  type ToolGroupPermission,
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

/**
 * The tools of a list that may mix tools, tool objects and providers, which are asked each time. A provider's
 * tool whose name is taken is left out.
 *
 * @throws ToolResolutionError, ToolDefinitionError or ToolObjectError as `collectTools`; ToolResolutionError when a
 *   provider answers with something else than tools.
 */
export function resolveTools(sources: readonly ToolSource[], options: CollectOptions = {}): ResolvedTools {
  const { tools: listed, providers } = collectTools(sources, options);
  const tools = withProvided(listed, providers, options);
  return { tools, byName: new Map(tools.map((tool) => [tool.name, tool])) };
}

/** What the providers are asked with. */
interface ProvideOptions extends CollectOptions {
  readonly view?: LoopView | undefined;
  /** Told of what is left out, and of what has its name. */
  readonly onTaken?: ((tool: AnyTool, taken: AnyTool) => void) | undefined;
}

/** The tools, and those that the providers answer now. @throws as `resolveTools`, and what a provider throws. */
export function withProvided(
  tools: readonly AnyTool[],
  providers: readonly ToolProvider[],
  options: ProvideOptions = {},
): readonly AnyTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const [at, provider] of providers.entries()) {
    for (const [index, tool] of provider.toolsNow(options.view).entries()) {
      if (!isTool(tool)) {
        throw new ToolResolutionError(`Tool at index ${index} of tool provider ${at} is not a tool`);
      }
      checkName(tool, options);
      const taken = byName.get(tool.name);
      if (taken) options.onTaken?.(tool, taken);
      else byName.set(tool.name, tool);
    }
  }
  return [...byName.values()];
}

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
    toolsNow: (view) =>
      provider.toolsNow(view).flatMap((tool) => (isTool(tool) ? (changed(tool).tool ?? []) : [tool])),
    discover: provider.discover && partsOf(provider),
    uses: provider.uses,
    about: provider.about,
    missing: provider.missing?.bind(provider),
  };
}

/** A list of sources, sorted out. */
export interface CollectedTools {
  /** In the order of the list. */
  readonly tools: readonly AnyTool[];
  /** Providers that were not asked yet. */
  readonly providers: readonly ToolProvider[];
  /** When to use the tools of the groups in the list. */
  readonly notes: readonly string[];
}

/** How strictly tools are collected. */
export interface CollectOptions {
  /** Refuse names with a hyphen, which some catalogues do not know. */
  readonly strictNames?: boolean | undefined;
}

/** Where tools are collected. */
interface CollectPlace extends CollectOptions {
  /** What groups in the list may need: nothing unless given, since an agent has to allow it. */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /** Who would have to need what a group in the list needs; an agent unless given. */
  readonly groupsIn?: string | undefined;
  /** Why there can be no providers here, after "a tool provider"; they can unless given. */
  readonly noProviders?: string | undefined;
  /** The index of the first element, where the list is a part of another; 0 unless given. */
  readonly from?: number | undefined;
  /** What all of the list stands inside. */
  readonly path?: readonly Nested[] | undefined;
}

/**
 * The tools of a list that may mix tools, tool objects, groups, factories and providers. What is listed twice counts once;
 * an empty list is fine.
 *
 * @throws ToolResolutionError for what is none of these, or may not stand here, and when two tools share a name;
 *   ToolDefinitionError for a name that some provider would refuse; ToolObjectError as `toolsOf`.
 */
export function collectTools(sources: readonly ToolSource[], place: CollectPlace = {}): CollectedTools {
  const byName = new Map<string, AnyTool>();
  const providers: ToolProvider[] = [];
  const notes: string[] = [];
  for (const [index, source] of sources.entries()) {
    if (sources.indexOf(source) < index) continue;
    const at = collectAt((place.from ?? 0) + index, source, place);
    for (const tool of at.tools) add(byName, tool, place);
    providers.push(...at.providers);
    notes.push(...at.notes);
  }
  if (providers.length > 0 && place.noProviders !== undefined) {
    throw new ToolResolutionError(`A tool provider is among them, ${place.noProviders}`);
  }
  return { tools: [...byName.values()], providers: [...new Set(providers)], notes };
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

/** What one element of a list holds. */
function collectAt(index: number, source: ToolSource, place: CollectPlace): CollectedTools {
  if (isToolProvider(source)) return { ...NOTHING, providers: [source] };
  if (isToolFactory(source)) return { ...NOTHING, tools: source[FACTORY](place.path ?? [], collectMade) };
  if (!isGroup(source)) return { ...NOTHING, tools: toolsAt(index, source, place) };
  const { role, tools, providers, childToolUsageNotes: notes, permissions } = source;
  const refused = permissions.filter((permission) => !place.permissions?.includes(permission));
  if (refused.length === 0) return { tools, providers, notes: notes === undefined ? [] : [notes] };
  throw new ToolResolutionError(
    `Tool at index ${index} is the tool group '${shorten(role, 80)}', which needs ${refused.join(' and ')}: ` +
      (place.groupsIn === undefined
        ? "only an agent can allow that. List it among the agent's own tools, and what it needs under its permissions"
        : `so ${place.groupsIn} has to need it too. Add it to its permissions`),
  );
}

const NOTHING: CollectedTools = { tools: [], providers: [], notes: [] };

/** The tools of what a factory made, which each invocation makes for itself. */
const collectMade: CollectMade = (made, path) =>
  collectTools(made as readonly ToolSource[], { path, noProviders: IN_FACTORY }).tools; // checked one by one

const IN_FACTORY = 'which a tool factory cannot make: list it beside the factory';

function add(byName: Map<string, AnyTool>, tool: AnyTool, options: CollectOptions): void {
  checkName(tool, options);
  const taken = byName.get(tool.name);
  if (taken === tool) return;
  if (taken) throw new ToolResolutionError(`Duplicate tool name: '${tool.name}'${toRename(tool, taken)}`);
  byName.set(tool.name, tool);
}

/** How a tool of an MCP server is given a name that is free, to end a sentence; nothing where neither is one. */
export function toRename(...tools: readonly AnyTool[]): string {
  const clients = tools.flatMap(({ metadata: { mcp } }) => Object(mcp).server ?? []);
  return clients.length === 0 ? '' : `. Give the MCP client '${clients[0]}' a \`prefix\` to have both`;
}

/** @throws ToolDefinitionError or ToolResolutionError when the name cannot be used. */
function checkName({ name, description }: AnyTool, { strictNames = false }: CollectOptions): void {
  checkNaming(name, description);
  if (!strictNames || !name.includes('-')) return;
  throw new ToolResolutionError(`Tool '${name}': its name may hold only A-Z, a-z, 0-9 and '_' here`);
}

function toolsAt(index: number, source: ToolSource, { path }: CollectPlace): readonly AnyTool[] {
  const given: unknown = source; // the types cannot keep everything out
  if (given === null || given === undefined) {
    throw new ToolResolutionError(`Tool at index ${index} must not be ${given}`);
  }
  if (isTool(given)) return [given];
  const mistaken = literals?.mistakenFor(given);
  if (mistaken) throw new ToolResolutionError(`Tool at index ${index} ${mistaken}`);
  const object = typeof given === 'object' || typeof given === 'function' ? given : undefined;
  const read = object && readerOf(object);
  if (object && read) return read(object, { isShared: path === undefined });
  const unread = object && literals?.unreadable(object);
  if (unread !== undefined) throw new ToolResolutionError(`Tool at index ${index} ${unread}`);
  const name = object && nameOf(ownerOf(object));
  const bare = literals?.mistakenClass(given, name);
  if (bare !== undefined) throw new ToolResolutionError(`Tool at index ${index} ${bare}`);
  throw new ToolResolutionError(
    `Tool at index ${index} (${name ?? typeof given}) is neither a tool nor a tool provider, ` +
      "nor has its class a static 'tools' table",
  );
}
