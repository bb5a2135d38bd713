import type { Agent } from '../../agent/define-agent.ts';
import type { ChatModel, MediaTaken, ModelMedia } from '../../model/chat-model.ts';
import { isAmong } from '../../model/given-to.ts';
import { type FileContent, isFile, isNew, isText, toFileName, toMediaType } from '../../tool/content.ts';
import { type Json, parseJson } from '../../tool/json.ts';
import type { AppFiles, BodyLimits, MessageForm, PlacedPart } from '../../worker/app-files.ts';
import { besidesFiles, MAX_PARTS, readBytes } from '../../worker/body.ts';
import { Problem, SessionError } from '../../worker/problem.ts';
import { parseFile } from './file-parts.ts';
import { MAX_FILE } from './kept-files.ts';
import { signLink } from './signed-links.ts';
import { FILES_OWNER, finding, type StoreOf, taking } from './stored-files.ts';

/** What a body may weigh where an agent takes files, unless the app allows more: a file of 8 MiB in base64, and words. */
const WITH_FILES = 12 * 1024 * 1024;

/** How an app takes files, as it is configured. */
interface Configured {
  /** Whether messages may name files by addresses in private networks. */
  readonly allowPrivate: boolean;
  /** Absent: sessions keep their files. */
  readonly storeOf: StoreOf | undefined;
  /** How long addresses with a signature show their file at least. */
  readonly linkSeconds: number;
}

/** Makes what an app takes, keeps and finds files with. */
export const appFiles = ({ storeOf, allowPrivate, linkSeconds }: Configured): AppFiles => ({
  store: storeOf && { owner: FILES_OWNER },
  takenBy(agent, model, most) {
    const taken = filesTaken(agent, model);
    return {
      types: taken.types,
      mostBytes: takesFiles(taken) ? Math.max(most, WITH_FILES) : most,
      readForm,
      mustFit: (text) => mustFit(text, most),
      parseFile: (part, place) => parseFile(part, { ...place, allowPrivate }),
      check: (parts) => checkFiles(parts, taken),
    };
  },
  take: taking(storeOf),
  find: finding(storeOf),
  sign: ({ env, now }, place) => signLink(env, place, { now, seconds: linkSeconds }),
});

/** Which files an agent takes in messages. */
interface FilesTaken {
  /** The media types, for whoever asks: with their bytes, and by an https address. */
  readonly types: MediaTaken;
  /** Tells whether a file is taken in the way in which it was sent. */
  takes(mediaType: string, by: keyof MediaTaken): boolean;
}

/** Text that a file may be: all of it can be told in words. */
const TEXT = ['text/*', 'application/json', 'application/xml', 'application/yaml'];

/** What an agent takes that names nothing, as far as its model does. */
const USUAL = ['image/*', 'application/pdf', ...TEXT];

/**
 * Answers which files an agent takes with this model. It names them, or takes what is usual when its model says which files it
 * takes. What a model says that it cannot be given is never taken, and of several models what each of them takes. Text is
 * told in words by every model, and so taken with its bytes alone: nobody fetches it.
 */
function filesTaken({ accepts }: Pick<Agent, 'accepts'>, model: ChatModel): FilesTaken {
  const media = mediaOf(model);
  const known = media.filter((one) => one !== undefined);
  const named = accepts ?? (known.length === media.length ? USUAL : []);
  const ofModels = (by: keyof MediaTaken): readonly (readonly string[])[] =>
    known.map(({ message }) => message[by]);
  const typesBy = (by: keyof MediaTaken): string[] => [
    ...new Set(
      named.flatMap((one) => (isText(one) ? (by === 'data' ? one : []) : within(one, ofModels(by)))),
    ),
  ];
  return {
    types: { data: typesBy('data'), url: typesBy('url') },
    takes(mediaType, by) {
      // Text of a kind that only its ending tells, such as `application/ld+json`, is usual too.
      if (isText(mediaType)) return by === 'data' && (isAmong(mediaType, named) || named === USUAL);
      return isAmong(mediaType, named) && ofModels(by).every((taken) => isAmong(mediaType, taken));
    },
  };
}

/** Tells whether an agent takes any files at all. */
const takesFiles = ({ types }: FilesTaken): boolean => types.data.length + types.url.length > 0;

/** What each model says that may be asked. */
const mediaOf = ({ candidates, media }: ChatModel): (ModelMedia | undefined)[] =>
  candidates ? candidates.flatMap(mediaOf) : [media];

/** What of a media type, or of all of a kind, is in each of the lists. */
const within = (type: string, lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (types, list) =>
      types.flatMap((one) =>
        list.flatMap((taken) => (isAmong(one, [taken]) ? one : isAmong(taken, [one]) ? taken : [])),
      ),
    [type],
  );

/** @throws SessionError 415 that names each file which the agent does not take, or 413 for one that is too large. */
function checkFiles(parts: readonly PlacedPart[], taken: FilesTaken): void {
  const files = parts.flatMap(({ at, part }) => (isFile(part) ? [{ at, file: part }] : []));
  const strange = files.filter(({ file }) => !taken.takes(file.mediaType, wayOf(file)));
  if (strange.length > 0) throw notTaken(strange, taken);
  for (const { at, file } of files) {
    if (!isNew(file) || file.bytes.byteLength <= MAX_FILE) continue;
    const detail = `${nameOf({ at, file })}: weighs ${file.bytes.byteLength} bytes. A file may weigh ${MAX_FILE} bytes.`;
    throw new SessionError('file-too-large', detail, { more: { most: MAX_FILE } });
  }
}

interface PlacedFile {
  readonly at: string;
  readonly file: FileContent;
}

const wayOf = (file: FileContent): keyof MediaTaken => (isNew(file) ? 'data' : 'url');

const nameOf = ({ at, file: { name } }: PlacedFile): string =>
  name === undefined ? at : `${at} (${JSON.stringify(name)})`;

function notTaken(files: readonly PlacedFile[], taken: FilesTaken): SessionError {
  const problems = files.map((placed) => {
    const { file } = placed;
    return `${nameOf(placed)} is ${file.mediaType}, sent ${isNew(file) ? 'as bytes' : 'by URL'}`;
  });
  const detail = `${problems.join('; ')}. The agent takes ${toldTypes(taken)}.`;
  return new SessionError('unsupported-media-type', detail, { more: { problems, accepts: taken.types } });
}

function toldTypes(taken: FilesTaken): string {
  if (!takesFiles(taken)) return 'no files';
  const { data, url } = taken.types;
  return `${listed(data)} as bytes, and ${listed(url)} by URL`;
}

const listed = (types: readonly string[]): string =>
  types.length === 0
    ? 'none'
    : [types.slice(0, -1).join(', '), ...types.slice(-1)].filter(Boolean).join(' and ');

/**
 * Checks the text of a body that may hold files: besides what is inside of its texts it may hold no more than other bodies, since a value of
 * a few characters takes many bytes of memory.
 *
 * @throws SessionError if it is too large.
 */
export function mustFit(json: string, most: number): void {
  if (json.length > most && lengthBesidesTexts(json) > most) throw besidesFiles(most);
}

/** The characters of JSON text that stand outside of its texts, their quotes included. */
function lengthBesidesTexts(json: string): number {
  let length = json.length;
  for (let open = json.indexOf('"'); open >= 0; ) {
    const close = endOfText(json, open);
    length -= close - open - 1;
    open = json.indexOf('"', close + 1);
  }
  return length;
}

/** Where the text that begins here ends: at a quote before which no backslash stands that is none of a pair, or where all does. */
function endOfText(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  for (; close >= 0; close = json.indexOf('"', close + 1)) {
    let slashes = 0;
    while (json[close - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return close;
  }
  return json.length;
}

/** @throws Problem 413 for a body that is too large, or 400 when it is no form. */
async function readForm(request: Request, { most, besides }: BodyLimits): Promise<MessageForm> {
  const form = await parseForm(request, await readBytes(request, most));
  const fields = new Map<string, Json>();
  const sent: File[] = [];
  const wrong = new Set<string>();
  for (const [name, value] of form) {
    if (!FIELDS.has(name) && isUnfilled(value)) continue;
    if (typeof value !== 'string') {
      if (FIELDS.has(name)) wrong.add(`${name}: must be text; send files in fields of other names`);
      else sent.push(value);
    } else if (value.length > besides) throw besidesFiles(besides);
    else if (fields.has(name)) wrong.add(`${name.slice(0, 40)}: is there more than once`);
    else fields.set(name, FIELDS.get(name)?.(value) ?? value);
  }
  const problems = [...wrong].slice(0, MAX_PROBLEMS);
  const files = sent.length > MAX_PARTS ? [] : await Promise.all(sent.map(toPart(problems)));
  if (sent.length > MAX_PARTS) problems.push(`files: must be at most ${MAX_PARTS}`);
  return { fields: Object.fromEntries(fields), files, problems };
}

/** A body of megabytes has room for a hundred thousand fields. */
const MAX_PROBLEMS = 10;

/** The fields that are text, each with how its value is read; one that cannot be read is refused as what it is. */
const FIELDS: ReadonlyMap<string, (text: string) => Json> = new Map([
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
    throw new Problem('bad-form', 'The body is not multipart/form-data as its Content-Type says.');
  }
}

/** A page sends an input that nobody has given a file as an empty file without a name, which some platforms take for text. */
const isUnfilled = (value: File | string): boolean =>
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
