import { paragraphs } from './json.ts';
import { type Infer, OPTIONAL_TEXT, type Shape, type ShapeAs, TEXT, WHOLE } from './shape.ts';

/** Words of a message or of a result. */
export interface TextContent extends Infer<typeof TEXT_CONTENT> {}
const TEXT_CONTENT = { object: { type: { only: 'text' }, text: TEXT } } as const satisfies Shape;

const NAMED_FILE = {
  object: {
    /** Such as `image/png`, in lower case and without parameters. */
    mediaType: TEXT,
    /** As whoever sent it calls it. */
    name: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** How a file is named whose bytes the session keeps. */
export const KEPT_FILE = {
  object: {
    /** SHA-256 of its bytes, in hex. The same bytes are kept once in a session. */
    id: { type: 'string', says: 'The SHA-256 of its bytes: GET .../files/{id}.' },
    /** In bytes. */
    size: WHOLE,
  },
  and: NAMED_FILE,
} as const satisfies Shape;

/** A file that the session keeps, without its bytes. */
export interface StoredFile extends Infer<typeof STORED_FILE> {}
const STORED_FILE = { object: { type: { only: 'file' } }, and: KEPT_FILE } as const satisfies Shape;

/** A file that is handed on as its address: nobody here fetches it, and it is not kept. */
export interface LinkedFile extends Infer<typeof LINKED_FILE> {}
const LINKED_FILE = {
  object: {
    type: { only: 'file' },
    /** An address that begins with `https:`. */
    url: TEXT,
  },
  and: NAMED_FILE,
} as const satisfies Shape;

/** A file that a tool has just made. Once its call has ended it is a `StoredFile`: this is never journaled. */
export interface NewFile extends Infer<typeof NAMED_FILE> {
  readonly type: 'file';
  readonly bytes: Uint8Array;
}

/** One part of a message or of a result: words, or a file. */
export type ContentPart = TextContent | StoredFile | LinkedFile | NewFile;

/** The parts that are journaled and shown: a file that a tool has just made is kept by then. */
export const CONTENT_PART: ShapeAs<ContentPart> = {
  like: { anyOf: [TEXT_CONTENT, STORED_FILE, LINKED_FILE] },
};

/** A file, wherever its bytes are. */
export type FileContent = Exclude<ContentPart, TextContent>;
export const FILE_CONTENT: ShapeAs<FileContent> = { like: { anyOf: [STORED_FILE, LINKED_FILE] } };

/** Tells a file from words. */
export const isFile = (part: ContentPart): part is FileContent => part.type === 'file';

/** Tells a file that the session keeps. */
export const isStored = (part: ContentPart): part is StoredFile => 'id' in part;

/** Tells a file whose bytes are not kept yet. */
export const isNew = (part: ContentPart): part is NewFile => 'bytes' in part;

/** What was said in words, without its files. */
export const textsOf = (parts: readonly ContentPart[]): string =>
  paragraphs(...parts.map((part) => (isFile(part) ? '' : part.text)));

/** The whole in words, for whoever cannot be given a file: a line stands in the place of each. */
export const inWords = (parts: readonly ContentPart[]): string =>
  paragraphs(...parts.map((part) => (isFile(part) ? fileLine(part) : part.text)));

/**
 * Names a file for a model, such as `[file 9f86d0…: image/png, "chart.png", 12,345 bytes]`: by its id a tool can be asked for
 * it, and it is known again.
 */
export function fileLine(file: FileContent): string {
  const which = isStored(file) ? file.id : isNew(file) ? 'not kept' : file.url;
  const size = isStored(file) ? file.size : isNew(file) ? file.bytes.byteLength : undefined;
  const told = [
    file.mediaType,
    ...(file.name === undefined ? [] : [JSON.stringify(file.name)]),
    ...(size === undefined ? [] : [inBytes(size)]),
  ];
  return `[file ${which}: ${told.join(', ')}]`;
}

const inBytes = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;

/** Words in which lines stand for files, as parts again: each file in the place of its line, or behind the words. */
export function placed(words: string, files: readonly FileContent[]): ContentPart[] {
  const parts: ContentPart[] = [];
  const left: FileContent[] = [];
  let rest = words;
  for (const file of files) {
    const line = fileLine(file);
    const at = rest.indexOf(line);
    if (at < 0) left.push(file);
    else {
      parts.push({ type: 'text', text: rest.slice(0, at) }, file);
      rest = rest.slice(at + line.length);
    }
  }
  parts.push({ type: 'text', text: rest }, ...left);
  return parts.flatMap((part) => {
    if (isFile(part)) return part;
    const text = part.text.trim();
    return text === '' ? [] : { ...part, text };
  });
}

/** A media type as it is kept: in lower case and without parameters; `undefined` of what is none. */
export function toMediaType(given: string): string | undefined {
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type.length <= 127 && /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type)
    ? type
    : undefined;
}

/** Tells whether a file of this type is text, which any model can be told. */
export const isText = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || /^application\/(?:json|xml|yaml|.+\+(?:json|xml))$/.test(mediaType);

/** The most characters of a file's name. */
export const MAX_FILE_NAME = 255;

/** Line breaks, other control characters, and characters that turn the direction of what follows. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A file's name as it is kept: somebody else chose it, and models and people read it in a line of ours. */
export const toFileName = (given: string): string | undefined => {
  const name = given.toWellFormed().replaceAll(UNSHOWN, ' ').trim().slice(0, MAX_FILE_NAME).toWellFormed();
  return name === '' ? undefined : name;
};

/** Engines that have these do it ten times as fast. */
interface NativeBytes {
  toBase64?(): string;
}

interface NativeConstructor {
  fromBase64?(text: string, options: { readonly lastChunkHandling: 'strict' }): Uint8Array<ArrayBuffer>;
}

/** Characters of one call: more arguments than a function takes would throw. */
const CHUNK = 32_766;

/** Bytes as base64 (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as NativeBytes).toBase64?.();
  if (native !== undefined) return native;
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    // A multiple of three bytes, so that the pieces can be joined.
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return text;
}

/** The bytes of base64 text, of which nothing is left out; `undefined` when it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    const native = (Uint8Array as NativeConstructor).fromBase64?.(text, { lastChunkHandling: 'strict' });
    return native ?? codesOf(atob(text));
  } catch {
    return undefined;
  }
}

/** Counted, since going through the characters one by one takes ten times as long. */
function codesOf(characters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
