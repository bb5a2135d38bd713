/** Reads the tools that a client declares. */
import type { DeclaredTool } from '../../modules/client-tools/declared.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { SERVER_LABEL } from './call-items.ts';
import {
  createInvalidValueError,
  createUnsupportedParameterError,
  formatSetInCode,
  isEmpty,
} from './read-body.ts';

/**
 * Reads the functions in a body, for both protocols. Skips the `mcp` tool, which only shows that the client
 * supports our questions.
 *
 * @throws OpenAiError if an entry of the list is of another kind.
 */
export function readFunctions({ tools }: JsonObject): readonly DeclaredTool[] {
  if (isEmpty(tools)) return [];
  if (!Array.isArray(tools)) throw createInvalidValueError('tools', 'a list');
  return tools.flatMap((tool: Json, place): DeclaredTool | [] => {
    const at = `tools[${place}]`;
    if (!isJsonObject(tool)) throw createInvalidValueError(at, 'an object');
    if (tool.type === 'mcp' && tool.server_label === SERVER_LABEL) return [];
    const other = `${at} may only be a function, or a tool of type mcp with server_label '${SERVER_LABEL}'.`;
    if (tool.type !== 'function')
      throw createUnsupportedParameterError('tools', `${formatSetInCode('tools')} ${other}`);
    return isJsonObject(tool.function) ? tool.function : tool;
  });
}
