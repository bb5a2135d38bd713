/** What a client has of something (RFC 9110). */

/** Tells whether a request says by `If-None-Match` that its client has what has this tag: weak ones are as good. */
export function hasTag(headers: Headers, tag: string): boolean {
  const given = headers.get('if-none-match')?.split(',') ?? [];
  return given.some((one) => one.trim() === '*' || opaque(one.trim()) === opaque(tag));
}

const opaque = (tag: string): string => tag.replace(/^W\//, '');
