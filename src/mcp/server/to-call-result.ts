import {
  type CallToolResult,
  type ContentBlock,
  ContentBlockSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../../tool/json.ts';
import { type ResultData, toolResult } from '../../tool/tool-result.ts';
import { McpContent } from '../content/mcp-content.ts';

/** Makes one block of words. */
export const textBlock = (text: string) => ({ type: 'text', text }) as const;

/**
 * Makes a client's answer of a tool's result. An error is one for the client too, without the word `Error` before it, which
 * `isError` says. The value of an artifact goes along as structured content when it is an object, as it must
 * be; its words are there for every client. Content of MCP's own goes out as it came in.
 */
export function toCallResult(result: ResultData): CallToolResult {
  switch (result.type) {
    case 'error':
      return failed(result.message);
    case 'text':
    case 'content':
      return { content: [textBlock(toolResult(result).content)] };
    case 'artifact':
      return contentOf(result);
  }
}

type Artifact = Extract<ResultData, { readonly type: 'artifact' }>;

function contentOf(result: Artifact): CallToolResult {
  const content = [textBlock(toolResult(result).content)];
  const { value, artifactType } = result;
  if (artifactType !== McpContent.name) {
    return { content, ...(isJsonObject(value) && { structuredContent: value }) };
  }
  const read = McpContent.parse(value);
  const { structuredContent } = read.ok ? read.value : {};
  return {
    content: (read.ok && blocksOf(read.value.content)) || content,
    ...(structuredContent && { structuredContent }),
  };
}

/** Answers `undefined` when a block is not valid: a client would refuse the whole answer for it, so the words are sent. */
function blocksOf(content: readonly unknown[]): ContentBlock[] | undefined {
  const blocks = ContentBlockSchema.array().safeParse(content);
  return blocks.success ? blocks.data : undefined;
}

/** Makes an answer that tells the model which called why there is none. */
export const failed = (message: string): CallToolResult => ({ isError: true, content: [textBlock(message)] });
