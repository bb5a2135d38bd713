/** A file's id: SHA-256 in hex. */
const FILE_ID = /^[0-9a-f]{64}$/;

/** Tells whether a file can have this id. */
export const isFileId = (id: string): boolean => FILE_ID.test(id);
