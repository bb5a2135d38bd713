/**
 * Code for files that the strict servers share: finds the files in a request, and recognizes file types by
 * their bytes.
 */

/** A file of a request, in the form that tests compare. */
export interface SentFile {
  /** Whether the file is in a user message or in the result of a call. */
  readonly where: 'message' | 'result';
  /** The media type. Absent if the wire sends a URL without a type. */
  readonly mediaType?: string;
  /** The hash of its bytes, in hex. */
  readonly sha256?: string;
  /** The URL in place of bytes. */
  readonly url?: string;
  readonly name?: string;
}

/** A file whose bytes are not hashed yet. */
export interface FoundFile extends Omit<SentFile, 'sha256'> {
  readonly base64?: string;
}

/** Returns the files with the hashes of their bytes. */
export const hashFiles = (files: readonly FoundFile[]): Promise<readonly SentFile[]> =>
  Promise.all(
    files.map(async ({ base64, ...file }) =>
      base64 === undefined ? file : { ...file, sha256: await hashBytes(decodeBase64(base64)) },
    ),
  );

async function hashBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Returns the file at a data URL or another URL. */
export function readFileUrl(url: string): Pick<FoundFile, 'mediaType' | 'base64' | 'url'> {
  const data = parseDataUrl(url);
  return data === undefined ? { url } : data;
}

/** Parses a data URL. Returns `undefined` for any other URL. */
export function parseDataUrl(
  url: string,
): { readonly mediaType: string; readonly base64: string } | undefined {
  const [, mediaType, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}

/** Returns `true` if a text is nonempty, padded base64 in the standard alphabet, as servers decode it. */
export const isBase64 = (text: string): boolean =>
  text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** Returns the type of a file by its first bytes, or `undefined` if it is unknown. */
export function typeOfBytes(base64: string): string | undefined {
  const start = atob(base64.slice(0, 24));
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  return FILE_BEGINNINGS.find(([beginning]) => start.startsWith(beginning))?.[1];
}

const FILE_BEGINNINGS: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['%PDF-', 'application/pdf'],
];

export const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';
