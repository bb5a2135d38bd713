import type { ContentBlock } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { attempt, computeSha256Hex } from '../../tool/async.ts';
import { type ContentPart, fromBase64, type NewFile, toFileName, toMediaType } from '../../tool/content.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { type DomainType, defineDomainType } from '../../tool/domain-type.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { content } from '../../tool/to-tool-result.ts';
import { artifact, type ToolResult } from '../../tool/tool-result.ts';
import { formatBlock, formatOrigin, isForUserOnly, mapForModel, toContentWords } from './words.ts';

/** Non-text content from a server's tool: images, audio, resources, links. */
export interface McpContent {
  /**
   * The blocks as sent by the server (MCP specification, "Tool Result"). `data` of images and audio, and
   * `blob` of resources, is a `ByteReference` if the result has the bytes as a file, and otherwise base64.
   */
  readonly content: readonly (JsonObject & { readonly type: string })[];
  /**
   * The same content as data, if the tool returned any. `ByteReference` replaces repeated base64 of a file.
   */
  readonly structuredContent?: JsonObject | undefined;
}

/** A custom schema, because both `v.record` and `v.looseObject` drop keys such as `constructor`. */
const JsonObjectSchema = v.custom<JsonObject>(isJsonObject);
const Block = v.custom<McpContent['content'][number]>(
  (block) => isJsonObject(block) && typeof block.type === 'string',
);

/**
 * The type of artifacts that contain a server tool's content, for sinks and conditions. A text-only result is
 * not an artifact, and structured content without such blocks is an artifact without a type.
 */
export const McpContent: DomainType<'McpContent', McpContent> = defineDomainType({
  name: 'McpContent',
  schema: v.object({ content: v.array(Block), structuredContent: v.optional(JsonObjectSchema) }),
});

/**
 * Creates a result with content other than text: images, audio, resources, links. Clients of an MCP endpoint
 * receive the blocks unchanged. A model receives texts, images, audio and bytes of resources as files, and a
 * line for each other block. If `words` is set, a model receives only that.
 *
 * @example
 * ```ts
 * return mcpResult([{ type: 'resource_link', uri: 'shop://orders/1001', name: 'Order 1001' }]);
 * ```
 */
export async function mcpResult(blocks: readonly ContentBlock[], words?: string): Promise<ToolResult> {
  const copy = copyJson(blocks);
  // Blocks that are not JSON are refused where the result is used, like those of any artifact.
  if (!copy.ok || !Array.isArray(copy.value)) return artifact(words ?? '', McpContent, { content: blocks });
  const copies = copy.value.filter(isJsonObject);
  if (words !== undefined) return artifact(words, McpContent, { content: copies });
  const { parts, kept } = await toBlockFiles(copies);
  const said = parts.length === 0 ? toContentWords(copies).words : content(parts);
  return artifact(said, McpContent, kept(copies, undefined));
}

/**
 * The maximum number of files in one result. A server can send ten thousand, but a provider accepts only a
 * few hundred.
 */
const MAX_FILES = 100;

/**
 * Replaces base64 in content whose bytes the result has as a file. A type alias, because an interface does
 * not count as JSON.
 */
export type ByteReference = {
  /** The hash in hex. It is the `id` of the file among the result's parts, unless it was not stored there. */
  readonly sha256: string;
  /** The size in bytes. */
  readonly size: number;
};

/** Content blocks in a form for models that accept files. */
interface BlockFiles {
  /**
   * Texts and files, in the order of the blocks. Empty if there are no files, because the text is then
   * complete.
   */
  readonly parts: readonly ContentPart[];
  /**
   * Returns a copy of the content for storage. `ByteReference` replaces the base64 of files, including
   * copies in structured content.
   */
  kept(blocks: readonly JsonObject[], structured: JsonObject | undefined): JsonObject;
}

/**
 * Converts images, audio and resources with bytes to files. Skips blocks for the user only, and those without
 * a media type, bytes or valid base64. The caller checks the size of files. Never throws.
 */
export async function toBlockFiles(blocks: readonly JsonObject[]): Promise<BlockFiles> {
  const files = new Map<JsonObject, NewFile>();
  const elsewhere = new Map<string, ByteReference>();
  for (const block of blocks) {
    const found = files.size < MAX_FILES && !isForUserOnly(block) ? decodeFile(block) : undefined;
    if (!found) continue;
    const { file, base64, bytes } = found;
    files.set(block, file);
    if (!elsewhere.has(base64))
      elsewhere.set(base64, { sha256: await computeSha256Hex(bytes), size: bytes.byteLength });
  }
  return {
    parts: files.size === 0 ? [] : toContentParts(blocks, files),
    kept: (content, structured) => ({
      content: content.map((block) => replaceBytes(block, elsewhere)),
      ...(structured && { structuredContent: replaceRepeatedBytes(structured, elsewhere) }),
    }),
  };
}

/** Returns the base64 of a block, if it has any. */
export function findBase64({ data, resource }: JsonObject): string | undefined {
  const binary = isJsonObject(resource) ? resource.blob : data;
  return typeof binary === 'string' && binary !== '' ? binary : undefined;
}

/** A file and its source block. */
interface DecodedFile {
  readonly file: NewFile;
  readonly base64: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const BINARY_TYPES = ['image', 'audio', 'resource'];

function decodeFile(block: JsonObject): DecodedFile | undefined {
  const { type, resource } = block;
  const from = isJsonObject(resource) ? resource : undefined;
  const { mimeType } = from ?? block;
  const base64 = findBase64(block);
  // The text of a resource makes its bytes redundant.
  if (base64 === undefined || typeof from?.text === 'string') return undefined;
  if (!BINARY_TYPES.includes(String(type)) || typeof mimeType !== 'string') return undefined;
  const mediaType = toMediaType(mimeType);
  const bytes = mediaType === undefined ? undefined : decodeBase64(base64);
  if (mediaType === undefined || bytes === undefined || bytes.byteLength === 0) return undefined;
  const name = from && findResourceName(from);
  return { base64, bytes, file: { type: 'file', mediaType, ...(name !== undefined && { name }), bytes } };
}

/** Decodes base64. Some servers break it into lines, or omit the padding. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = base64.replaceAll(/\s/g, '').replace(/={1,2}$/, '');
  return fromBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, '='));
}

/** Returns the name of a resource: the last part of its URI, or else its title. */
function findResourceName({ uri, title }: JsonObject): string | undefined {
  const last = typeof uri === 'string' ? getLastSegment(uri) : '';
  return toFileName(last) ?? (typeof title === 'string' ? toFileName(title) : undefined);
}

function getLastSegment(uri: string): string {
  if (/^\s*data:/i.test(uri)) return '';
  const path = uri.replace(/[?#].*$/s, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  const decodes = attempt(() => decodeURIComponent(last));
  // The decoded name can itself contain a path.
  const name = (decodes.ok ? decodes.value : last).replace(/^.*[/\\]/s, '');
  return path.includes('/') && !/^\.*$/.test(name) ? name : '';
}

/** Returns the parts: each file after its origin, and the text between two files joined into one part. */
function toContentParts(
  blocks: readonly JsonObject[],
  files: ReadonlyMap<JsonObject, NewFile>,
): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  let words: string[] = [];
  const endWords = (): void => {
    const text = words.join('\n\n');
    // Some providers refuse a blank text.
    if (text.trim() !== '') parts.push({ type: 'text', text });
    words = [];
  };
  const said = mapForModel<string | NewFile>(blocks, (block) => {
    const file = files.get(block);
    return file ? [formatOrigin(block), file].filter((one) => one !== '') : [formatBlock(block)];
  });
  for (const one of said) {
    if (typeof one === 'string') words.push(one);
    else {
      endWords();
      parts.push(one);
    }
  }
  endWords();
  return parts;
}

type ReplacedBytes = ReadonlyMap<string, ByteReference>;

function replaceBytes(block: JsonObject, elsewhere: ReplacedBytes): JsonObject {
  const instead = elsewhere.get(findBase64(block) ?? '');
  if (!instead) return block;
  const { resource } = block;
  if (!isJsonObject(resource)) return { ...block, data: instead };
  return { ...block, resource: { ...resource, blob: instead } };
}

/**
 * The minimum length of base64 to look for in data. Shorter texts can be ordinary words, and replacing them
 * would save no space.
 */
const MIN_REPEATED = 100;

/** Replaces base64 in structured content, because some servers repeat whole blocks there. */
function replaceRepeatedBytes(data: JsonObject, elsewhere: ReplacedBytes): JsonObject {
  const replaceValue = (value: Json): Json => {
    if (typeof value === 'string') return (value.length >= MIN_REPEATED && elsewhere.get(value)) || value;
    if (Array.isArray(value)) return value.map(replaceValue);
    return isJsonObject(value) ? replaceRepeatedBytes(value, elsewhere) : value;
  };
  return elsewhere.size === 0
    ? data
    : Object.fromEntries(Object.entries(data).map(([key, value]) => [key, replaceValue(value)]));
}

/**
 * Returns a copy of the result of `kept` with the base64 of these files, keyed by hash, restored. Other files
 * are left as they are.
 */
export function restoreBytes(kept: Json, bytes: ReadonlyMap<string, string>): Json {
  if (Array.isArray(kept)) return kept.map((one) => restoreBytes(one, bytes));
  if (!isJsonObject(kept)) return kept;
  const found = isBytesElsewhere(kept) ? bytes.get(kept.sha256) : undefined;
  return (
    found ?? Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, restoreBytes(value, bytes)]))
  );
}

/** Returns whether a block's bytes are stored elsewhere. */
export const lacksBytes = ({ data, resource }: JsonObject): boolean =>
  isBytesElsewhere(isJsonObject(resource) ? resource.blob : data);

const isBytesElsewhere = (value: Json | undefined): value is ByteReference =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value.sha256 === 'string' &&
  typeof value.size === 'number';
