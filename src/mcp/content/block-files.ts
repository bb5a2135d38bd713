import { attempt, sha256Hex } from '../../tool/async.ts';
import { type ContentPart, MAX_FILE, type NewFile, toFileName, toMediaType } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { base64Size, blockWords, inTurn, isForUserOnly, originWords } from './words.ts';

/** The most blocks of one answer that become files: a server may send ten thousand, and a provider takes some hundred. */
const MAX_FILES = 100;

/** Stands in content in the place of base64 that is not kept there. A type alias, since an interface is no JSON. */
export type BytesElsewhere = {
  /** Names the file of the result that has the bytes: it is the `id` of that. Absent where they were too many to be kept. */
  readonly sha256?: string;
  /** In bytes. */
  readonly size: number;
};

/** What blocks of content are for a model that may be shown files. */
export interface BlockFiles {
  /** Words and files, in the order of the blocks; nothing where none of them is a file, since then words say it all. */
  readonly parts: readonly ContentPart[];
  /** Copies content for whoever keeps it, with `BytesElsewhere` in the place of base64, also where data repeats it. */
  kept(blocks: readonly JsonObject[], structured: JsonObject | undefined): JsonObject;
}

/**
 * Makes files of images, audio and resources with bytes. What is for the user only is none, nor what has no valid base64 or no
 * media type, nor what is larger than a file may be: that is told in words, and its bytes are dropped. Never throws.
 */
export async function blockFiles(blocks: readonly JsonObject[]): Promise<BlockFiles> {
  const files = new Map<JsonObject, NewFile>();
  const elsewhere = new Map<string, BytesElsewhere>();
  for (const block of blocks) {
    const base64 = binaryOf(block);
    if (base64 === undefined) continue;
    const size = base64Size(base64);
    if (size > MAX_FILE) elsewhere.set(base64, { size });
    else if (files.size < MAX_FILES && !isForUserOnly(block)) {
      const file = fileOf(block, base64);
      if (!file) continue;
      files.set(block, file);
      if (!elsewhere.has(base64)) elsewhere.set(base64, { sha256: await sha256Hex(file.bytes), size });
    }
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

const BINARY_TYPES = ['image', 'audio', 'resource'];

/** Its bytes are its own, so that they can be hashed. */
type DecodedFile = NewFile & { readonly bytes: Uint8Array<ArrayBuffer> };

function fileOf(block: JsonObject, base64: string): DecodedFile | undefined {
  const { type, resource } = block;
  const from = isJsonObject(resource) ? resource : undefined;
  const { mimeType } = from ?? block;
  if (!BINARY_TYPES.includes(String(type)) || typeof mimeType !== 'string') return undefined;
  // A text says what its bytes would.
  if (typeof from?.text === 'string') return undefined;
  const mediaType = toMediaType(mimeType);
  const bytes = mediaType === undefined ? undefined : decoded(base64);
  if (mediaType === undefined || bytes === undefined || bytes.byteLength === 0) return undefined;
  const name = from && nameOf(from);
  return { type: 'file', mediaType, ...(name !== undefined && { name }), bytes };
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const characters = attempt(() => atob(base64));
  if (!characters.ok) return undefined;
  const bytes = new Uint8Array(characters.value.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.value.charCodeAt(at);
  return bytes;
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
