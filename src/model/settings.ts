import type { ProviderData } from './parts.ts';

/** How much a model is to think before it answers. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Whether a model is to call tools: as it likes, at least one, none, or this one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/** How replies are to be made. What is not said is the provider's own default. */
export interface ModelSettings {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  /** Texts at which the reply ends. */
  readonly stop?: readonly string[] | undefined;
  readonly reasoning?: ReasoningEffort | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether one reply may ask for several calls. */
  readonly parallelToolCalls?: boolean | undefined;
  /** What only one provider knows, by its name; given to it as it is. */
  readonly providerOptions?: ProviderData | undefined;
}
