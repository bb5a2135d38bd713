/** The SHA-256 of a text's UTF-8. */
export const sha256 = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));

/** The same in hexadecimal digits, lower case. */
export async function sha256Hex(text: string): Promise<string> {
  const bytes = [...new Uint8Array(await sha256(text))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
