/** Makes results of words and files. */
import { type ContentPart, toFileName, toMediaType } from './content.ts';
import { type ContentResult, isToolResult, toolResult } from './tool-result.ts';

/**
 * A result of words and files, which the model is shown in this order. A file that the model cannot take is told in words: its
 * type, name, size and id. Each may weigh 8 MiB, those of a result 12 MiB, and all files of a session 50 MiB: of what is more, the
 * model is told in words that it was not kept.
 *
 * @throws TypeError for a part that is neither words nor a file.
 *
 * @example
 * ```ts
 * return content(['Sales by month:', image(png, 'image/png'), 'All numbers are in euros.']);
 * ```
 */
export const content = (parts: readonly (string | ContentPart | ContentResult)[]): ContentResult =>
  toolResult({
    type: 'content',
    parts: parts.flatMap((part, index): readonly ContentPart[] => {
      if (typeof part === 'string') return [{ type: 'text', text: part }];
      return isToolResult(part) && part.type === 'content' ? part.parts : [toPart(part, index)];
    }),
  });

/** Copies a part. Callers without types may give anything, and what is journaled must be readable for ever. */
function toPart(part: unknown, index: number): ContentPart {
  const { type, text, mediaType, name, bytes, url, id, size } = Object(part);
  if (type === 'text' && typeof text === 'string') return { type, text };
  const isNamed = name === undefined || typeof name === 'string';
  if (type === 'file' && typeof mediaType === 'string' && toMediaType(mediaType) === mediaType && isNamed) {
    const told = { type, mediaType, ...named(name) } as const;
    if (bytes !== undefined) return { ...told, bytes: bytesOf(bytes) };
    if (typeof url === 'string') return { ...told, url: addressOf(URL.parse(url)) };
    if (typeof id === 'string' && Number.isSafeInteger(size)) return { ...told, id, size };
  }
  throw new TypeError(
    `content[${index}] is neither words nor a file: use a text, or what \`image\` and \`file\` answer.`,
  );
}

/** The bytes of a file, or the https address where it is, which is handed on to the model and not fetched. */
export type FileSource = Uint8Array | ArrayBuffer | URL;

/**
 * A result that is one file; it may also stand among the parts of `content`. `mediaType` is such as `application/pdf`.
 *
 * @throws TypeError when the source or the media type is none, or the address is not one with https, or has a user in it.
 */
export function file(source: FileSource, mediaType: string, name?: string): ContentResult {
  const type = toMediaType(mediaType);
  if (type === undefined) throw new TypeError(`'${mediaType}' is not a media type such as image/png.`);
  const told = { type: 'file', mediaType: type, ...named(name) } as const;
  // A copy: the tool may go on using its own.
  const held = isUrl(source) ? { url: addressOf(source) } : { bytes: new Uint8Array(bytesOf(source)) };
  return toolResult({ type: 'content', parts: [{ ...told, ...held }] });
}

/** A result that is one image, as `file` makes one: `image(png, 'image/png')`. @throws TypeError as `file`, and for a media type that is no image's. */
export function image(source: FileSource, mediaType: string, name?: string): ContentResult {
  if (!/^image\//i.test(mediaType)) throw new TypeError(`'${mediaType}' is not the media type of an image.`);
  return file(source, mediaType, name);
}

const named = (name: string | undefined): { readonly name?: string } => {
  const kept = name === undefined ? undefined : toFileName(name);
  return kept === undefined ? {} : { name: kept };
};

/** Also of another realm, whose classes are others. */
const tagOf = (source: unknown): string =>
  Object.prototype.toString.call(source).slice('[object '.length, -1);

const isUrl = (source: FileSource): source is URL => tagOf(source) === 'URL';

/** A user's password would be journaled, and told to models. */
function addressOf(url: URL | null): string {
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href;
  throw new TypeError(
    'A file that is handed on as its address needs one that begins with https: and has no user in it.',
  );
}

/** The bytes of a source. Callers without types may give anything. */
function bytesOf(source: Uint8Array | ArrayBuffer): Uint8Array {
  const kind = tagOf(source);
  if (kind === 'Uint8Array') return source as Uint8Array; // as its tag says, and so below
  if (kind === 'ArrayBuffer') return new Uint8Array(source as ArrayBuffer);
  throw new TypeError(
    `A file is made of a Uint8Array or an ArrayBuffer of its bytes, or of a URL, and this is of the type ${kind}.`,
  );
}
