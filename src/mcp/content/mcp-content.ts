import * as v from 'valibot';
import { type DomainType, defineDomainType } from '../../tool/domain-type.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';

/** What a server's tool answered that is more than words: images, audio, resources, links. */
export interface McpContent {
  /** The blocks as the server sent them (MCP specification, "Tool Result"), binary data in base64. */
  readonly content: readonly (JsonObject & { readonly type: string })[];
  /** The same as data, where the tool answers data too. */
  readonly structuredContent?: JsonObject | undefined;
}

/** Not `v.record` or `v.looseObject`: both drop keys such as `constructor`. */
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
