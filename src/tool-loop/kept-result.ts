import type { CallChanges } from '../journal/events.ts';
import { type ToolResult, toolResult } from '../tools/tool-result.ts';

/** Characters of a result's JSON: an append carries several, and a message to the object weighs at most 32 MiB. */
const MAX_RESULT = 8 * 1024 * 1024;

/** What the journal keeps of a result. A tool that has run is never told of as if it had not. */
export function keptResult(tool: string, result: ToolResult, changes?: CallChanges): ToolResult {
  const { length } = JSON.stringify([result, changes]);
  if (length <= MAX_RESULT) return result;
  return toolResult({
    type: 'error',
    message:
      `Tool '${tool}' ran and finished, but its result and what it changed, of ${length} characters, are over the limit ` +
      `of ${MAX_RESULT} and were not kept. Ask it for less.`,
  });
}
