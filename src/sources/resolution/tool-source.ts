import type { JsonObject } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { ReadByIts } from '../../tool/object-reader.ts';
import type { AnyTool, Discover, Discovers, Discovery, LoopView } from '../../tool/tool.ts';
import type { MemoryFact } from '../../tool/tool-memory.ts';
import type { Nested } from './nesting.ts';

/** What a list of tools may hold, wherever tools are listed. */
export type ToolSource = AnyTool | ToolProvider | ToolGroup | ToolFactory | ToolObjectSource;

/** Tools that may be others each time they are asked for: by a setting, the hour, what a catalogue holds. */
export interface ToolProvider {
  /**
   * The tools of now. Asked before every model call, and again when calls are run, also of a call that was begun by
   * another invocation: a tool that is gone by then is answered as one that does not exist. Must answer at once; what
   * it throws fails the turn. The view is of the loop that asks; there is none where tools are only listed.
   */
  toolsNow(view?: LoopView): readonly AnyTool[];
  /** Asked before each model call, so that `toolsNow` finds in the view what is known from outside. */
  readonly discover?: Discovers | undefined;
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

/** What the tools of a group reach beside the session. An agent has to allow it. */
export type ToolGroupPermission = 'internet-access' | 'host-access';

/** Tools that agents ask for by the role they play, such as `web`. Made by `defineToolGroup`; never mutated. */
export interface ToolGroup<Role extends string = string> {
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

/** Marks a factory: one is told by how it was made, since a function in a list is a mistake. */
export const FACTORY: unique symbol = Symbol('holdfast.tool-factory');

/** Tools that are made for each invocation, by `toolFactory`. */
export interface ToolFactory {
  /** Its tools, the same ones each time. `path`: what it stands inside. @throws what making and collecting them throws. */
  readonly [FACTORY]: (path: readonly Nested[], collect: CollectMade) => readonly AnyTool[];
  /** For inference only; never set: the names of its tools may be any. */
  readonly '~names'?: string;
}

/** Makes tools of what a factory made, which stands inside the path. */
export type CollectMade = (made: readonly unknown[], path: readonly Nested[]) => readonly AnyTool[];

/** What programs that list tools are told of where more of them come from; plain data. */
export interface ProviderCard {
  readonly name: string;
  readonly description?: string | undefined;
  /** As that of tools; never sent to a model. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * An object with `toolMethod` fields, or whose class has a static `toolTable`, or such a class. The types can only tell it from a
 * tool that was not made by `defineTool`, from a tool group, from an agent and from a client of MCP.
 */
export type ToolObjectSource = object & {
  readonly childToolUsageNotes?: never;
  /** A promise is none. */
  readonly then?: never;
  readonly loopIds?: never;
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

/** Tells whether a value of such a list is asked for its tools anew each time. */
export const isToolProvider = (value: unknown): value is ToolProvider =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'toolsNow') === 'function';

/** Tells what `toolFactory` answers. */
export const isToolFactory = (value: unknown): value is ToolFactory =>
  typeof value === 'object' && value !== null && FACTORY in value;

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

/** Knowledge with tools to look into it: an agent that is given it has its notes in the instructions, and its tools. */
export interface Reference {
  readonly name: string;
  /** What it is about, in a sentence. */
  readonly description: string;
  /** What the model should know of it, and how to use its tools. */
  readonly notes: string;
  /** Each an agent can also be given alone. */
  readonly tools: readonly AnyTool[];
}

/** A reference as it stands in the instructions. */
export const referenceText = ({ name, description, notes }: Reference): string =>
  `Reference '${name}': ${description}\n${notes}`;
