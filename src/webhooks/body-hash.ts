/** The SHA-256 of a body's bytes in hexadecimal digits, lower case. */
export async function bodyHash(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
