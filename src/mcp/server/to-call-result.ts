import { type CallToolResult, type ContentBlock, isSpecType } from '@modelcontextprotocol/server';
import { toBase64 } from '../../tool/base64.ts';
import { type FileContent, fileLine, isFile, isStored, type StoredFile } from '../../tool/content.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { partsOfResult, type ResultData, toolResult } from '../../tool/tool-result.ts';
import { lacksBytes, withBytes } from '../content/block-files.ts';
import { McpContent } from '../content/mcp-content.ts';
import { blockWords } from '../content/words.ts';

/** Makes one block of words. */
export const textBlock = (text: string) => ({ type: 'text', text }) as const;

/**
 * Makes a client's answer of a tool's result. An error is one for the client too, without the word `Error` before it, which
 * `isError` says. The value of an artifact goes along as structured content when it is an object, as it must
 * be; its words are there for every client. Files go out with their bytes, which `read` returns; of one whose
 * bytes are not there the client is told in words. Content of MCP's own goes out as it came in.
 *
 * @throws what `read` does.
 */
export async function toCallResult(result: ResultData, read: ReadFile): Promise<CallToolResult> {
  if (result.type === 'error') return failed(result.message);
  const stored = partsOfResult(result).filter(isStored);
  const bytes = new Map<string, string>();
  for (const file of stored) {
    const found = await read(file);
    if (found) bytes.set(file.id, toBase64(found));
  }
  const content = blocksOf(result, bytes);
  if (result.type !== 'artifact') return { content };
  return result.artifactType === McpContent.name
    ? ofMcp(result.value, bytes, content)
    : { content, ...(isJsonObject(result.value) && { structuredContent: result.value }) };
}

/** Returns the bytes of a file, if they are there. */
type ReadFile = (file: StoredFile) => Promise<Uint8Array | undefined>;

/** Base64 of files, by their ids. */
type Bytes = ReadonlyMap<string, string>;

/** The words and files of a result, or its words alone. */
function blocksOf(result: ResultData, bytes: Bytes): ContentBlock[] {
  const parts = partsOfResult(result);
  return parts.length === 0
    ? [textBlock(toolResult(result).content)]
    : parts.map((part) => (isFile(part) ? fileBlock(part, bytes) : textBlock(part.text)));
}

const NOT_THERE = '(its bytes are not there)';

function fileBlock(file: FileContent, bytes: Bytes): ContentBlock {
  const { mediaType: mimeType, name } = file;
  if ('url' in file) return { type: 'resource_link', uri: file.url, name: name ?? file.url, mimeType };
  const data = isStored(file) ? bytes.get(file.id) : undefined;
  if (!isStored(file) || data === undefined) return textBlock(`${fileLine(file)} ${NOT_THERE}`);
  const [type] = mimeType.split('/', 1);
  if (type === 'image' || type === 'audio') return { type, data, mimeType };
  // A client calls a resource as the last part of its address is.
  const uri = ['holdfast://files', file.id, ...(name === undefined ? [] : [encodeURIComponent(name)])].join(
    '/',
  );
  return { type: 'resource', resource: { uri, mimeType, blob: data } };
}

/** Content of MCP's own, or `words` when it is not valid: a client would refuse the whole answer for one block that is not. */
function ofMcp(value: Json, bytes: Bytes, words: ContentBlock[]): CallToolResult {
  const read = McpContent.parse(withBytes(value, bytes));
  if (!read.ok) return { content: words };
  const { content, structuredContent } = read.value;
  const told = content.map((block): unknown =>
    lacksBytes(block) ? textBlock(`${blockWords(block)} ${NOT_THERE}`) : block,
  );
  return {
    content: told.every(isSpecType.ContentBlock) ? told : words,
    ...(structuredContent && { structuredContent }),
  };
}

/** Makes an answer that tells the model which called why there is none. */
export const failed = (message: string): CallToolResult => ({ isError: true, content: [textBlock(message)] });
