import type { ContentBlock } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { attempt, sha256Hex } from '../../tool/async.ts';
import { type ContentPart, fromBase64, type NewFile, toFileName, toMediaType } from '../../tool/content.ts';
import { copyJson } from '../../tool/copy-json.ts';
import { type DomainType, defineDomainType } from '../../tool/domain-type.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { content } from '../../tool/to-tool-result.ts';
import { artifact, type ToolResult } from '../../tool/tool-result.ts';
import { blockWords, contentWords, inTurn, isForUserOnly, originWords } from './words.ts';

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

/** The most blocks of one answer that become files: a server may send ten thousand, and a provider takes some hundred. */
const MAX_FILES = 100;

/** Stands in content in the place of base64 whose bytes are a file of the result. A type alias, since an interface is no JSON. */
export type BytesElsewhere = {
  /** In hex: the `id` of the file among the parts of the result, unless it was not kept there. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
};

/** What blocks of content are for a model that may be shown files. */
interface BlockFiles {
  /** Words and files, in the order of the blocks; nothing where none of them is a file, since then words say it all. */
  readonly parts: readonly ContentPart[];
  /** Copies content for whoever keeps it, with `BytesElsewhere` in the place of base64, also where data repeats it. */
  kept(blocks: readonly JsonObject[], structured: JsonObject | undefined): JsonObject;
}

/**
 * Makes files of images, audio and resources with bytes. What is for the user only is none, nor what has no media type, no bytes
 * or no valid base64. Whether a file is too large is for whoever keeps it. Never throws.
 */
export async function blockFiles(blocks: readonly JsonObject[]): Promise<BlockFiles> {
  const files = new Map<JsonObject, NewFile>();
  const elsewhere = new Map<string, BytesElsewhere>();
  for (const block of blocks) {
    const found = files.size < MAX_FILES && !isForUserOnly(block) ? fileOf(block) : undefined;
    if (!found) continue;
    const { file, base64, bytes } = found;
    files.set(block, file);
    if (!elsewhere.has(base64))
      elsewhere.set(base64, { sha256: await sha256Hex(bytes), size: bytes.byteLength });
  }
  return {
    parts: files.size === 0 ? [] : contentParts(blocks, files),
    kept: (content, structured) => ({
      content: content.map((block) => withoutBytes(block, elsewhere)),
      ...(structured && { structuredContent: withoutRepeated(structured, elsewhere) }),
    }),
  };
}

/** The base64 of a block, where it has any. */
export function binaryOf({ data, resource }: JsonObject): string | undefined {
  const binary = isJsonObject(resource) ? resource.blob : data;
  return typeof binary === 'string' && binary !== '' ? binary : undefined;
}

/** A file, and what it was made of. */
interface DecodedFile {
  readonly file: NewFile;
  readonly base64: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const BINARY_TYPES = ['image', 'audio', 'resource'];

function fileOf(block: JsonObject): DecodedFile | undefined {
  const { type, resource } = block;
  const from = isJsonObject(resource) ? resource : undefined;
  const { mimeType } = from ?? block;
  const base64 = binaryOf(block);
  // A resource that is a text says what its bytes would.
  if (base64 === undefined || typeof from?.text === 'string') return undefined;
  if (!BINARY_TYPES.includes(String(type)) || typeof mimeType !== 'string') return undefined;
  const mediaType = toMediaType(mimeType);
  const bytes = mediaType === undefined ? undefined : decoded(base64);
  if (mediaType === undefined || bytes === undefined || bytes.byteLength === 0) return undefined;
  const name = from && nameOf(from);
  return { base64, bytes, file: { type: 'file', mediaType, ...(name !== undefined && { name }), bytes } };
}

/** Servers also send lines, and leave the padding out. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = base64.replaceAll(/\s/g, '').replace(/={1,2}$/, '');
  return fromBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, '='));
}

/** A resource is called as the last part of its address is, or else by its title. */
function nameOf({ uri, title }: JsonObject): string | undefined {
  const last = typeof uri === 'string' ? lastSegment(uri) : '';
  return toFileName(last) ?? (typeof title === 'string' ? toFileName(title) : undefined);
}

function lastSegment(uri: string): string {
  if (/^\s*data:/i.test(uri)) return '';
  const path = uri.replace(/[?#].*$/s, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  const decodes = attempt(() => decodeURIComponent(last));
  // What was encoded may hold a path of its own.
  const name = (decodes.ok ? decodes.value : last).replace(/^.*[/\\]/s, '');
  return path.includes('/') && !/^\.*$/.test(name) ? name : '';
}

/** Each file is a part, behind where it is from; what is said in words between two files is one part. */
function contentParts(
  blocks: readonly JsonObject[],
  files: ReadonlyMap<JsonObject, NewFile>,
): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  let words: string[] = [];
  const endWords = (): void => {
    const text = words.join('\n\n');
    // Some providers refuse a text that is blank.
    if (text.trim() !== '') parts.push({ type: 'text', text });
    words = [];
  };
  const said = inTurn<string | NewFile>(blocks, (block) => {
    const file = files.get(block);
    return file ? [originWords(block), file].filter((one) => one !== '') : [blockWords(block)];
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

type Elsewhere = ReadonlyMap<string, BytesElsewhere>;

function withoutBytes(block: JsonObject, elsewhere: Elsewhere): JsonObject {
  const instead = elsewhere.get(binaryOf(block) ?? '');
  if (!instead) return block;
  const { resource } = block;
  if (!isJsonObject(resource)) return { ...block, data: instead };
  return { ...block, resource: { ...resource, blob: instead } };
}

/** The fewest characters that are looked for in data: fewer might be any word, and what stands in their place is no shorter. */
const MIN_REPEATED = 100;

/** Some servers repeat whole blocks as structured content. */
function withoutRepeated(data: JsonObject, elsewhere: Elsewhere): JsonObject {
  const copied = (value: Json): Json => {
    if (typeof value === 'string') return (value.length >= MIN_REPEATED && elsewhere.get(value)) || value;
    if (Array.isArray(value)) return value.map(copied);
    return isJsonObject(value) ? withoutRepeated(value, elsewhere) : value;
  };
  return elsewhere.size === 0
    ? data
    : Object.fromEntries(Object.entries(data).map(([key, value]) => [key, copied(value)]));
}

/** Copies what `kept` made, with the base64 of these files, by their hashes, where it was. What is not among them stays as it is. */
export function withBytes(kept: Json, bytes: ReadonlyMap<string, string>): Json {
  if (Array.isArray(kept)) return kept.map((one) => withBytes(one, bytes));
  if (!isJsonObject(kept)) return kept;
  const found = isElsewhere(kept) ? bytes.get(kept.sha256) : undefined;
  return (
    found ?? Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, withBytes(value, bytes)]))
  );
}

/** Tells a block whose bytes are not in it. */
export const lacksBytes = ({ data, resource }: JsonObject): boolean =>
  isElsewhere(isJsonObject(resource) ? resource.blob : data);

const isElsewhere = (value: Json | undefined): value is BytesElsewhere =>
  isJsonObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value.sha256 === 'string' &&
  typeof value.size === 'number';
