/**
 * The checks of the OpenAI APIs for images and documents in messages and results. `path` is the name of the
 * parameter in errors.
 */
import { isBase64, isHttps, parseDataUrl, typeOfBytes } from './files.ts';
import { RefusalError } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Checks that an image is a data URL or an https URL. */
export function checkImageUrl(url: unknown, path: string): void {
  const given = readText(url, path);
  if (isHttps(given)) return;
  const data = parseDataUrl(given);
  if (data === undefined) {
    throw new RefusalError(
      400,
      `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
    );
  }
  const got = findFault(data, IMAGE_TYPES);
  if (got !== undefined)
    throw new RefusalError(400, `Invalid '${path}'. ${formatExpected('an image')}, but got ${got}.`);
  if (IMAGE_TYPES.includes(typeOfBytes(data.base64) ?? '')) return;
  throw new RefusalError(
    400,
    'The image data you provided does not represent a valid image. Please check your input and try again with one of ' +
      "the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  );
}

/** Checks that a document is a data URL with a name. */
export function checkFileData({ file_data, filename }: Fields, path: string): void {
  const given = readText(file_data, `${path}.file_data`);
  readText(filename, `${path}.filename`);
  const data = parseDataUrl(given) ?? { mediaType: '', base64: given };
  const got = findFault(data, ['application/pdf']);
  if (got !== undefined) {
    throw new RefusalError(
      400,
      `Invalid file data: '${path}.file_data'. ${formatExpected('an application/pdf')}, but got ${got}.`,
    );
  }
  if (typeOfBytes(data.base64) === 'application/pdf') return;
  throw new RefusalError(400, `The file '${String(filename)}' could not be read as a PDF.`);
}

const formatExpected = (what: string): string => {
  const type = what === 'an image' ? 'image/png' : 'application/pdf';
  return `Expected a base64-encoded data URL with ${what} MIME type (e.g. 'data:${type};base64,aW1nIGJ5dGVzIGhlcmU=')`;
};

function findFault(
  { mediaType, base64 }: { readonly mediaType: string; readonly base64: string },
  taken: readonly string[],
): string | undefined {
  if (!taken.includes(mediaType)) return `unsupported MIME type '${mediaType}'`;
  if (base64 === '') return 'empty base64-encoded bytes';
  return isBase64(base64) ? undefined : 'an invalid base64-encoded value';
}

/** Returns a text parameter. Refuses one that is missing or not a text. */
export function readText(value: unknown, path: string): string {
  if (value === undefined) throw new RefusalError(400, `Missing required parameter: '${path}'.`);
  if (typeof value === 'string') return value;
  throw new RefusalError(400, `Invalid type for '${path}': expected a string, but got another type instead.`);
}

/** Refuses an unknown parameter. */
export function checkFields(part: Fields, fields: readonly string[], path: string): void {
  const unknown = Object.keys(part).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new RefusalError(400, `Unknown parameter: '${path}.${unknown}'.`);
}

/** Returns the refusal of an unaccepted value. */
export function createValueRefusal(value: unknown, taken: readonly string[]): RefusalError {
  const named = taken.map((one) => `'${one}'`);
  const last = named.pop();
  const list = named.length > 1 ? `${named.join(', ')}, and ${last}` : [...named, last].join(' and ');
  return new RefusalError(400, `Invalid value: '${String(value)}'. Supported values are: ${list}.`);
}
