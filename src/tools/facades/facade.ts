import { unwrapAs } from '../decorate.ts';
import type { LoopView } from '../injection.ts';
import type { Json } from '../json.ts';
import type { AnyTool, ToolInvocation } from '../tool.ts';
import type { OpeningScope } from './openings.ts';

/** Marks a facade. Private to the system: a tool is one by how it was made, never by its shape. */
export const FACADE: unique symbol = Symbol('holdfast.facade');

/** What a tool that stands for others is made of: they are offered in its place once it has been called. */
export interface Facade {
  readonly brings: Brings;
  /** Told when it is opened, below the names of its tools. */
  readonly notes: string | undefined;
  /** Opening it takes all other tools away. */
  readonly exclusive: boolean;
  /** It brings one more tool, which tells of its tools. */
  readonly contextTool: boolean;
  readonly scope: OpeningScope;
  /**
   * Finds out, when it is called, what it is going to bring, and records that. Answers what is wrong, in words for the model,
   * when it cannot be had: the facade then stays closed. What is to be said though it opens, is a remark.
   */
  readonly prepare?:
    | ((invocation: ToolInvocation) => Promise<string | { readonly remark: string } | undefined>)
    | undefined;
}

/** Which tools a facade unfolds into. */
export type Brings =
  | { readonly by: 'all'; readonly tools: readonly AnyTool[] }
  /** Asked anew whenever tools are offered. */
  | { readonly by: 'moment'; readonly ask: (view: LoopView) => readonly AnyTool[] }
  /** A map, since the model names the category. */
  | {
      readonly by: 'category';
      readonly parameter: string;
      readonly tools: ReadonlyMap<string, readonly AnyTool[]>;
    }
  /** Asked once a call, with its checked input as the journal gives it back. */
  | { readonly by: 'selection'; readonly select: (input: Json, view: LoopView) => readonly AnyTool[] };

/** A tool that is known to be a facade. */
export type FacadeTool = AnyTool & { readonly [FACADE]: Facade };

const isFacadeTool = (tool: AnyTool): tool is FacadeTool => FACADE in tool;

/** What a tool unfolds into, seen through its decorators; `undefined` when it is no facade, or hides it. */
export const facadeIn = (tool: AnyTool): Facade | undefined => unwrapAs(tool, isFacadeTool)?.[FACADE];
