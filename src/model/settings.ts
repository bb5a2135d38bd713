import type { ProviderData } from './parts.ts';
import { isRecord } from './untrusted-json.ts';

/** How much a model is to think before it answers; `none`: not at all. Which of these a model knows is its provider's. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Whether a model is to call tools: as it likes, at least one, none, or this one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/**
 * How replies are to be made. What is not said is the provider's own default. A model that cannot be told a setting refuses the
 * request, and names the setting; nothing is dropped without a word.
 */
export interface ModelSettings {
  /** From 0 to 2. */
  readonly temperature?: number | undefined;
  /** From 0 to 1. */
  readonly topP?: number | undefined;
  /** 1 or more. */
  readonly topK?: number | undefined;
  /** A whole number. */
  readonly seed?: number | undefined;
  /** Texts at which the reply ends; one or more, none of them empty. */
  readonly stop?: readonly string[] | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether one reply may ask for several calls. */
  readonly parallelToolCalls?: boolean | undefined;
  /** What only one provider knows, by its name; given to it as it is. */
  readonly providerOptions?: ProviderData | undefined;
}

/** A choice with the model calls of a loop that it holds for; in the others the model calls tools as it likes. */
export type LoopToolChoice = ToolChoice | { readonly first: ToolChoice } | { readonly every: ToolChoice };

/**
 * How long one call of a model may take, whatever the model does, up to a day. When a time is over, the model is aborted and the turn
 * fails as `model-failure`; after silence in the middle of its output it is asked once more.
 */
export interface ModelTimeout {
  /** Milliseconds for a reply as a whole, the adapter's own further attempts included. Defaults to 600,000. */
  readonly total?: number | undefined;
  /**
   * Milliseconds without a sign of life of a model that streams: one that has handed on a piece, or calls `alive`. Unless
   * given: 120,000, or as long as an adapter waits that says so. A model that answers in one piece has `total` alone.
   */
  readonly silence?: number | undefined;
}

/** How the replies of a loop are to be made: what an agent or an agentic tool declares, over the defaults of its model. */
export interface AgentSettings extends Omit<ModelSettings, 'toolChoice'> {
  /** The most tokens of one reply, thinking included; where its model can write fewer, those. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * `required` and one tool hold for the first model call of a turn or of a nested loop, so that it can end in words; `auto` and
   * `none` for every call. `{ first }` and `{ every }` say it otherwise: a loop in which every reply must call tools ends by a
   * tool that returns directly, by a signal or by a limit.
   */
  readonly toolChoice?: LoopToolChoice | undefined;
  /**
   * How long each model call may take. Defaults to 10 minutes, and for a model that streams to 2 minutes of silence. Loops inside have it
   * too, unless they say otherwise.
   */
  readonly timeout?: ModelTimeout | undefined;
}

/** The settings that are set, over others; what only one provider knows is merged provider by provider. */
export function mergedSettings(under: AgentSettings = {}, over: AgentSettings = {}): AgentSettings {
  const provider = mergedOptions(under.providerOptions, over.providerOptions);
  return { ...setIn(under), ...setIn(over), ...(provider && { providerOptions: provider }) };
}

/** Without the keys that hold nothing: they declare nothing, and whoever takes it may look at what is only named. */
export const setIn = <Declared extends object>(declared: Declared): Partial<Declared> =>
  Object.fromEntries(
    Object.entries(declared).filter(([, value]) => value !== undefined),
  ) as Partial<Declared>; // some of its own

function mergedOptions(
  under: ProviderData | undefined,
  over: ProviderData | undefined,
): ProviderData | undefined {
  if (!under || !over) return over ?? under;
  const both = Object.entries(over).map(([name, options]) => {
    const known = Object.hasOwn(under, name) ? under[name] : undefined;
    return [name, isRecord(known) && isRecord(options) ? { ...known, ...options } : options] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}
