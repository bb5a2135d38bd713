import type { FileKey, FileStore, SessionFilesKey } from '../../modules/files/entry.ts';

/** Stores the files of sessions in an R2 bucket. Each incarnation of a session has its own key prefix. */
export function createR2Files(bucket: R2Bucket): FileStore {
  return {
    async put(key, bytes, mediaType) {
      await bucket.put(getFilePath(key), bytes, { httpMetadata: { contentType: mediaType } });
    },
    async get(key, range) {
      const part = range && { offset: range.from, length: range.length };
      const found = await bucket.get(getFilePath(key), part && { range: part });
      return found && new Uint8Array(await found.arrayBuffer());
    },
    async delete(key) {
      await bucket.delete(getFilePath(key));
    },
    async deleteAll(key) {
      const prefix = getPrefix(key);
      for (let isMore = true; isMore; ) {
        const { objects, truncated } = await bucket.list({ prefix });
        if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
        isMore = truncated;
      }
    },
  };
}

/** A session's name contains brackets and quotes, and may contain a slash. */
const getPrefix = ({ session, incarnation }: SessionFilesKey): string =>
  `${encodeURIComponent(session)}/${incarnation}/`;

const getFilePath = (key: FileKey): string => getPrefix(key) + key.id;
