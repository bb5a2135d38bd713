import type { FileKey, FileStore } from '../../create-holdfast.ts';

/** Keeps the files of sessions in an R2 bucket, each session's below a prefix of its own. */
export function r2Files(bucket: R2Bucket): FileStore {
  return {
    async put(key, bytes, mediaType) {
      await bucket.put(pathOf(key), bytes, { httpMetadata: { contentType: mediaType } });
    },
    async get(key, range) {
      const part = range && { offset: range.from, length: range.length };
      const found = await bucket.get(pathOf(key), part && { range: part });
      return found && new Uint8Array(await found.arrayBuffer());
    },
    async delete(session) {
      const prefix = prefixOf(session);
      for (let isMore = true; isMore; ) {
        const { objects, truncated } = await bucket.list({ prefix });
        if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
        isMore = truncated;
      }
    },
  };
}

/** A session's name has brackets and quotes in it, and may have a slash. */
const prefixOf = (session: string): string => `${encodeURIComponent(session)}/`;

const pathOf = ({ session, id }: FileKey): string => prefixOf(session) + id;
