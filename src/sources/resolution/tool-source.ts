import { warnDeveloper } from '../../tool/console-log.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { MarkedObject } from '../../tool/object-reader.ts';
import {
  ANY_OBJECT,
  type Infer,
  OPTIONAL_TEXT,
  type Shape,
  type ShapeAs,
  TEXT,
  type WithUndefined,
} from '../../tool/shape.ts';
import type {
  AnyTool,
  Discover,
  Discovery,
  DiscoverySteps,
  InjectionStrategy,
  LoopView,
} from '../../tool/tool.ts';
import type { MemoryFact } from '../../tool/tool-memory.ts';

/** An element of a list of tools, wherever tools are listed. */
export type ToolSource =
  | AnyTool
  | ToolProvider
  | ToolGroup
  | ToolReference
  | ToolFactory
  | AppRequest
  | ToolObjectSource;

/**
 * The key of the function that collects the tools of a source. A Worker without such sources does not bundle
 * that code.
 */
export const SOURCE_KEY: unique symbol = Symbol('holdfast.tool-source');

/**
 * An object with that function, made by `toolProvider`, `toolFactory`, `defineToolGroup`, `toolGroup` or
 * `defineReference`.
 */
interface SourceCarrier {
  /**
   * Returns the tools and other parts that it represents.
   *
   * @throws ToolResolutionError if it cannot be listed in this place.
   */
  [SOURCE_KEY](place: ElementPlace): Partial<CollectedTools>;
}

/** The contents of a list of sources, by kind. */
export interface CollectedTools {
  /** Tools, in the order of the list. */
  readonly tools: readonly AnyTool[];
  /** Providers that have not been queried yet. */
  readonly providers: readonly ToolProvider[];
  /** Requests from an agent's list to its app. */
  readonly requests: readonly AppRequest[];
  /** Notes for the model about the tools in the list. */
  readonly notes: readonly string[];
}

/** The place where tools are collected. */
export interface CollectPlace {
  /** If `true`, groups are left for the environments of an agent. Otherwise their tools are collected. */
  readonly isAgent?: boolean | undefined;
  /** The permissions that groups in the list can use. Defaults to none, since an agent must grant them. */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /**
   * The name, for errors, of the definition that would have to grant the permissions. Defaults to an agent.
   */
  readonly groupsIn?: string | undefined;
  /** If set, providers are not allowed here. The text is the reason, and follows "a tool provider". */
  readonly noProviders?: string | undefined;
  /** The index of the first element, if the list is part of another. Defaults to 0. */
  readonly from?: number | undefined;
  /** The sources that contain this list. */
  readonly path?: readonly NestedSource[] | undefined;
}

/** The place of one element in a list. */
export interface ElementPlace extends CollectPlace {
  readonly index: number;
}

/** The options of `toolProvider`. */
export interface ToolProviderConfig {
  /**
   * Returns the current tools. Called before every model call, and again when calls run, including calls that
   * another invocation began. A call to a tool that is gone by then gets the result of a tool that does not
   * exist. Must be synchronous. If it throws, the turn fails. `view` shows the loop that queries. It is
   * absent if tools are only listed.
   */
  toolsNow(view?: LoopView): readonly AnyTool[];
  /** Called before each model call to discover outside state, so that `toolsNow` finds it in the view. */
  readonly discover?: DiscoverySteps | undefined;
  /**
   * Returns whether the session has the results of `discover`, for a provider behind an unfolding tool, which
   * discovers only when it is called. If `true` and there are no tools, the unfolding tool is not offered.
   * Defaults to `false`. Must not throw.
   */
  isKnown?(view: LoopView): boolean;
  /** The modules that its tools need, as in the definition of a tool. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Shown in lists of tools that are created without querying providers. */
  readonly about?: ProviderCard | undefined;
  /**
   * Returns the message for a call of a required tool that this provider lacks. `available` contains the
   * names that it has, sorted. Defaults to `Required tool '...' not found.` and that list.
   */
  readonly missing?: ((name: string, available: readonly string[]) => string) | undefined;
}

/**
 * A source of tools that can change over time: with a setting, the hour, or a catalog. Made by
 * `toolProvider`.
 */
export interface ToolProvider extends ToolProviderConfig, SourceCarrier {
  readonly [PROVIDER_FUNCTIONS_KEY]: ProviderFunctions;
}

/** The key of the functions that query providers. */
export const PROVIDER_FUNCTIONS_KEY: unique symbol = Symbol('holdfast.tool-provider');

/** The functions that query providers. Every provider has them. */
export interface ProviderFunctions {
  /**
   * Returns the tools, followed by the current tools of the providers.
   *
   * @throws as `resolveTools` does, and any error that a provider throws.
   */
  withProvided(
    tools: readonly AnyTool[],
    providers: readonly ToolProvider[],
    options?: ProvideOptions,
  ): readonly AnyTool[];
  /** Adds a source that queries these providers. It replaces a source that queries only some of them. */
  withProviders(
    sources: readonly InjectionStrategy[],
    providers: readonly ToolProvider[],
  ): readonly InjectionStrategy[];
}

/** Options for querying providers. */
export interface ProvideOptions {
  readonly view?: LoopView | undefined;
  /** Called with each omitted tool, and the tool that has its name. */
  readonly onTaken?: ((tool: AnyTool, taken: AnyTool) => void) | undefined;
}

/** Resources outside the session that the tools of a group use. An agent must grant them. */
export type ToolGroupPermission = 'internet-access' | 'host-access';

/** A group of tools that agents request by role, such as `web`. Made by `defineToolGroup`. Never mutated. */
export interface ToolGroup<Role extends string = string> extends SourceCarrier {
  readonly role: Role;
  readonly name: string;
  readonly description: string;
  readonly provider: string;
  readonly version: string;
  readonly permissions: readonly ToolGroupPermission[];
  readonly tools: readonly AnyTool[];
  /** Providers that are queried for more tools in each loop that has the group. */
  readonly providers: readonly ToolProvider[];
  readonly childToolUsageNotes: string | undefined;
  /** The modules that it needs, in addition to those of its tools. */
  readonly uses: readonly ModuleUse[];
}

/**
 * An agent's request to its app that each environment fills, such as a tool group. The module that fills it
 * defines the rest.
 */
export interface AppRequest extends SourceCarrier {
  /** The modules that it adds. */
  readonly uses: readonly ModuleUse[];
}

/** Tools that are made for each invocation. Made by `toolFactory`. */
export interface ToolFactory extends SourceCarrier {
  /** For type inference only. Never set, since its tools can have any names. */
  readonly '~names'?: string;
}

/** Plain data about a provider, for programs that list tools. */
export interface ProviderCard extends WithUndefined<Infer<typeof CARD_SHAPE>> {}
const CARD_SHAPE = {
  object: {
    name: TEXT,
    description: OPTIONAL_TEXT,
    /** Like the metadata of tools. Never sent to a model. */
    metadata: { optional: ANY_OBJECT },
  },
} as const satisfies Shape;
export const PROVIDER_CARD: ShapeAs<ProviderCard> = { like: CARD_SHAPE };

/**
 * An object with `toolMethod` fields, an object whose class has a static `toolTable`, or such a class. Among
 * other objects, the types exclude only a tool not made by `defineTool`, a tool group, an agent and an MCP
 * client.
 */
export type ToolObjectSource = object & {
  readonly childToolUsageNotes?: never;
  /** Excludes providers, which are made by `toolProvider`. */
  readonly toolsNow?: never;
  /** Excludes promises. */
  readonly then?: never;
  readonly needsApp?: never;
  /** Excludes MCP clients and their factories. */
  readonly '~mcp'?: 'List mcpToolProvider({ clients: [client] }), or the result of the factory, instead.';
  /** Excludes arrays. */
  readonly [Symbol.unscopables]?: never;
} & ({ readonly run?: undefined } | { readonly description?: undefined }) &
  (MissingFunction | { readonly tools: MarkedObject } | { readonly unfolding: object });

/**
 * Excludes functions and classes: a function that makes a tool cannot be listed, and a class only if it has
 * tools itself.
 */
interface MissingFunction {
  readonly [Symbol.hasInstance]?: never;
}

/** Returns whether a list element carries the function of its source. */
export const isSourceCarrier = (value: unknown): value is SourceCarrier => SOURCE_KEY in Object(value);

/** Returns whether a value was made by `toolProvider`. */
export const isToolProvider = (value: unknown): value is ToolProvider =>
  PROVIDER_FUNCTIONS_KEY in Object(value);

/** Returns whether a value is a tool group, and not a request for one or an agent. */
export const isToolGroup = (value: unknown): value is ToolGroup =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'role') === 'string' &&
  Array.isArray(Reflect.get(value, 'tools')) &&
  Array.isArray(Reflect.get(value, 'providers'));

/** Returns the parts of `discover`, each bound to its object. */
export const getDiscoverySteps = (source: {
  readonly discover?: DiscoverySteps | undefined;
}): readonly Discover[] => [source.discover ?? []].flat().map((find) => find.bind(source));

/**
 * Returns the facts that all parts found. A part that fails is ignored if another part found facts.
 *
 * @throws the error of the first failed part if none found any.
 */
export async function runDiscovery(
  parts: readonly Discover[],
  discovery: Discovery,
): Promise<readonly MemoryFact[]> {
  const settled = await Promise.allSettled(parts.map((find) => find(discovery)));
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const one of settled) if (one.status === 'rejected' && found.length === 0) throw one.reason;
  return found;
}

/**
 * Thrown if the tools in a list cannot be collected: an agent's list, or the list that a provider returns in
 * a turn.
 */
export class ToolResolutionError extends Error {
  override readonly name = 'ToolResolutionError';
}

/** A reference that can be listed. Made by `defineReference`. */
export interface ToolReference extends Reference, SourceCarrier {}

/**
 * Knowledge, and tools to search it. Listing it adds its notes to the agent's instructions, and its tools to
 * the agent.
 */
export interface Reference {
  readonly name: string;
  /** Its subject, in one sentence. */
  readonly description: string;
  /** Notes for the model on the reference and on how to use its tools. */
  readonly notes: string;
  /** The tools. An agent can also list each of them without the reference. */
  readonly tools: readonly AnyTool[];
}

/** A source of tools, and the name by which console messages identify it. */
export interface NestedSource {
  readonly of: object;
  readonly name: string;
}

/** The maximum nesting depth of sources. */
const MAX_DEPTH = 16;

/**
 * Returns the reason not to search a source nested in the sources of `path`: it is one of them, or it is too
 * deep. Returns `undefined` if it can be searched.
 */
export function findNestingProblem(path: readonly NestedSource[], inner: NestedSource): string | undefined {
  const isCircle = path.some(({ of }) => of === inner.of);
  if (!isCircle && path.length < MAX_DEPTH) return undefined;
  const way = [...path, inner].map(({ name }) => name).join(' > ');
  const what = isCircle ? 'contain itself' : `be nested more than ${MAX_DEPTH} deep`;
  return `a source of tools must not ${what}, so the last of these is left out: ${way}`;
}

/** Returns whether a source can be searched for tools. If not, logs the reason once. */
export function canNest(path: readonly NestedSource[], inner: NestedSource): boolean {
  const problem = findNestingProblem(path, inner);
  if (problem !== undefined) warnOnce(problem);
  return problem === undefined;
}

/**
 * The maximum number of remembered warnings. Without a limit, a source that keeps creating tools would
 * exhaust the memory.
 */
const MAX_WARNED = 1_000;

const loggedWarnings = new Set<string>();

/** Logs a warning to the console once. */
export function warnOnce(message: string): void {
  if (loggedWarnings.has(message) || loggedWarnings.size >= MAX_WARNED) return;
  loggedWarnings.add(message);
  warnDeveloper(message);
}
