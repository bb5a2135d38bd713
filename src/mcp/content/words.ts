import { isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { type Log, warning } from '../../tool/log.ts';
import type { Secrets } from '../../tool/secrets.ts';

/** What blocks of content come to in words for a model. */
export interface ContentWords {
  /** Holds the texts, and a line for each other block, with an empty line between; no binary data. */
  readonly words: string;
  /** Whether the words hold any text that the server wrote as such. */
  readonly hasText: boolean;
  /** Whether the words are all there is: texts, all of them for the model. */
  readonly isAll: boolean;
}

/** The most characters of what names or describes something. A model may have to repeat an address, so that may be longer. */
const MAX_LABEL = 200;
const MAX_URI = 4_096;

/**
 * Says blocks of content (MCP specification, "Tool Result") in words for a model. What is annotated as being for the user alone
 * is only counted. Never throws.
 */
export function contentWords(blocks: readonly JsonObject[]): ContentWords {
  const texts = blocks.filter((block) => !isForUserOnly(block)).filter(isText);
  return {
    words: inTurn(blocks, (block) => [blockWords(block)]).join('\n\n'),
    hasText: texts.some(({ text }) => text.trim() !== ''),
    isAll: texts.length === blocks.length,
  };
}

/** Says each block that is for the model, as `say` has it, and behind them how many are not. */
export function inTurn<Said>(
  blocks: readonly JsonObject[],
  say: (block: JsonObject) => readonly Said[],
): readonly (Said | string)[] {
  const forModel = blocks.filter((block) => !isForUserOnly(block));
  const hidden = blocks.length - forModel.length;
  const note = `[${hidden === 1 ? '1 block is' : `${hidden} blocks are`} for the user only]`;
  return [...forModel.flatMap(say), ...(hidden > 0 ? [note] : [])];
}

/**
 * Makes words that somebody else chose a part of a line of ours: at most `max` characters, without line breaks, control
 * characters, and characters of format, which are invisible or turn the direction of what follows. So the words can neither pass
 * for a line of their own nor hide a part of themselves.
 */
export const oneLine = (text: string, max: number): string =>
  shorten(
    text
      .toWellFormed()
      .replaceAll(/\p{Cf}+/gu, '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    max,
  );

/** The most characters of one line of the log. */
const MAX_WORDS = 4_000;

/** Logs words of which a server chose some: on one line, and without the caller's secrets. */
export const warn = (words: string, { secrets, log }: Telling): void =>
  log(warning(oneLine(secrets.redact(words), MAX_WORDS)));

/** Where a line goes, and what it must not hold. */
export interface Telling {
  readonly secrets: Secrets;
  readonly log: Log;
}

/** Tells whether its audience is the user and nobody else (MCP specification, Annotations). */
export function isForUserOnly({ annotations }: JsonObject): boolean {
  const audience = isJsonObject(annotations) ? annotations.audience : undefined;
  return Array.isArray(audience) && audience.length > 0 && audience.every((role) => role === 'user');
}

const isText = (block: JsonObject): block is { readonly type: 'text'; readonly text: string } =>
  block.type === 'text' && typeof block.text === 'string';

/** Says one block: a text as it is, anything else as a line. */
export function blockWords(block: JsonObject): string {
  if (isText(block)) return block.text;
  const { type, data, mimeType, resource } = block;
  const size = sizeOf(data);
  if ((type === 'image' || type === 'audio') && size !== undefined) {
    return `[${list(`${type} ${label(mimeType)}`.trim(), inBytes(size))}]`;
  }
  if (type === 'resource_link') return linkWords(block);
  if (type === 'resource' && isJsonObject(resource)) return resourceWords(resource);
  return `[content of the type '${label(type)}', which is not known here]`;
}

/** Says what can be read elsewhere, as a line; `what` it is. */
export function linkWords(
  { name, title, uri, mimeType, size, description }: JsonObject,
  what = 'resource link',
): string {
  const named = `${label(title) || label(name)} (${address(uri)})`;
  const bytes = typeof size === 'number' ? inBytes(size) : '';
  const said = label(description);
  return `[${what}: ${list(named, label(mimeType), bytes)}${said && `: ${said}`}]`;
}

/** The most arguments of a prompt that are told. */
const MAX_ARGUMENTS = 20;

/** Says a prompt of a server as a line. */
export function promptWords({ name, description, arguments: takes }: JsonObject): string {
  const said = label(description);
  const named = (Array.isArray(takes) ? takes.filter(isJsonObject) : [])
    .slice(0, MAX_ARGUMENTS)
    .map((one) => `${label(one.name)}${one.required === true ? ' (required)' : ''}`);
  return `[prompt: ${label(name)}${said && `: ${said}`}${named.length > 0 ? `; arguments: ${named.join(', ')}` : ''}]`;
}

function resourceWords({ uri, mimeType, text, blob }: JsonObject): string {
  const size = sizeOf(blob);
  const bytes = size === undefined ? '' : inBytes(size);
  const head = `[resource ${list(address(uri), label(mimeType), bytes)}]`;
  return typeof text === 'string' ? `${head}\n${text}` : head;
}

/** Says where a resource is from, for whoever is shown its bytes and no line about it; empty for any other block. */
export function originWords({ resource }: JsonObject): string {
  const from = isJsonObject(resource) ? address(resource.uri) : '';
  return from && `[resource ${from}]`;
}

const list = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ');

const label = (value: Json | undefined): string => lineOf(value, MAX_LABEL);

const lineOf = (value: Json | undefined, max: number): string =>
  typeof value === 'string' ? oneLine(value, max) : '';

/** Shows only the media type of a `data:` URI. */
function address(uri: Json | undefined): string {
  const inline = typeof uri === 'string' && /^\s*(data:[^,]*),/i.exec(uri)?.[1];
  return inline ? `${label(inline)},…` : lineOf(uri, MAX_URI);
}

/** Tells how many bytes base64 stands for, without decoding it, or what stands in its place. */
function sizeOf(binary: Json | undefined): number | undefined {
  if (typeof binary === 'string') return Math.floor((binary.replaceAll(/[\s=]/g, '').length * 3) / 4);
  return isJsonObject(binary) && typeof binary.size === 'number' ? binary.size : undefined;
}

const inBytes = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
