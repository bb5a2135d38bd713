import { fromBase64, toBase64 } from './base64.ts';

/** Shorter values occur by chance, and replacing them would garble honest results. */
export const MIN_REDACTED = 6;

/**
 * Returns a secret as it is, and as it is written in JSON text, in a URL and in base64: some writers escape `/` in JSON as `\\/`,
 * and write percent escapes in lower case.
 */
export const writtenForms = (secret: string): ReadonlySet<string> => {
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams({ '': secret }).toString().slice(1),
  ];
  const inBase64 = base64Forms(new TextEncoder().encode(secret)).flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(form),
  ]);
  return new Set([...plain, ...inBase64].flatMap(variants));
};

const variants = (written: string): readonly string[] => [
  written,
  written.replaceAll('/', '\\/'),
  written.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
];

/**
 * The base64 of a secret alone, and what of it shows in the base64 of a longer text, as in `Basic` credentials: three bytes are
 * four characters, so that depends on how many bytes come before it, and a character that it shares with others is not its own.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const alone = toBase64(bytes);
  const inside = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    return toBase64(padded).slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
  return [alone, alone.replace(/=+$/, ''), ...inside];
}

/** Returns what a whole `Authorization` header carries: its credentials, and of Basic ones the pair and the password. */
export function carriedBy(secret: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(basic|bearer) +(\S+)$/i.exec(secret) ?? [];
  const pair = scheme.toLowerCase() === 'basic' && fromBase64(credentials);
  if (!pair) return [credentials];
  const words = new TextDecoder().decode(pair);
  return [credentials, words, words.slice(words.indexOf(':') + 1)];
}
