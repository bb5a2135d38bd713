/** SQLite values of an object are limited to 2 MB; local workerd does not enforce it, so we stay well below. */
const CHUNK_BYTES = 1024 * 1024;

/** Cuts text into parts of at most 1 MiB of UTF-8; at least one. A character may be cut in two: parts are bytes. */
export function toChunks(text: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const count = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  return Array.from({ length: count }, (_, i) => bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
}

/** The text that the parts were cut from. */
export function fromChunks(chunks: Iterable<ArrayBuffer>): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
