/** The files of a session as requests store and read them: with the session, or in the store of the app. */
import type { FilePage, KeptFile } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { FileStore } from '../session/file-store.ts';
import { toSessionName } from '../session/read-secrets.ts';
import { ownerOf } from './host.ts';
import { Problem } from './problem.ts';
import type { SessionRequest } from './route.ts';

/** Answers the files as they are to be kept: without their bytes, once the app's store has those, where it has one. */
export async function storedFiles(
  asked: SessionRequest,
  files: readonly KeptFile[],
): Promise<readonly KeptFile[]> {
  const store = storeOf(asked);
  if (!store) return files;
  const session = nameOf(asked);
  return Promise.all(
    files.map(async ({ bytes, ...file }) => {
      const put = async () => bytes && store.put({ session, id: file.id }, bytes, file.mediaType);
      await answered(asked, put);
      return file;
    }),
  );
}

/** What is known of a file of the session, and how its bytes are read. */
export interface SessionFile {
  readonly file: FilePage['file'];
  /** Answers at least one byte from `from` on, and at most `length`. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/** The file of this id; `undefined` when the session keeps none, or there is no such session. */
export async function findFile(asked: SessionRequest, id: string): Promise<SessionFile | undefined> {
  const { port } = asked.target;
  const found = await port.file({ id, length: 1 });
  if (!found) return undefined;
  const { file, bytes } = found;
  const read = bytes
    ? async (from: number, length: number) => (await port.file({ id, from, length }))?.bytes
    : fromStore(asked, id);
  return {
    file,
    async read(from, length) {
      const page = await read(from, length);
      if (page && page.byteLength > 0) return page;
      throw new Problem('unknown-file', `The bytes of file ${id} are not there any more.`);
    },
  };
}

/** @throws ConfigurationError when bytes are in a store that this deployment does not have. */
function fromStore(
  asked: SessionRequest,
  id: string,
): (from: number, length: number) => Promise<Uint8Array | null> {
  const store = storeOf(asked);
  const session = nameOf(asked);
  if (store) return (from, length) => answered(asked, () => store.get({ session, id }, { from, length }));
  throw new ConfigurationError(
    'The bytes of this file are in a store that this deployment does not have: give `createHoldfast` its `files` again.',
  );
}

const storeOf = ({ host, env }: SessionRequest): FileStore | undefined => host.files?.(env);

const nameOf = ({ target: { caller, agent, session } }: SessionRequest): string =>
  toSessionName({ owner: ownerOf(caller), agent: agent.name, session });

/** @throws Problem when the store fails. Nothing was taken then, and what went wrong is in the log alone. */
async function answered<T>({ requestId }: SessionRequest, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (failure) {
    console.error(`holdfast: the file store failed in request ${requestId}`, failure);
    const detail = 'The store of the files cannot be reached now. Nothing was taken: send the request again.';
    throw new Problem('files-unavailable', detail, { headers: { 'retry-after': '1' } });
  }
}
