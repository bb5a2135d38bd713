import { isJsonObject, type Json, type JsonObject, shorten } from '../../tool/json.ts';
import { createWarningEntry, type Log } from '../../tool/log.ts';
import type { Secrets } from '../../tool/secrets.ts';

/** Content blocks as text for a model. */
export interface ContentWords {
  /** The texts, and a line for each other block, separated by empty lines. Contains no binary data. */
  readonly words: string;
  /** `true` if the text includes any text from the server. */
  readonly hasText: boolean;
  /** `true` if this is the complete content: only texts, all meant for the model. */
  readonly isAll: boolean;
}

/**
 * The maximum length of a name or a description. URLs can be longer, because a model must sometimes
 * repeat one.
 */
const MAX_LABEL = 200;
const MAX_URI = 4_096;

/**
 * Converts content blocks (MCP specification, "Tool Result") to text for a model. Blocks annotated as for the
 * user only are counted, but not shown. Never throws.
 */
export function toContentWords(blocks: readonly JsonObject[]): ContentWords {
  const texts = blocks.filter((block) => !isForUserOnly(block)).filter(isText);
  return {
    words: mapForModel(blocks, (block) => [formatBlock(block)]).join('\n\n'),
    hasText: texts.some(({ text }) => text.trim() !== ''),
    isAll: texts.length === blocks.length,
  };
}

/** Converts each block for the model with `say`, and appends the number of blocks for the user. */
export function mapForModel<Said>(
  blocks: readonly JsonObject[],
  say: (block: JsonObject) => readonly Said[],
): readonly (Said | string)[] {
  const forModel = blocks.filter((block) => !isForUserOnly(block));
  const hidden = blocks.length - forModel.length;
  const note = `[${hidden === 1 ? '1 block is' : `${hidden} blocks are`} for the user only]`;
  return [...forModel.flatMap(say), ...(hidden > 0 ? [note] : [])];
}

/**
 * Returns untrusted text for use within a line of our own text: at most `max` characters, without line
 * breaks, control characters and format characters, which are invisible or change the direction of text. It
 * then cannot imitate a separate line or hide a part of itself.
 */
export const toOneLine = (text: string, max: number): string =>
  shorten(
    text
      .toWellFormed()
      .replaceAll(/\p{Cf}+/gu, '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    max,
  );

const MAX_LOG_LINE = 4_000;

/** Logs text that comes in part from a server, on one line and without the caller's secrets. */
export const logWarning = (words: string, { secrets, log }: RedactingLog): void =>
  log(createWarningEntry(toOneLine(secrets.redact(words), MAX_LOG_LINE)));

/** A log, and the secrets to hide in it. */
export interface RedactingLog {
  readonly secrets: Secrets;
  readonly log: Log;
}

/** Returns whether a block's only audience is the user (MCP specification, Annotations). */
export function isForUserOnly({ annotations }: JsonObject): boolean {
  const audience = isJsonObject(annotations) ? annotations.audience : undefined;
  return Array.isArray(audience) && audience.length > 0 && audience.every((role) => role === 'user');
}

const isText = (block: JsonObject): block is { readonly type: 'text'; readonly text: string } =>
  block.type === 'text' && typeof block.text === 'string';

/** Returns a block as text: a text unchanged, any other block as a line. */
export function formatBlock(block: JsonObject): string {
  if (isText(block)) return block.text;
  const { type, data, mimeType, resource } = block;
  const size = computeSize(data);
  if ((type === 'image' || type === 'audio') && size !== undefined) {
    return `[${joinNonEmpty(`${type} ${formatLabel(mimeType)}`.trim(), formatBytes(size))}]`;
  }
  if (type === 'resource_link') return formatLink(block);
  if (type === 'resource' && isJsonObject(resource)) return formatResource(resource);
  return `[content of the type '${formatLabel(type)}', which is not known here]`;
}

/** Returns a line for a linked resource. `what` is its kind. */
export function formatLink(
  { name, title, uri, mimeType, size, description }: JsonObject,
  what = 'resource link',
): string {
  const named = `${formatLabel(title) || formatLabel(name)} (${formatUri(uri)})`;
  const bytes = typeof size === 'number' ? formatBytes(size) : '';
  const said = formatLabel(description);
  return `[${what}: ${joinNonEmpty(named, formatLabel(mimeType), bytes)}${said && `: ${said}`}]`;
}

/** The maximum number of a prompt's arguments to list. */
const MAX_ARGUMENTS = 20;

/** Returns a line for a server's prompt. */
export function formatPrompt({ name, description, arguments: takes }: JsonObject): string {
  const said = formatLabel(description);
  const named = (Array.isArray(takes) ? takes.filter(isJsonObject) : [])
    .slice(0, MAX_ARGUMENTS)
    .map((one) => `${formatLabel(one.name)}${one.required === true ? ' (required)' : ''}`);
  return `[prompt: ${formatLabel(name)}${said && `: ${said}`}${named.length > 0 ? `; arguments: ${named.join(', ')}` : ''}]`;
}

function formatResource({ uri, mimeType, text, blob }: JsonObject): string {
  const size = computeSize(blob);
  const bytes = size === undefined ? '' : formatBytes(size);
  const head = `[resource ${joinNonEmpty(formatUri(uri), formatLabel(mimeType), bytes)}]`;
  return typeof text === 'string' ? `${head}\n${text}` : head;
}

/**
 * Returns the origin of a resource, for a model that receives its bytes as a file. Empty for any other block.
 */
export function formatOrigin({ resource }: JsonObject): string {
  const from = isJsonObject(resource) ? formatUri(resource.uri) : '';
  return from && `[resource ${from}]`;
}

const joinNonEmpty = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ');

const formatLabel = (value: Json | undefined): string => toLine(value, MAX_LABEL);

const toLine = (value: Json | undefined, max: number): string =>
  typeof value === 'string' ? toOneLine(value, max) : '';

/** Returns the URI to show: only the media type for a `data:` URI. */
function formatUri(uri: Json | undefined): string {
  const inline = typeof uri === 'string' && /^\s*(data:[^,]*),/i.exec(uri)?.[1];
  return inline ? `${formatLabel(inline)},…` : toLine(uri, MAX_URI);
}

/** Returns the decoded size of base64, or the size that its replacement records. */
function computeSize(binary: Json | undefined): number | undefined {
  if (typeof binary === 'string') return Math.floor((binary.replaceAll(/[\s=]/g, '').length * 3) / 4);
  return isJsonObject(binary) && typeof binary.size === 'number' ? binary.size : undefined;
}

const formatBytes = (bytes: number): string =>
  `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
