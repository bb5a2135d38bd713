import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { copyJson, isJsonObject } from '../../tool/json.ts';
import { artifact, type ToolResult } from '../../tool/tool-result.ts';
import { contentWords } from './content-words.ts';
import { McpContent } from './mcp-content.ts';

/**
 * A result with content that words do not carry: images, sound, resources, links. A client of an MCP endpoint is sent the
 * blocks as they are; a model reads `words`, or else the texts among the blocks and a line about each of the others.
 */
export const mcpResult = (blocks: readonly ContentBlock[], words = wordsOf(blocks)): ToolResult =>
  artifact(words, McpContent, { content: blocks });

/** Blocks that are not JSON are refused where the result is used, as any artifact is. */
function wordsOf(blocks: readonly ContentBlock[]): string {
  const copy = copyJson(blocks);
  return copy.ok && Array.isArray(copy.value) ? contentWords(copy.value.filter(isJsonObject)).words : '';
}
