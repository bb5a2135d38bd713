import { joinParagraphs } from './json.ts';
import { INTEGER, type Infer, OPTIONAL_TEXT, type Shape, type ShapeAs, TEXT } from './shape.ts';

/** A text part of a message or of a result. */
export interface TextContent extends Infer<typeof TEXT_CONTENT> {}
const TEXT_CONTENT = { object: { type: { only: 'text' }, text: TEXT } } as const satisfies Shape;

const NAMED_FILE = {
  object: {
    /** The media type, such as `image/png`, in lowercase and without parameters. */
    mediaType: TEXT,
    /** The name that its sender gave it. */
    name: OPTIONAL_TEXT,
  },
} as const satisfies Shape;

/** The properties of a file whose bytes the session keeps. */
export const KEPT_FILE = {
  object: {
    /** The SHA-256 of its bytes, in hex. Equal bytes are kept once in a session. */
    id: { type: 'string', says: 'The SHA-256 of its bytes: GET .../files/{id}.' },
    /** The size in bytes. */
    size: INTEGER,
  },
  and: NAMED_FILE,
} as const satisfies Shape;

/** A file that the session keeps, without its bytes. */
export interface StoredFile extends Infer<typeof STORED_FILE> {}
const STORED_FILE = { object: { type: { only: 'file' } }, and: KEPT_FILE } as const satisfies Shape;

/** A file that is passed on as a URL. It is not fetched and not kept. */
export interface LinkedFile extends Infer<typeof LINKED_FILE> {}
const LINKED_FILE = {
  object: {
    type: { only: 'file' },
    /** A URL that begins with `https:`. */
    url: TEXT,
  },
  and: NAMED_FILE,
} as const satisfies Shape;

/**
 * A new file of a tool. It becomes a `StoredFile` when its call ends, and is never journaled in this form.
 */
export interface NewFile extends Infer<typeof NAMED_FILE> {
  readonly type: 'file';
  readonly bytes: Uint8Array;
}

/** A part of a message or of a result: text or a file. */
export type ContentPart = TextContent | StoredFile | LinkedFile | NewFile;

/** The parts that are journaled and shown. The session already keeps new files by then. */
export const CONTENT_PART: ShapeAs<ContentPart> = {
  like: { anyOf: [TEXT_CONTENT, STORED_FILE, LINKED_FILE] },
};

/** A file: new, stored, or at a URL. */
export type FileContent = Exclude<ContentPart, TextContent>;
export const FILE_CONTENT: ShapeAs<FileContent> = { like: { anyOf: [STORED_FILE, LINKED_FILE] } };

export const isFile = (part: ContentPart): part is FileContent => part.type === 'file';

/** Returns whether the session keeps the file. */
export const isStoredFile = (part: ContentPart): part is StoredFile => 'id' in part;

/** Returns whether the session does not keep the file yet. */
export const isNewFile = (part: ContentPart): part is NewFile => 'bytes' in part;

/** Returns the text of the parts, without files. */
export const joinTexts = (parts: readonly ContentPart[]): string =>
  joinParagraphs(...parts.map((part) => (isFile(part) ? '' : part.text)));

/** Returns the parts as text, with a line in place of each file. */
export const toContentText = (parts: readonly ContentPart[]): string =>
  joinParagraphs(...parts.map((part) => (isFile(part) ? formatFileLine(part) : part.text)));

/**
 * Returns a line that describes a file to a model, such as `[file 9f86d0…: image/png, "chart.png", 12,345
 * bytes]`. With its id, the model can recognize the file and pass it to a tool.
 */
export function formatFileLine(file: FileContent): string {
  const which = isStoredFile(file) ? file.id : isNewFile(file) ? 'not kept' : file.url;
  const size = isStoredFile(file) ? file.size : isNewFile(file) ? file.bytes.byteLength : undefined;
  const told = [
    file.mediaType,
    ...(file.name === undefined ? [] : [JSON.stringify(file.name)]),
    ...(size === undefined ? [] : [formatBytes(size)]),
  ];
  return `[file ${which}: ${told.join(', ')}]`;
}

const formatBytes = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;

/** Converts text with file lines back to parts. A file without a line comes after the text. */
export function toPartsWithFiles(words: string, files: readonly FileContent[]): ContentPart[] {
  const parts: ContentPart[] = [];
  const left: FileContent[] = [];
  let rest = words;
  for (const file of files) {
    const line = formatFileLine(file);
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

/** Returns a media type in lowercase and without parameters, or `undefined` if it is invalid. */
export function toMediaType(given: string): string | undefined {
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type.length <= 127 && /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type)
    ? type
    : undefined;
}

/** Returns whether a file of this type is text, which every model can read. */
export const isTextType = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || /^application\/(?:json|xml|yaml|.+\+(?:json|xml))$/.test(mediaType);

/** The maximum characters of a file's name. */
export const MAX_FILE_NAME = 255;

/** Matches line breaks, other control characters, and characters that change the text direction. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Returns a safe file name. Senders choose names, and models and people read them within our own text. */
export const toFileName = (given: string): string | undefined => {
  const name = given
    .toWellFormed()
    .replaceAll(CONTROL_CHARACTERS, ' ')
    .trim()
    .slice(0, MAX_FILE_NAME)
    .toWellFormed();
  return name === '' ? undefined : name;
};

/** Methods of some engines that are ten times as fast. */
interface NativeBytes {
  toBase64?(): string;
}

interface NativeConstructor {
  fromBase64?(text: string, options: { readonly lastChunkHandling: 'strict' }): Uint8Array<ArrayBuffer>;
}

/** Characters converted per call, since a function accepts a limited number of arguments. */
const CHUNK_CHARACTERS = 32_766;

/** Returns bytes as base64 (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as NativeBytes).toBase64?.();
  if (native !== undefined) return native;
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_CHARACTERS) {
    // A multiple of three bytes, so that the pieces can be joined. Spread arguments take five times as long.
    text += btoa(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + CHUNK_CHARACTERS)));
  }
  return text;
}

/** Returns the bytes of padded base64 text, or `undefined` if it is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    const native = (Uint8Array as NativeConstructor).fromBase64?.(text, { lastChunkHandling: 'strict' });
    return native ?? toCharCodes(atob(text));
  } catch {
    return undefined;
  }
}

/** Converts by index, since iterating over characters takes ten times as long. */
function toCharCodes(characters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
