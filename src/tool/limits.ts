/**
 * Bounds of a loop. A turn that meets one ends as `limit-reached`, with the best answer so far. Those on tool
 * calls, tokens and cost count what nests in the loop too, and a nested loop is bound by those around it besides its own.
 */
export interface Limits {
  /**
   * Tokens that models may use, input and output together, nested loops included. Each model call is held to what is left,
   * and refused when that would not do for a reply. What a provider does not report counts with what was held back for it.
   */
  readonly tokens?: number | undefined;
  /** The same in USD, for models that have prices. */
  readonly cost?: number | undefined;
  /** Model calls, the last one (without tools) not counted. */
  readonly iterations?: number | undefined;
  /** Tool calls in the turn, or in the nested loop. */
  readonly toolCalls?: CallLimit | undefined;
  /**
   * Calls of any one tool there; or by the tool's name, where `*` is every tool that is not named (SPM-13). Where it says
   * nothing of a tool, its default is raised to `toolCalls`.
   */
  readonly callsPerTool?: CallLimit | Readonly<Record<string, CallLimit>> | undefined;
}

/** How many calls are allowed. A tool that is `unlimited` still counts among the calls of the turn. */
export type CallLimit = number | 'unlimited';
