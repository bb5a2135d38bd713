import type { Agent } from '../../agent/define-agent.ts';
import type { AcceptedMedia, ChatModel, ModelMedia } from '../../model/chat-model.ts';
import { isMediaTypeIn } from '../../model/given-to.ts';
import {
  type FileContent,
  isFile,
  isNewFile,
  isTextType,
  toFileName,
  toMediaType,
} from '../../tool/content.ts';
import { type Json, parseJson } from '../../tool/json.ts';
import type { AppFiles, BodyLimits, MessageForm, PlacedPart } from '../../worker/app-files.ts';
import { createTooLargeWithoutFilesError, MAX_PARTS, readBytes } from '../../worker/body.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import { parseFile } from './file-parts.ts';
import { MAX_FILE_BYTES } from './kept-files.ts';
import { signLink } from './signed-links.ts';
import { createFindFile, createTakeWithFiles, FILES_OWNER, type StoreResolver } from './stored-files.ts';

/**
 * The default maximum body size for agents that accept files: enough for a file of 8 MiB in base64, and text.
 * The app can raise it.
 */
const DEFAULT_BODY_BYTES = 12 * 1024 * 1024;

interface FilesSettings {
  /** `true` if messages can contain file URLs in private networks. */
  readonly allowPrivate: boolean;
  /** `undefined` if sessions store their own files. */
  readonly storeOf: StoreResolver | undefined;
  /** The minimum validity of signed URLs, in seconds. */
  readonly linkSeconds: number;
}

/** Returns the functions that an app uses to accept, store and find files. */
export const createAppFiles = ({ storeOf, allowPrivate, linkSeconds }: FilesSettings): AppFiles => ({
  store: storeOf && { owner: FILES_OWNER },
  takenBy(agent, model, most) {
    const taken = getAcceptedFiles(agent, model);
    return {
      types: taken.types,
      mostBytes: canAcceptFiles(taken) ? Math.max(most, DEFAULT_BODY_BYTES) : most,
      readForm,
      mustFit: (text) => assertFits(text, most),
      parseFile: (part, place) => parseFile(part, { ...place, allowPrivate }),
      check: (parts) => checkFiles(parts, taken),
    };
  },
  take: createTakeWithFiles(storeOf),
  find: createFindFile(storeOf),
  sign: ({ env, now }, place) => signLink(env, place, { now, seconds: linkSeconds }),
});

/** The files that an agent accepts in messages. */
interface AcceptedFiles {
  /** The media types to report to clients: for files sent as bytes, and for https URLs. */
  readonly types: AcceptedMedia;
  /** Returns `true` if a file with this media type is accepted in this form. */
  takes(mediaType: string, by: keyof AcceptedMedia): boolean;
}

/** Text types, whose whole content can be shown as text. */
const TEXT_TYPES = ['text/*', 'application/json', 'application/xml', 'application/yaml'];

/** The types that an agent without `accepts` accepts, if its model does. */
const DEFAULT_TYPES = ['image/*', 'application/pdf', ...TEXT_TYPES];

/**
 * Returns the files that an agent accepts with this model. These are the types in its `accepts`, or default
 * types if its model declares its types. Types that the model does not support are always rejected. With
 * several models, each must support a type. Every model can read text, so text is accepted as bytes. Text
 * URLs are rejected, because text is never fetched.
 */
function getAcceptedFiles({ accepts }: Pick<Agent, 'accepts'>, model: ChatModel): AcceptedFiles {
  const media = listMedia(model);
  const known = media.filter((one) => one !== undefined);
  const named = accepts ?? (known.length === media.length ? DEFAULT_TYPES : []);
  const listModelTypes = (by: keyof AcceptedMedia): readonly (readonly string[])[] =>
    known.map(({ message }) => message[by]);
  const listTypes = (by: keyof AcceptedMedia): string[] => [
    ...new Set(
      named.flatMap((one) =>
        isTextType(one) ? (by === 'data' ? one : []) : intersectTypes(one, listModelTypes(by)),
      ),
    ),
  ];
  return {
    types: { data: listTypes('data'), url: listTypes('url') },
    takes(mediaType, by) {
      // The default types include more text types, such as `application/ld+json`.
      if (isTextType(mediaType))
        return by === 'data' && (isMediaTypeIn(mediaType, named) || named === DEFAULT_TYPES);
      return (
        isMediaTypeIn(mediaType, named) &&
        listModelTypes(by).every((taken) => isMediaTypeIn(mediaType, taken))
      );
    },
  };
}

const canAcceptFiles = ({ types }: AcceptedFiles): boolean => types.data.length + types.url.length > 0;

/** Returns the declared media types of each candidate model. */
const listMedia = ({ candidates, media }: ChatModel): (ModelMedia | undefined)[] =>
  candidates ? candidates.flatMap(listMedia) : [media];

/** Returns the types below a media type or wildcard that all lists include. */
const intersectTypes = (type: string, lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (types, list) =>
      types.flatMap((one) =>
        list.flatMap((taken) =>
          isMediaTypeIn(one, [taken]) ? one : isMediaTypeIn(taken, [one]) ? taken : [],
        ),
      ),
    [type],
  );

/**
 * @throws SessionError 415 with each file that the agent does not accept, or 413 for a file that is too
 * large.
 */
function checkFiles(parts: readonly PlacedPart[], taken: AcceptedFiles): void {
  const files = parts.flatMap(({ at, part }) => (isFile(part) ? [{ at, file: part }] : []));
  const strange = files.filter(({ file }) => !taken.takes(file.mediaType, getTransport(file)));
  if (strange.length > 0) throw createFilesNotAcceptedError(strange, taken);
  for (const { at, file } of files) {
    if (!isNewFile(file) || file.bytes.byteLength <= MAX_FILE_BYTES) continue;
    const detail = `${formatFileName({ at, file })} is larger than ${MAX_FILE_BYTES} bytes.`;
    throw new SessionError('file-too-large', detail, { more: { most: MAX_FILE_BYTES } });
  }
}

interface PlacedFile {
  readonly at: string;
  readonly file: FileContent;
}

const getTransport = (file: FileContent): keyof AcceptedMedia => (isNewFile(file) ? 'data' : 'url');

const formatFileName = ({ at, file: { name } }: PlacedFile): string =>
  name === undefined ? at : `${at} (${JSON.stringify(name)})`;

function createFilesNotAcceptedError(files: readonly PlacedFile[], taken: AcceptedFiles): SessionError {
  const problems = files.map((placed) => {
    const { file } = placed;
    return `${formatFileName(placed)} is ${file.mediaType}, sent ${isNewFile(file) ? 'as bytes' : 'by URL'}`;
  });
  const detail = `${problems.join('; ')}. The agent accepts ${describeTypes(taken)}.`;
  return new SessionError('unsupported-media-type', detail, { more: { problems, accepts: taken.types } });
}

function describeTypes(taken: AcceptedFiles): string {
  if (!canAcceptFiles(taken)) return 'no files';
  const { data, url } = taken.types;
  return `${joinTypes(data)} as bytes, and ${joinTypes(url)} by URL`;
}

const joinTypes = (types: readonly string[]): string =>
  types.length === 0
    ? 'none'
    : [types.slice(0, -1).join(', '), ...types.slice(-1)].filter(Boolean).join(' and ');

/**
 * Checks the size of a body that can contain files. Outside its strings, the body must not exceed the normal
 * limit, because short JSON values use much more memory than their text.
 *
 * @throws SessionError if the body is too large.
 */
export function assertFits(json: string, most: number): void {
  if (json.length > most && measureWithoutTexts(json) > most) throw createTooLargeWithoutFilesError(most);
}

/** Returns the number of characters of a JSON text that are outside its strings. Quotes count as outside. */
function measureWithoutTexts(json: string): number {
  let length = json.length;
  for (let open = json.indexOf('"'); open >= 0; ) {
    const close = endOfText(json, open);
    length -= close - open - 1;
    open = json.indexOf('"', close + 1);
  }
  return length;
}

/**
 * Returns the index of the string's closing quote, which is the first unescaped quote, or else the end of the
 * text.
 */
function endOfText(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  for (; close >= 0; close = json.indexOf('"', close + 1)) {
    let slashes = 0;
    while (json[close - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return close;
  }
  return json.length;
}

/** Reads a form. @throws Problem 413 if the body is too large, or 400 if it is not a form. */
async function readForm(request: Request, { most, besides }: BodyLimits): Promise<MessageForm> {
  const form = await parseForm(request, await readBytes(request, most));
  const fields = new Map<string, Json>();
  const sent: File[] = [];
  const wrong = new Set<string>();
  for (const [name, value] of form) {
    if (!FIELD_READERS.has(name) && isEmptyField(value)) continue;
    if (typeof value !== 'string') {
      if (FIELD_READERS.has(name)) wrong.add(`${name}: must be text. Send files in other fields`);
      else sent.push(value);
    } else if (value.length > besides) throw createTooLargeWithoutFilesError(besides);
    else if (fields.has(name)) wrong.add(`${name.slice(0, 40)}: appears more than once`);
    else fields.set(name, FIELD_READERS.get(name)?.(value) ?? value);
  }
  const problems = [...wrong].slice(0, MAX_PROBLEMS);
  const files = sent.length > MAX_PARTS ? [] : await Promise.all(sent.map(toPart(problems)));
  if (sent.length > MAX_PARTS) problems.push(`files: must be at most ${MAX_PARTS}`);
  return { fields: Object.fromEntries(fields), files, problems };
}

/**
 * The maximum number of problems in a response, because a body of megabytes can have a hundred thousand
 * fields.
 */
const MAX_PROBLEMS = 10;

/**
 * The text fields, each with its parser. A value that cannot be parsed stays text, and validation then
 * rejects it.
 */
const FIELD_READERS: ReadonlyMap<string, (text: string) => Json> = new Map([
  ['message', (text: string): Json => text],
  ['context', (text): Json => parseJson(text) ?? text],
  ['loopId', (text: string): Json => text],
  ['delaySeconds', (text: string): Json => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)],
]);

async function parseForm(request: Request, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  try {
    return await new Response(bytes, { headers }).formData();
  } catch {
    throw new Problem('bad-form', 'The body is not multipart/form-data, contrary to its Content-Type.');
  }
}

/**
 * Returns `true` for a file input without a file. A browser sends it as an empty file without a name, and
 * some platforms parse that as text.
 */
const isEmptyField = (value: File | string): boolean =>
  typeof value === 'string' ? value === '' : value.name === '' && value.size === 0;

const toPart =
  (problems: string[]) =>
  async (file: File, index: number): Promise<PlacedPart> => {
    const at = `files[${index}]`;
    const mediaType = toMediaType(file.type);
    if (mediaType === undefined) problems.push(`${at}: needs a Content-Type such as image/png`);
    if (file.size === 0) problems.push(`${at}: is empty`);
    const name = toFileName(file.name);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const named = name === undefined ? {} : { name };
    return { at, part: { type: 'file', mediaType: mediaType ?? '', ...named, bytes } };
  };
