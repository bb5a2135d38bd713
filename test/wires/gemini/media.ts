/** Files in a request to Gemini: inline or by URL in contents, and inline in function responses. */
import * as v from 'valibot';
import { type FoundFile, isBase64, isHttps, typeOfBytes } from '../files.ts';
import { createOwnRefusal, RefusalError } from '../wire.ts';
import type { GeminiBody } from './request.ts';

export const InlineData = v.strictObject({
  mimeType: v.string(),
  data: v.string(),
  displayName: v.optional(v.string()),
});
export const FileData = v.strictObject({ mimeType: v.optional(v.string()), fileUri: v.string() });
export const ResponsePart = v.strictObject({ inlineData: v.optional(InlineData) });

type InlineMedia = v.InferOutput<typeof InlineData>;

const PHOTO_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const LINKED_TYPES = [...PHOTO_TYPES, 'image/bmp', 'application/pdf', 'application/json'];
const RESPONSE_TYPES = [...PHOTO_TYPES, 'application/pdf', 'text/plain'];
const CONTENT_TYPES =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/(?:pdf|json)|text\/[a-z-]+|video\/[a-z0-9-]+|audio\/(?:wav|mp3|mpeg|aiff|aac|ogg|flac))$/;

/** Refuses files with a type unsupported in their place, invalid bytes, or bytes of another type. */
export function checkMedia(model: string, { contents }: GeminiBody): void {
  for (const [index, { parts }] of contents.entries()) {
    for (const [at, { inlineData, fileData, functionResponse }] of parts.entries()) {
      const path = `contents[${index}].parts[${at}]`;
      if (inlineData) checkInline(inlineData, `${path}.inline_data`, (type) => CONTENT_TYPES.test(type));
      if (fileData) checkLinked(fileData, path);
      for (const [place, { inlineData: inner }] of (functionResponse?.parts ?? []).entries()) {
        if (!/gemini-(?:[3-9]|\d\d)/.test(model)) {
          throw createOwnRefusal(
            `${path}: function responses hold files from Gemini 3 on, and not for ${model}`,
          );
        }
        const inside = `${path}.function_response.parts[${place}]`;
        if (inner === undefined) {
          throw new RefusalError(
            400,
            `* ${inside}.data: required oneof field 'data' must have one initialized field\n`,
          );
        }
        checkInline(inner, `${inside}.inline_data`, (type) => RESPONSE_TYPES.includes(type));
      }
    }
  }
}

function checkInline({ mimeType, data }: InlineMedia, path: string, takes: (type: string) => boolean): void {
  if (!takes(mimeType)) throw createUnsupportedError(mimeType);
  if (!isBase64(data)) {
    const shown = JSON.stringify(data.slice(0, 80));
    throw new RefusalError(
      400,
      `Invalid value at '${path}.data' (TYPE_BYTES), Base64 decoding failed for ${shown}`,
    );
  }
  const type = typeOfBytes(data);
  // The API does not check the first bytes of all image types.
  if (PHOTO_TYPES.includes(mimeType) && type !== mimeType) {
    throw new RefusalError(
      400,
      'Unable to process input image. Please retry or report in https://ai.google.dev',
    );
  }
  if (mimeType === 'application/pdf' && type !== mimeType) {
    throw new RefusalError(400, 'The document has no pages.');
  }
}

function checkLinked({ mimeType = '', fileUri }: v.InferOutput<typeof FileData>, path: string): void {
  if (!isHttps(fileUri) && !fileUri.startsWith('gs://')) {
    throw createOwnRefusal(`${path}: \`${fileUri}\` is not the URL of a file`);
  }
  if (!LINKED_TYPES.includes(mimeType) && !mimeType.startsWith('text/'))
    throw createUnsupportedError(mimeType);
}

const createUnsupportedError = (mimeType: string): RefusalError =>
  new RefusalError(400, `Unsupported MIME type: ${mimeType}`);

/** Returns the files of the user's contents. */
export const collectFiles = ({ contents }: GeminiBody): readonly FoundFile[] =>
  contents
    .filter(({ role }) => role !== 'model')
    .flatMap(({ parts }) => parts)
    .flatMap(({ inlineData, fileData, functionResponse }): readonly FoundFile[] => {
      const linked = fileData?.mimeType === undefined ? {} : { mediaType: fileData.mimeType };
      return [
        ...(inlineData ? [{ where: 'message', ...toFound(inlineData) } as const] : []),
        ...(fileData ? [{ where: 'message', ...linked, url: fileData.fileUri } as const] : []),
        ...(functionResponse?.parts ?? []).flatMap(({ inlineData: inner }) =>
          inner ? [{ where: 'result', ...toFound(inner) } as const] : [],
        ),
      ];
    });

const toFound = ({ mimeType, data, displayName }: InlineMedia): Omit<FoundFile, 'where'> => ({
  mediaType: mimeType,
  base64: data,
  ...(displayName !== undefined && { name: displayName }),
});
