import type { ContentBlock } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { content } from '../../tool/content-result.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { type DomainType, defineDomainType } from '../../tool/domain-type.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { artifact, type ToolResult } from '../../tool/tool-result.ts';
import { blockFiles } from './block-files.ts';
import { contentWords } from './words.ts';

/** What a server's tool answered that is more than words: images, audio, resources, links. */
export interface McpContent {
  /**
   * The blocks as the server sent them (MCP specification, "Tool Result"). `data` of images and audio, and `blob` of resources, is
   * a `BytesElsewhere` where the bytes are a file of the result; where the block is no file, it is base64.
   */
  readonly content: readonly (JsonObject & { readonly type: string })[];
  /** The same as data, where the tool answers data too. What repeats base64 of a file has `BytesElsewhere` in its place. */
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
 * blocks as they are. A model is given the texts, images, audio and bytes of resources as files, and a line about each of the
 * others; with `words` it reads those and nothing else.
 */
export async function mcpResult(blocks: readonly ContentBlock[], words?: string): Promise<ToolResult> {
  const copy = copyJson(blocks);
  // Blocks that are not JSON are refused where the result is used, as any artifact is.
  if (!copy.ok || !Array.isArray(copy.value)) return artifact(words ?? '', McpContent, { content: blocks });
  const copies = copy.value.filter(isJsonObject);
  if (words !== undefined) return artifact(words, McpContent, { content: copies });
  const { parts, kept } = await blockFiles(copies);
  const said = parts.length === 0 ? contentWords(copies).words : content(parts);
  return artifact(said, McpContent, kept(copies, undefined));
}
