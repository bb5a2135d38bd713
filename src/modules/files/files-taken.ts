import type { Agent } from '../../agent/define-agent.ts';
import type { ChatModel, MediaTaken, ModelMedia } from '../../model/chat-model.ts';
import { isAmong } from '../../model/sent-files.ts';
import { type FileContent, isFile, isNew, isText } from '../../tool/content.ts';
import type { AppFiles, PlacedPart } from '../../worker/app-files.ts';
import { SessionError } from '../../worker/problem.ts';
import { mustFit } from './body-size.ts';
import { parseFile } from './file-parts.ts';
import { MAX_FILE } from './kept-files.ts';
import { readForm } from './message-form.ts';
import { FILES_OWNER, finding, type StoreOf, taking } from './stored-files.ts';

/** What a body may weigh where an agent takes files, unless the app allows more: a file of 8 MiB in base64, and words. */
const WITH_FILES = 12 * 1024 * 1024;

/** How an app takes files, as it is configured. */
interface Configured {
  /** Whether messages may name files by addresses in private networks. */
  readonly allowPrivate: boolean;
  /** Absent: sessions keep their files. */
  readonly storeOf: StoreOf | undefined;
}

/** Makes what an app takes, keeps and finds files with. */
export const appFiles = ({ storeOf, allowPrivate }: Configured): AppFiles => ({
  store: storeOf && { owner: FILES_OWNER, check: storeOf },
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
