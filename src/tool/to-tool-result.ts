import type { ContentPart, NewFile } from './content.ts';
import { type KeptBytes, type KeptJson, keepJson, type NonJson } from './copy-json.ts';
import { isToolResult, type ToolResult, text, toolResult } from './tool-result.ts';

/**
 * Makes a result of whatever a tool returned: `undefined` is the text `Done`, `null` the empty text, a string its text, a number
 * or boolean its JSON, bytes a file, an object or array an artifact whose JSON the model reads. JSON is made as
 * `JSON.stringify` makes it; a `Map` is an object if its keys are texts, else a list of pairs; a `Set` is a list; bytes in
 * it are files behind it, and their name stands in their place. Results stay as they are. Never throws, and never an error: the tool
 * has run. What JSON does not keep is left out, the model is told of it behind the value, and `onLost` in words for the
 * developer. The value is copied, so that the tool may go on changing its own.
 */
export function toToolResult(tool: string, returned: unknown, onLost?: OnLost): ToolResult {
  if (returned === undefined) return text('Done');
  const result = isToolResult(returned) ? returned : undefined;
  if (result && result.type !== 'artifact') return result;
  const kept = keepJson(result ? result.value : returned);
  tellLost(tool, kept, onLost);
  return result ? keptArtifact(result, kept) : shown(kept);
}

/** Told of what a tool returned and that cannot be kept. */
type OnLost = (problem: string) => void;

function shown({ value, left, nulls, bytes }: KeptJson): ToolResult {
  const remark = notShown(left);
  const [only] = bytes;
  if (only?.name === '') return toolResult({ type: 'content', parts: [toFile(only)] });
  if (value === undefined) return text(['Done', ...remark].join('\n'));
  if (value === null) return text(nulls.length > 0 ? 'null' : '');
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object') return text(JSON.stringify(value));
  if (bytes.length === 0)
    return toolResult({ type: 'artifact', value, ...(remark[0] && { remark: remark[0] }) });
  const words = [JSON.stringify(value), ...remark].join('\n\n');
  return toolResult({ type: 'artifact', value, parts: withFiles([{ type: 'text', text: words }], bytes) });
}

/** An artifact that says what the model reads; one whose value is lost is its words alone. */
function keptArtifact(
  { value: _, ...said }: Extract<ToolResult, { type: 'artifact' }>,
  { value, left, bytes }: KeptJson,
): ToolResult {
  const { content, ...rest } = said;
  if (value === undefined && said.parts) return toolResult({ type: 'content', parts: said.parts });
  if (value === undefined) return text(content ?? ['Done', ...notShown(left)].join('\n'));
  if (bytes.length === 0) return toolResult({ ...said, value });
  const words: readonly ContentPart[] = [{ type: 'text', text: content ?? JSON.stringify(value) }];
  return toolResult({ ...rest, value, parts: withFiles(said.parts ?? words, bytes) });
}

const withFiles = (parts: readonly ContentPart[], bytes: readonly KeptBytes[]): ContentPart[] => [
  ...parts,
  ...bytes.map(toFile),
];

const toFile = ({ name, bytes }: KeptBytes): NewFile => ({
  type: 'file',
  mediaType: mediaTypeOf(bytes),
  ...(name !== '' && { name }),
  bytes,
});

/** By their first bytes, if they are of a type that models are shown. */
function mediaTypeOf(bytes: Uint8Array): string {
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

/** The most places that are named of what was left out. */
const MOST_NAMED = 5;

/** What the model reads behind a value of which something was left out. */
const notShown = (left: readonly NonJson[]): readonly string[] =>
  left.length === 0 ? [] : [`(not shown: ${placesOf(left)})`];

function placesOf(places: readonly NonJson[]): string {
  const named = places.slice(0, MOST_NAMED).map(({ path, what }) => `${path} is ${what}`);
  const more = places.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function tellLost(tool: string, { left, nulls }: KeptJson, onLost: OnLost | undefined): void {
  if (!onLost) return;
  const mend = left.some(({ made = '' }) => FILES.test(made)) ? RETURN_FILE : RETURN_JSON;
  if (left.length > 0)
    onLost(
      `Tool '${tool}' returned what JSON does not keep, and it was left out: ${placesOf(left)}. ${mend}`,
    );
  if (nulls.length > 0) onLost(`Tool '${tool}' returned numbers that are null in JSON: ${placesOf(nulls)}.`);
}

const FILES = /^(?:Blob|File|Response|ReadableStream)$/;
const RETURN_FILE = 'Return bytes as they are, or as `file(bytes, mediaType)` or `image(bytes, mediaType)`.';
const RETURN_JSON = 'Return JSON, or give the value a toJSON that says it.';
