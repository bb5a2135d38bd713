import { warnDeveloper } from '../../tool/console-log.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { ReadByIts } from '../../tool/object-reader.ts';
import {
  ANY_OBJECT,
  type Infer,
  type Loose,
  OPTIONAL_TEXT,
  type Shape,
  type ShapeAs,
  TEXT,
} from '../../tool/shape.ts';
import type {
  AnyTool,
  Discover,
  Discovers,
  Discovery,
  InjectionStrategy,
  LoopView,
} from '../../tool/tool.ts';
import type { MemoryFact } from '../../tool/tool-memory.ts';

/** What a list of tools may hold, wherever tools are listed. */
export type ToolSource =
  | AnyTool
  | ToolProvider
  | ToolGroup
  | ToolReference
  | ToolFactory
  | AppRequest
  | ToolObjectSource;

/** The key of the code that says what something in a list stands for, which a Worker without such things does not have. */
export const SOURCE: unique symbol = Symbol('holdfast.tool-source');

/** What carries that code: made by `toolProvider`, `toolFactory`, `defineToolGroup`, `toolGroup` or `defineReference`. */
interface CarriesSource {
  /** Returns what it stands for. @throws ToolResolutionError if it cannot be listed in this place. */
  [SOURCE](place: ListedAt): Partial<CollectedTools>;
}

/** A list of sources, sorted out. */
export interface CollectedTools {
  /** In the order of the list. */
  readonly tools: readonly AnyTool[];
  /** Providers that were not asked yet. */
  readonly providers: readonly ToolProvider[];
  /** What the list of an agent asks of its app. */
  readonly requests: readonly AppRequest[];
  /** What the model should know of the tools in the list. */
  readonly notes: readonly string[];
}

/** Where tools are collected. */
export interface CollectPlace {
  /** Groups are left to the environments of an agent. Elsewhere their tools are collected. */
  readonly isAgent?: boolean | undefined;
  /** What groups in the list may need. Defaults to nothing, since an agent has to allow it. */
  readonly permissions?: readonly ToolGroupPermission[] | undefined;
  /** What would have to need what a group in the list needs. Defaults to an agent. */
  readonly groupsIn?: string | undefined;
  /** Why there can be no providers here, after "a tool provider". By default they can be. */
  readonly noProviders?: string | undefined;
  /** The index of the first element, where the list is a part of another. Defaults to 0. */
  readonly from?: number | undefined;
  /** What all of the list is inside of. */
  readonly path?: readonly Nested[] | undefined;
}

/** Where one element of a list is. */
export interface ListedAt extends CollectPlace {
  readonly index: number;
}

/** The literal that `toolProvider` takes. */
export interface ToolProviderConfig {
  /**
   * The tools of now. Asked before every model call, and again when calls are run, also of a call that was begun by
   * another invocation: a tool that is gone by then is answered as one that does not exist. Must answer at once; what
   * it throws fails the turn. The view is of the loop that asks; there is none where tools are only listed.
   */
  toolsNow(view?: LoopView): readonly AnyTool[];
  /** Asked before each model call, so that `toolsNow` finds in the view what is known from outside. */
  readonly discover?: Discovers | undefined;
  /**
   * Returns whether the session knows what `discover` finds out: behind an unfolding tool, which has it find out when it is called.
   * While it does, and there are no tools, the unfolding tool is not offered. Defaults to `false`. Must not throw.
   */
  isKnown?(view: LoopView): boolean;
  /** The modules that its tools need, as a tool has them. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Shown where tools are listed and nobody is to be asked for any. */
  readonly about?: ProviderCard | undefined;
  /**
   * Words for a call of a required tool that this provider lacks. `available`: the names that it has, sorted. Unless
   * given: `Required tool '...' not found.` and that list.
   */
  readonly missing?: ((name: string, available: readonly string[]) => string) | undefined;
}

/** Tools that may be others each time they are asked for: by a setting, the hour, what a catalogue holds. Made by `toolProvider`. */
export interface ToolProvider extends ToolProviderConfig, CarriesSource {
  readonly [ASKS]: AsksProviders;
}

/** The key of the code that asks providers. */
export const ASKS: unique symbol = Symbol('holdfast.tool-provider');

/** That code, which every provider carries. */
export interface AsksProviders {
  /** The tools, and those that the providers answer now. @throws as `resolveTools`, and what a provider throws. */
  withProvided(
    tools: readonly AnyTool[],
    providers: readonly ToolProvider[],
    options?: ProvideOptions,
  ): readonly AnyTool[];
  /** The sources after one that asks these providers, in place of the one that asked only some of them. */
  withProviders(
    sources: readonly InjectionStrategy[],
    providers: readonly ToolProvider[],
  ): readonly InjectionStrategy[];
}

/** What the providers are asked with. */
export interface ProvideOptions {
  readonly view?: LoopView | undefined;
  /** Told of what is left out, and of what has its name. */
  readonly onTaken?: ((tool: AnyTool, taken: AnyTool) => void) | undefined;
}

/** What the tools of a group reach beside the session. An agent has to allow it. */
export type ToolGroupPermission = 'internet-access' | 'host-access';

/** Tools that agents ask for by the role they play, such as `web`. Made by `defineToolGroup`; never mutated. */
export interface ToolGroup<Role extends string = string> extends CarriesSource {
  readonly role: Role;
  readonly name: string;
  readonly description: string;
  readonly provider: string;
  readonly version: string;
  readonly permissions: readonly ToolGroupPermission[];
  readonly tools: readonly AnyTool[];
  /** Asked for more tools in each loop that has the group; nobody knows them before. */
  readonly providers: readonly ToolProvider[];
  readonly childToolUsageNotes: string | undefined;
  /** The modules that it needs, beside those of its tools. */
  readonly uses: readonly ModuleUse[];
}

/** What an agent asks of its app and each environment fills, such as a tool group. The module that fills it knows the rest. */
export interface AppRequest extends CarriesSource {
  /** The modules that it brings along. */
  readonly uses: readonly ModuleUse[];
}

/** Tools that are made for each invocation, by `toolFactory`. */
export interface ToolFactory extends CarriesSource {
  /** For inference only; never set: the names of its tools may be any. */
  readonly '~names'?: string;
}

/** What programs that list tools are told of where more of them come from; plain data. */
export interface ProviderCard extends Loose<Infer<typeof CARD>> {}
const CARD = {
  object: {
    name: TEXT,
    description: OPTIONAL_TEXT,
    /** As that of tools; never sent to a model. */
    metadata: { optional: ANY_OBJECT },
  },
} as const satisfies Shape;
export const PROVIDER_CARD: ShapeAs<ProviderCard> = { like: CARD };

/**
 * An object with `toolMethod` fields, or whose class has a static `toolTable`, or such a class. The types can only tell it from a
 * tool that was not made by `defineTool`, from a tool group, from an agent and from a client of MCP.
 */
export type ToolObjectSource = object & {
  readonly childToolUsageNotes?: never;
  /** A provider is made by `toolProvider`. */
  readonly toolsNow?: never;
  /** A promise is none. */
  readonly then?: never;
  readonly needsApp?: never;
  /** A client of MCP is none, and the factory of one makes them. */
  readonly '~mcp'?: 'List mcpToolProvider({ clients: [client] }), or what the factory answers, in its place.';
  /** A list has it. */
  readonly [Symbol.unscopables]?: never;
} & ({ readonly run?: undefined } | { readonly description?: undefined }) &
  (NoFunction | { readonly tools: ReadByIts } | { readonly unfolding: object });

/** Functions have it, and so have classes: one that makes a tool is none, and a class is listed if it has tools itself. */
interface NoFunction {
  readonly [Symbol.hasInstance]?: never;
}

/** Returns whether something in a list carries the code of its source. */
export const carriesSource = (value: unknown): value is CarriesSource => SOURCE in Object(value);

/** Returns whether something was made by `toolProvider`. */
export const isToolProvider = (value: unknown): value is ToolProvider => ASKS in Object(value);

/** Tells a tool group from a wish for one, and from an agent. */
export const isGroup = (value: unknown): value is ToolGroup =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'role') === 'string' &&
  Array.isArray(Reflect.get(value, 'tools')) &&
  Array.isArray(Reflect.get(value, 'providers'));

/** The parts, each with the object that it is a method of. */
export const partsOf = (source: { readonly discover?: Discovers | undefined }): readonly Discover[] =>
  [source.discover ?? []].flat().map((find) => find.bind(source));

/**
 * Answers what all parts found, for whoever goes on with some of it.
 *
 * @throws what the first part threw, when none found anything.
 */
export async function foundBy(
  parts: readonly Discover[],
  discovery: Discovery,
): Promise<readonly MemoryFact[]> {
  const settled = await Promise.allSettled(parts.map((find) => find(discovery)));
  const found = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const one of settled) if (one.status === 'rejected' && found.length === 0) throw one.reason;
  return found;
}

/** A list cannot be made tools of. Thrown where an agent is defined, and in a turn for what a provider answers. */
export class ToolResolutionError extends Error {
  override readonly name = 'ToolResolutionError';
}

/** A reference that can be listed. Made by `defineReference`. */
export interface ToolReference extends Reference, CarriesSource {}

/** Knowledge with tools to look into it: an agent that lists it has its notes in the instructions, and its tools. */
export interface Reference {
  readonly name: string;
  /** What it is about, in a sentence. */
  readonly description: string;
  /** What the model should know of it, and how to use its tools. */
  readonly notes: string;
  /** Each an agent can also be given alone. */
  readonly tools: readonly AnyTool[];
}

/** Something that tools are made of, and its name for whoever reads the console. */
export interface Nested {
  readonly of: object;
  readonly name: string;
}

/** How deep what makes tools may stand inside other such things. */
const MAX_DEPTH = 16;

/**
 * Says why something may not be looked into for tools that stands inside all that the path names: because it is one of those, or
 * too deep. `undefined` when it may be.
 */
export function nestingProblem(path: readonly Nested[], inner: Nested): string | undefined {
  const isCircle = path.some(({ of }) => of === inner.of);
  if (!isCircle && path.length < MAX_DEPTH) return undefined;
  const way = [...path, inner].map(({ name }) => name).join(' > ');
  const what = isCircle ? 'stand inside themselves' : `stand more than ${MAX_DEPTH} deep inside each other`;
  return `what makes tools must not ${what}, so the last of these is left out: ${way}`;
}

/** Tells whether it may be looked into; the console is told why not, once. */
export function mayNest(path: readonly Nested[], inner: Nested): boolean {
  const problem = nestingProblem(path, inner);
  if (problem !== undefined) warnOnce(problem);
  return problem === undefined;
}

/** Warnings are remembered up to this many; what makes tools without end would fill the memory. */
const MAX_WARNED = 1_000;

const warned = new Set<string>();

/** Says it on the console, unless it was said before. */
export function warnOnce(message: string): void {
  if (warned.has(message) || warned.size >= MAX_WARNED) return;
  warned.add(message);
  warnDeveloper(message);
}
