import { type ToolResult, toolResult } from './tool-result.ts';

/**
 * A result with other words for the model. Its variant, its artifact, its reason and its signal stay, so that sinks
 * and the loop see what the tool answered (RES-04). An error's words are its message, without the `Error: `.
 */
export function mapContent(result: ToolResult, map: (content: string) => string): ToolResult {
  const content = map(result.content);
  // An artifact whose words are its JSON is kept once as long as nobody changes them.
  if (content === result.content) return result;
  return result.type === 'error'
    ? toolResult({ ...result, message: content })
    : toolResult({ ...result, content });
}
