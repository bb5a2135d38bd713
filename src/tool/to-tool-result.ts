import { type ContentPart, type NewFile, toFileName, toMediaType } from './content.ts';
import { copyJsonPart, type ExtractedBytes, type NonJsonValue, type PartialJsonCopy } from './copy-json.ts';
import { literals } from './literals.ts';
import { type ContentResult, createToolResult, isToolResult, type ToolResult, text } from './tool-result.ts';

/**
 * Converts the return value of a tool to a result. `undefined` becomes the text `Done`, `null` an empty text,
 * a string its text, a number or boolean its JSON, bytes a file, and an object or array an artifact whose
 * JSON the model reads.
 *
 * JSON is created as by `JSON.stringify`. A `Map` becomes an object if its keys are strings, and otherwise a
 * list of pairs. A `Set` becomes a list. Bytes inside a value become files after the text and are replaced by
 * their names. Results are returned unchanged.
 *
 * Never throws and never returns an error, since the tool has run. Parts that JSON does not keep are left
 * out: a remark after the value informs the model, and `onLost` receives a message for the developer. The
 * value is copied, so that the tool can continue to change the original.
 */
export function toToolResult(tool: string, returned: unknown, onLost?: LostValueHandler): ToolResult {
  if (returned === undefined) return text('Done');
  const result = isToolResult(returned) ? returned : undefined;
  if (result && result.type !== 'artifact') return result;
  const kept = copyJsonPart(result ? result.value : returned);
  reportLost(tool, kept, onLost);
  return result ? toArtifactResult(result, kept) : toShownResult(kept);
}

/** Called with a message about a part of a tool's return value that cannot be stored. */
type LostValueHandler = (problem: string) => void;

function toShownResult({ value, left, nulls, bytes }: PartialJsonCopy): ToolResult {
  const remark = listHiddenRemarks(left);
  const [only] = bytes;
  if (only?.name === '') return createToolResult({ type: 'content', parts: [toFile(only)] });
  if (value === undefined) return text(['Done', ...remark].join('\n'));
  if (value === null) return text(nulls.length > 0 ? 'null' : '');
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object') return text(JSON.stringify(value));
  if (bytes.length === 0)
    return createToolResult({ type: 'artifact', value, ...(remark[0] && { remark: remark[0] }) });
  const words = [JSON.stringify(value), ...remark].join('\n\n');
  return createToolResult({
    type: 'artifact',
    value,
    parts: appendFiles([{ type: 'text', text: words }], bytes),
  });
}

/**
 * Returns the result of an artifact that has its own text for the model. If the value cannot be stored, only
 * the text remains.
 */
function toArtifactResult(
  { value: _, ...said }: Extract<ToolResult, { type: 'artifact' }>,
  { value, left, bytes }: PartialJsonCopy,
): ToolResult {
  const { content, ...rest } = said;
  if (value === undefined && said.parts) return createToolResult({ type: 'content', parts: said.parts });
  if (value === undefined) return text(content ?? ['Done', ...listHiddenRemarks(left)].join('\n'));
  if (bytes.length === 0) return createToolResult({ ...said, value });
  const words: readonly ContentPart[] = [{ type: 'text', text: content ?? JSON.stringify(value) }];
  return createToolResult({ ...rest, value, parts: appendFiles(said.parts ?? words, bytes) });
}

const appendFiles = (parts: readonly ContentPart[], bytes: readonly ExtractedBytes[]): ContentPart[] => [
  ...parts,
  ...bytes.map(toFile),
];

const toFile = ({ name, bytes }: ExtractedBytes): NewFile => ({
  type: 'file',
  mediaType: detectMediaType(bytes),
  ...(name !== '' && { name }),
  bytes,
});

/** Detects the media types that models see from the first bytes. */
function detectMediaType(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0] ?? 'application/octet-stream';
}

const SIGNATURES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
];

/** The maximum number of listed paths of values that were left out. */
const MAX_NAMED_PLACES = 5;

/** Returns the remark for the model that follows a value with omitted parts. */
const listHiddenRemarks = (left: readonly NonJsonValue[]): readonly string[] =>
  left.length === 0 ? [] : [`(not shown: ${describePlaces(left)})`];

function describePlaces(places: readonly NonJsonValue[]): string {
  const named = places.slice(0, MAX_NAMED_PLACES).map(({ path, what }) => `${path} is ${what}`);
  const more = places.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function reportLost(
  tool: string,
  { left, nulls }: PartialJsonCopy,
  onLost: LostValueHandler | undefined,
): void {
  if (!onLost) return;
  if (left.length > 0)
    onLost(
      `Tool '${tool}' returned values that JSON does not keep, and they were left out: ${describePlaces(left)}.` +
        (literals ? ` ${literals.mendLost(left)}` : ''),
    );
  if (nulls.length > 0)
    onLost(`Tool '${tool}' returned numbers that are null in JSON: ${describePlaces(nulls)}.`);
}

/**
 * Returns a result of text and files, which the model sees in this order. For a file that it does not accept,
 * the model reads the type, name, size and id as text. A file can be up to 8 MiB, the files of a result
 * together 12 MiB, and all files of a session 50 MiB. Files beyond these limits are not kept, and the model
 * is informed.
 *
 * @throws TypeError if a part is neither text nor a file.
 *
 * @example
 * ```ts
 * return content(['Sales by month:', image(png, 'image/png'), 'All numbers are in euros.']);
 * ```
 */
export const content = (parts: readonly (string | ContentPart | ContentResult)[]): ContentResult =>
  createToolResult({
    type: 'content',
    parts: parts.flatMap((part, index): readonly ContentPart[] => {
      if (typeof part === 'string') return [{ type: 'text', text: part }];
      return isToolResult(part) && part.type === 'content' ? part.parts : [toPart(part, index)];
    }),
  });

/** Copies a part. Callers without types can pass anything, but journaled parts must stay readable. */
function toPart(part: unknown, index: number): ContentPart {
  const { type, text, mediaType, name, bytes, url, id, size } = Object(part);
  if (type === 'text' && typeof text === 'string') return { type, text };
  const isNamed = name === undefined || typeof name === 'string';
  if (type === 'file' && typeof mediaType === 'string' && toMediaType(mediaType) === mediaType && isNamed) {
    const told = { type, mediaType, ...toNameField(name) } as const;
    if (bytes !== undefined) return { ...told, bytes: toBytes(bytes) };
    if (typeof url === 'string') return { ...told, url: toHttpsUrl(URL.parse(url)) };
    if (typeof id === 'string' && Number.isSafeInteger(size)) return { ...told, id, size };
  }
  throw new TypeError(
    `content[${index}] is neither text nor a file. Use a string, or the result of \`image\` or \`file\`.`,
  );
}

/** The bytes of a file, or its https URL, which is passed on to the model and not fetched. */
export type FileSource = Uint8Array | ArrayBuffer | URL;

/**
 * Returns a result with one file, which can also be a part of `content`. `mediaType`: such as
 * `application/pdf`.
 *
 * @throws TypeError if the source or the media type is invalid, or if the URL does not begin with https or
 * contains a user.
 *
 * @example
 * ```ts
 * return file(new Uint8Array([37, 80, 68, 70]), 'application/pdf', 'invoice.pdf');
 * ```
 */
export function file(source: FileSource, mediaType: string, name?: string): ContentResult {
  const type = toMediaType(mediaType);
  if (type === undefined) throw new TypeError(`'${mediaType}' is not a media type such as image/png.`);
  const told = { type: 'file', mediaType: type, ...toNameField(name) } as const;
  // A copy, since the tool can continue to change the original.
  const held = isUrl(source) ? { url: toHttpsUrl(source) } : { bytes: new Uint8Array(toBytes(source)) };
  return createToolResult({ type: 'content', parts: [{ ...told, ...held }] });
}

/**
 * Returns a result with one image, like `file`: `image(png, 'image/png')`.
 *
 * @throws TypeError as `file` does, and if the media type is not an image's.
 *
 * @example
 * ```ts
 * return content(['The chart:', image(png, 'image/png')]);
 * ```
 */
export function image(source: FileSource, mediaType: string, name?: string): ContentResult {
  if (!/^image\//i.test(mediaType)) throw new TypeError(`'${mediaType}' is not the media type of an image.`);
  return file(source, mediaType, name);
}

const toNameField = (name: string | undefined): { readonly name?: string } => {
  const kept = name === undefined ? undefined : toFileName(name);
  return kept === undefined ? {} : { name: kept };
};

/** Returns the type tag of an object. It also works for objects of another realm, whose classes differ. */
const getTypeTag = (source: unknown): string =>
  Object.prototype.toString.call(source).slice('[object '.length, -1);

const isUrl = (source: FileSource): source is URL => getTypeTag(source) === 'URL';

/** Refuses URLs with a user, whose password would be journaled and shown to models. */
function toHttpsUrl(url: URL | null): string {
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href;
  throw new TypeError('The URL of a file must begin with https: and must not contain a user name.');
}

/** Returns the bytes of a source. Callers without types can pass anything. */
function toBytes(source: Uint8Array | ArrayBuffer): Uint8Array {
  const kind = getTypeTag(source);
  if (kind === 'Uint8Array') return source as Uint8Array; // The tag proves the type, here and below.
  if (kind === 'ArrayBuffer') return new Uint8Array(source as ArrayBuffer);
  throw new TypeError(`A file must be a Uint8Array, an ArrayBuffer or a URL, but is of the type ${kind}.`);
}
