import type { InputDeclaration, InputOf } from '../input-schema.ts';
import type { AsJson, JsonObject } from '../json.ts';
import type { AnyTool, LoopView, Tool } from '../tool.ts';
import type { UNFOLDS, Unfolding, UnfoldingScope } from './unfolding.ts';

/** A tool that stands for others, which are offered in its place once it has been called. */
export type UnfoldingTool<Name extends string = string, Input = unknown> = Tool<Name, Input, string> & {
  readonly [UNFOLDS]: Unfolding;
};

/** What every form of an unfolding tool may say beside its tools. */
export interface UnfoldingOptions {
  /** Told when it is called, below the names of its tools: as long as it has to be, since nobody else pays for it. */
  readonly childToolUsageNotes?: string | undefined;
  /** From its call on, its tools are all there is until the turn ends; without a guide and a context tool. */
  readonly exclusive?: boolean | undefined;
  /** Offers `{name}_context` too, which tells what its tools are for. */
  readonly contextTool?: boolean | undefined;
  /** How long it stays open: `turn`, until the turn or the nested loop ends, unless given. */
  readonly scope?: UnfoldingScope | undefined;
  /** Accepted and ignored: an unfolding tool is always replaced by its tools and a guide of its name. */
  readonly removeOnInvoke?: boolean | undefined;
}

interface UnfoldingBase<Name extends string> extends UnfoldingOptions {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** What its tools are for, in a sentence: the model pays for it in every call, open or not. */
  readonly description: string;
  /** For programs that list tools; never sent to a model. Must be JSON. */
  readonly metadata?: JsonObject | undefined;
}

/** Brings all of its tools. `Source`: what its list holds; `Answered`: what its function answers. */
export interface PlainUnfolding<Name extends string, Source = AnyTool, Answered = AnyTool>
  extends UnfoldingBase<Name> {
  /** A list; or a function, asked whenever tools are offered, for tools that come and go while it is open. */
  readonly tools: readonly Source[] | ((view: LoopView) => readonly Answered[]);
  /**
   * Runs when it is called and before `tools` is asked, to find out what those need to know, and record it. Answers what is
   * wrong, in words for the model, when there is nothing to open; or a remark, said below the names of its tools.
   */
  readonly prepare?: Unfolding['prepare'];
  readonly byCategory?: undefined;
  readonly categoryParameter?: undefined;
  readonly input?: undefined;
  readonly select?: undefined;
}

/** Brings the tools of the category that the model names; of one that is not there, all. */
export interface CategoryUnfolding<Name extends string, Source = AnyTool> extends UnfoldingBase<Name> {
  readonly byCategory: Readonly<Record<string, readonly Source[]>>;
  readonly prepare?: undefined;
  /** What the model names it in; `category` unless given. */
  readonly categoryParameter?: string | undefined;
  readonly tools?: undefined;
  readonly input?: undefined;
  readonly select?: undefined;
}

/** Brings what a function of its input answers, which may be tools that were not there before. */
export interface SelectableUnfolding<
  Name extends string,
  Declaration extends InputDeclaration,
  Source = AnyTool,
  Answered = AnyTool,
> extends UnfoldingBase<Name> {
  readonly input: Declaration;
  readonly prepare?: undefined;
  /**
   * Runs once a call, and again of the journaled input when another invocation goes on: it depends on its input alone, and
   * what its tools share is in `call.state`. It is given the input as JSON gives it back.
   */
  readonly select: (input: AsJson<InputOf<Declaration>>, view: LoopView) => readonly Answered[];
  /** Those that may be selected, for whoever lists the tools inside. */
  readonly tools?: readonly Source[] | undefined;
  readonly byCategory?: undefined;
  readonly categoryParameter?: undefined;
}

/** The literal of an unfolding tool, of whose sources tools were made. */
export type UnfoldingConfig<Name extends string, Declaration extends InputDeclaration> =
  | PlainUnfolding<Name>
  | CategoryUnfolding<Name>
  | SelectableUnfolding<Name, Declaration>;
