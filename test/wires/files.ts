/** What the strict servers share about files: what a request holds of them and where, and what a file's bytes say of themselves. */

/** A file of a request, as a test reads it. */
export interface SentFile {
  /** In a message of the user's, or in the result of a call. */
  readonly where: 'message' | 'result';
  /** Absent where the wire has none beside an address. */
  readonly mediaType?: string;
  /** Of its bytes, in hex. */
  readonly sha256?: string;
  /** In the place of bytes. */
  readonly url?: string;
  readonly name?: string;
}

/** The same before its bytes are hashed. */
export interface FoundFile extends Omit<SentFile, 'sha256'> {
  readonly base64?: string;
}

/** The files with the hashes of their bytes. */
export const hashed = (files: readonly FoundFile[]): Promise<readonly SentFile[]> =>
  Promise.all(
    files.map(async ({ base64, ...file }) =>
      base64 === undefined ? file : { ...file, sha256: await sha256(bytesOf(base64)) },
    ),
  );

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** A file that stands as a data URL or as another address. */
export function foundAt(url: string): Pick<FoundFile, 'mediaType' | 'base64' | 'url'> {
  const data = dataUrlIn(url);
  return data === undefined ? { url } : data;
}

/** What a data URL holds; `undefined` for any other address. */
export function dataUrlIn(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const [, mediaType, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 };
}

/** Whether a text is base64 as servers decode it: padded, of its own alphabet, and not empty. */
export const isBase64 = (text: string): boolean =>
  text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** What the first bytes of a file are the beginning of; `undefined` for none of these. */
export function typeOfBytes(base64: string): string | undefined {
  const start = atob(base64.slice(0, 24));
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  return BEGINNINGS.find(([beginning]) => start.startsWith(beginning))?.[1];
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['%PDF-', 'application/pdf'],
];

export const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';
