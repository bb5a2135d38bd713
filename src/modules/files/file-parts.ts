/** Reads the file parts of a message: a file with its bytes, or an https URL. */

import { fromBase64, toFileName, toMediaType } from '../../tool/content.ts';
import { type Json, type JsonObject, listUnknownKeyProblems } from '../../tool/json.ts';
import { parsePublicAddress } from '../../tool/public-address.ts';
import type { KeysOf } from '../../tool/shape.ts';
import type { PartPlace, PlacedPart } from '../../worker/app-files.ts';
import type { FILE_PART } from '../../worker/body.ts';

/** The maximum number of characters of a URL that is passed on. */
const MAX_URL_LENGTH = 8_192;

/** The path of a file in the request. `allowPrivate` is `true` if its URL can be in a private network. */
interface FilePartPlace extends PartPlace {
  readonly allowPrivate: boolean;
}

/**
 * Parses a file part. Adds any problems to those of its place. If there are any, the caller must ignore the
 * result.
 */
export function parseFile(part: JsonObject, place: FilePartPlace): readonly PlacedPart[] {
  const { at, problems } = place;
  const before = problems.length;
  const { name } = part;
  const bytes = findBytes(part);
  const keys = bytes ? BYTES_PART_KEYS : FILE_PART_KEYS;
  problems.push(...listUnknownKeyProblems(part, keys).map((problem) => `${at}.${problem}`));
  if (name !== undefined && typeof name !== 'string') problems.push(`${at}.name: must be text`);
  const content = bytes ? toNonEmptyContent(bytes, place) : parseContent(part, place);
  const mediaType = parseMediaType(part.mediaType, { ...place, said: content?.mediaType });
  if (!content || problems.length > before) return [];
  const { held } = content;
  const known = typeof name === 'string' ? toFileName(name) : undefined;
  const file = { type: 'file' as const, mediaType, ...(known !== undefined && { name: known }) };
  return [{ at, part: typeof held === 'string' ? { ...file, url: held } : { ...file, bytes: held } }];
}

const FILE_PART_KEYS: KeysOf<typeof FILE_PART> = { type: 1, mediaType: 1, name: 1, data: 1, url: 1 };
const BYTES_PART_KEYS = { type: 1, mediaType: 1, name: 1, bytes: 1 };

/** Returns the bytes of a part that code of the app has created. The JSON of a body cannot contain bytes. */
function findBytes({ bytes }: { readonly bytes?: unknown }): Uint8Array | undefined {
  return bytes instanceof Uint8Array ? bytes : undefined;
}

/** The content of a file: its bytes or URL, and the media type of its data URL. */
interface ParsedContent {
  readonly held: Uint8Array | string;
  readonly mediaType?: string | undefined;
}

/** Reads `data` or `url`. Exactly one must be present, and each can be a data URL. */
function parseContent(
  { data, url }: JsonObject,
  { at, problems, allowPrivate }: FilePartPlace,
): ParsedContent | undefined {
  if (data !== undefined && url !== undefined) problems.push(`${at}: must have data or url, not both`);
  else if (data === undefined && url === undefined) problems.push(`${at}: must have data or url`);
  else {
    const [key, given, isBare] = data === undefined ? ['url', url, false] : ['data', data, true];
    const place = { at: `${at}.${key}`, problems, allowPrivate };
    if (typeof given === 'string' && /^data:/i.test(given)) return parseDataUrl(given, place);
    return isBare ? parseBase64(given, place) : parseAddress(given, place);
  }
  return undefined;
}

/** The maximum length of a data URL's head. */
const MAX_HEAD_LENGTH = 300;

function parseDataUrl(url: string, place: FilePartPlace): ParsedContent | undefined {
  const comma = url.slice(0, MAX_HEAD_LENGTH).indexOf(',');
  const head = url.slice('data:'.length, comma);
  if (comma < 0 || !/;base64$/i.test(head)) {
    place.problems.push(`${place.at}: must be a data URL of base64`);
    return undefined;
  }
  const content = parseBase64(url.slice(comma + 1), place);
  return content && { ...content, mediaType: toMediaType(head) };
}

function parseBase64(given: Json | undefined, place: FilePartPlace): ParsedContent | undefined {
  const bytes = typeof given === 'string' ? fromBase64(given) : undefined;
  if (bytes) return toNonEmptyContent(bytes, place);
  place.problems.push(`${place.at}: must be base64: A-Z a-z 0-9 + / and its padding, without white space`);
  return undefined;
}

function toNonEmptyContent(bytes: Uint8Array, { at, problems }: FilePartPlace): ParsedContent | undefined {
  if (bytes.byteLength > 0) return { held: bytes };
  problems.push(`${at}: is empty`);
  return undefined;
}

/**
 * Reads a URL that is passed on unchanged. A URL with a user or password is rejected, because it would be
 * journaled and shown to models.
 */
function parseAddress(
  given: Json | undefined,
  { at, problems, allowPrivate }: FilePartPlace,
): ParsedContent | undefined {
  if (typeof given === 'string' && given.length > MAX_URL_LENGTH) {
    problems.push(`${at}: must have at most ${MAX_URL_LENGTH} characters`);
    return undefined;
  }
  const url = parsePublicAddress(given, allowPrivate);
  if (url instanceof URL && url.protocol === 'https:') return { held: url.href };
  const problem =
    'isPrivate' in url
      ? `${url.wrong}, so send the file itself`
      : 'must be a data URL, or an https URL without a user in it';
  problems.push(`${at}: ${problem}`);
  return undefined;
}

/** Returns the given media type. Defaults to the one in the data URL. */
function parseMediaType(
  given: Json | undefined,
  { at, problems, said }: FilePartPlace & { readonly said: string | undefined },
): string {
  const type = typeof given === 'string' ? toMediaType(given) : given === undefined ? said : undefined;
  if (type === undefined) problems.push(`${at}.mediaType: must be a media type such as image/png`);
  else if (said !== undefined && said !== type)
    problems.push(`${at}.mediaType: is ${type}, and its data URL says ${said}`);
  return type ?? '';
}
