import type { ProviderData } from './parts.ts';
import { isRecord } from './untrusted-json.ts';

/**
 * How much a model reasons before it answers. `none` turns reasoning off. The provider decides which values
 * it supports.
 */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Whether a model must call tools: free choice, at least one call, no call, or a call of the named tool. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/**
 * Settings for replies. Each defaults to the provider's own default. If a model does not support a setting,
 * the request fails with an error that names it; no setting is silently dropped.
 */
export interface ModelSettings {
  /** A number from 0 to 2. */
  readonly temperature?: number | undefined;
  /** A number from 0 to 1. */
  readonly topP?: number | undefined;
  /** An integer of at least 1. */
  readonly topK?: number | undefined;
  /** An integer. */
  readonly seed?: number | undefined;
  /** Texts that end the reply. At least one, each non-empty. */
  readonly stop?: readonly string[] | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** `true` if one reply can contain several calls. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Options for one provider, by its name, passed on unchanged. */
  readonly providerOptions?: ProviderData | undefined;
}

/**
 * A tool choice and the model calls of a loop to which it applies. For the other calls the choice is `auto`.
 */
export type LoopToolChoice = ToolChoice | { readonly first: ToolChoice } | { readonly every: ToolChoice };

/**
 * Time limits for one model call, up to a day. When a limit expires, the call is aborted, and the turn fails
 * as `model-failure`. If output has begun before a silence, the model is first asked once more.
 */
export interface ModelTimeout {
  /** Milliseconds for a whole reply, including the adapter's retries. Defaults to 600,000. */
  readonly total?: number | undefined;
  /**
   * Milliseconds without a sign of life from a streaming model, which is a piece of output or a call of
   * `alive`. Defaults to 120,000, or to the patience that the adapter reports. For a model that does not
   * stream, only `total` applies.
   */
  readonly silence?: number | undefined;
}

/**
 * Settings for the replies of a loop. An agent or an agentic tool declares them; they override those of its
 * model.
 */
export interface AgentSettings extends Omit<ModelSettings, 'toolChoice'> {
  /**
   * The maximum number of tokens in one reply, including reasoning. The model's own maximum applies if it is
   * lower.
   */
  readonly maxOutputTokens?: number | undefined;
  /**
   * `required` and a named tool apply to the first model call of a turn or nested loop, so it can end with
   * text. `auto` and `none` apply to every call. `{ first }` and `{ every }` set this explicitly. If every
   * reply must call tools, only a tool that returns directly, a signal or a limit can end the loop.
   */
  readonly toolChoice?: LoopToolChoice | undefined;
  /**
   * The time limits for each model call. Defaults to 10 minutes, and for a streaming model to 2 minutes of
   * silence. Nested loops inherit it.
   */
  readonly timeout?: ModelTimeout | undefined;
}

/** Merges settings. Those of `over` win, and provider options are merged provider by provider. */
export function mergeSettings(under: AgentSettings = {}, over: AgentSettings = {}): AgentSettings {
  const provider = mergeProviderOptions(under.providerOptions, over.providerOptions);
  return { ...omitUndefined(under), ...omitUndefined(over), ...(provider && { providerOptions: provider }) };
}

/**
 * Returns the object without `undefined` values. A setting with the value `undefined` must not count as
 * declared.
 */
export const omitUndefined = <Declared extends object>(declared: Declared): Partial<Declared> =>
  Object.fromEntries(
    Object.entries(declared).filter(([, value]) => value !== undefined),
  ) as Partial<Declared>; // a subset of its own entries

function mergeProviderOptions(
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
