import type { JsonObject } from '../../tool/json.ts';
import type { AnyTool, Discover, Discovers, Discovery, LoopView } from '../../tool/tool.ts';
import type { MemoryFact } from '../../tool/tool-memory.ts';

/** What a list of tools may hold. */
export type ToolSource = AnyTool | ToolProvider | ToolObjectSource;

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
  /** Shown where tools are listed and nobody is to be asked for any. */
  readonly about?: ProviderCard | undefined;
  /**
   * Words for a call of a required tool that this provider lacks. `available`: the names that it has, sorted. Unless
   * given: `Required tool '...' not found.` and that list.
   */
  readonly missing?: ((name: string, available: readonly string[]) => string) | undefined;
}

/** What programs that list tools are told of where more of them come from; plain data. */
export interface ProviderCard {
  readonly name: string;
  readonly description?: string | undefined;
  /** As that of tools; never sent to a model. */
  readonly metadata?: JsonObject | undefined;
}

/**
 * An object whose class has a static `tools` table, or such a class (see `toolsOf`). The types can only tell it from a
 * tool that was not made by `defineTool`, from a tool group and from an agent.
 */
export type ToolObjectSource = object & {
  readonly childToolUsageNotes?: never;
  /** A promise is none. */
  readonly then?: never;
  readonly loopIds?: never;
  /** A list has it. */
  readonly [Symbol.unscopables]?: never;
} & ({ readonly run?: undefined } | { readonly description?: undefined }) &
  (NoFunction | { readonly tools: object } | { readonly unfolding: object });

/** Functions have it, and so have classes: one that makes a tool is none, and a class is listed if it has tools itself. */
interface NoFunction {
  readonly [Symbol.hasInstance]?: never;
}

/** Tells whether a value of such a list is asked for its tools anew each time. */
export const isToolProvider = (value: unknown): value is ToolProvider =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'toolsNow') === 'function';

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
