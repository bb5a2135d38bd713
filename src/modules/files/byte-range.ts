/** Which part of a file a request asks for (RFC 9110). */

/** Bytes from the first on to the one before `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range that a request asks for; `behind` when no byte is in it. `undefined` stands for the whole, which is answered for
 * several ranges too, for what is none, and to a client that has begun with something of another tag.
 */
export function rangeOf(
  headers: Headers,
  { tag, size }: { readonly tag: string; readonly size: number },
): ByteRange | 'behind' | undefined {
  const asked = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(headers.get('range')?.trim() ?? '');
  if (!asked || (headers.get('if-range') ?? tag) !== tag) return undefined;
  const [, first, last, suffix] = asked;
  if (first === undefined) return within(size - Number(suffix), size, size);
  if (last !== undefined && last !== '' && Number(last) < Number(first)) return undefined;
  return within(Number(first), last ? Number(last) + 1 : size, size);
}

const within = (from: number, to: number, size: number): ByteRange | 'behind' =>
  from >= size ? 'behind' : { from: Math.max(from, 0), to: Math.min(to, size) };
