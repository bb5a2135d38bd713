import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import { type DomainType, defineDomainType } from '../../tool/domain-type.ts';
import { copyJson, isJsonObject, type JsonObject } from '../../tool/json.ts';
import { artifact, type ToolResult } from '../../tool/tool-result.ts';
import { contentWords } from './words.ts';

/** What a server's tool answered that is more than words: images, audio, resources, links. */
export interface McpContent {
  /** The blocks as the server sent them (MCP specification, "Tool Result"), binary data in base64. */
  readonly content: readonly (JsonObject & { readonly type: string })[];
  /** The same as data, where the tool answers data too. */
  readonly structuredContent?: JsonObject | undefined;
}

/** It is neither `v.record` nor `v.looseObject`, since both drop keys such as `constructor`. */
const JsonObjectSchema = v.custom<JsonObject>(isJsonObject);
const Block = v.custom<McpContent['content'][number]>(
  (block) => isJsonObject(block) && typeof block.type === 'string',
);

/**
 * The type of artifacts that hold content of a server's tool, for sinks and conditions. What a tool answers in words only is no
 * artifact, and structured content without such blocks is an artifact of no type.
 */
export const McpContent: DomainType<'McpContent', McpContent> = defineDomainType({
  name: 'McpContent',
  schema: v.object({ content: v.array(Block), structuredContent: v.optional(JsonObjectSchema) }),
});

/**
 * Makes a result with content that words do not carry: images, sound, resources, links. A client of an MCP endpoint is sent the
 * blocks as they are; a model reads `words`, or else the texts among the blocks and a line about each of the others.
 */
export const mcpResult = (blocks: readonly ContentBlock[], words = wordsOf(blocks)): ToolResult =>
  artifact(words, McpContent, { content: blocks });

/** Blocks that are not JSON are refused where the result is used, as any artifact is. */
function wordsOf(blocks: readonly ContentBlock[]): string {
  const copy = copyJson(blocks);
  return copy.ok && Array.isArray(copy.value) ? contentWords(copy.value.filter(isJsonObject)).words : '';
}
