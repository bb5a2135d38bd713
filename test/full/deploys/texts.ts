/** Results of calls that several tests expect, as the model receives them. */

/** The result of a call that may have taken effect. */
export const formatUnknownOutcome = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

/** The result of a call to a tool that is not offered. */
export const formatToolNotFound = (tool: string, ...available: readonly string[]): string =>
  `Error: Tool '${tool}' does not exist. Available tools: [${available.join(', ')}]. ` +
  'Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code ' +
  'or search results are not callable.';
