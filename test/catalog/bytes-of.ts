/** Returns the size of a value's JSON in UTF-8 bytes. */
export const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
