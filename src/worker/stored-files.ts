/** The files of a session as requests store and read them: with the session, or in the store of the app. */
import type { FilePage, KeptFile } from '../journal/kept-file.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError } from '../session/deployment.ts';
import type { FileKey, FileStore } from '../session/session-files.ts';
import type { Env } from './host.ts';
import { Problem, SessionError } from './problem.ts';
import type { SessionAccess } from './target.ts';

/** Answers the files as they are to be kept: without their bytes, once the app's store has those, where it has one. */
export async function storedFiles(
  asked: SessionAccess,
  files: readonly KeptFile[],
): Promise<readonly KeptFile[]> {
  const store = storeOf(asked);
  if (!store) return files;
  return Promise.all(
    files.map(async ({ bytes, ...file }) => {
      const key = keyOf(asked, file.id);
      if (bytes)
        await answered(asked, 'Nothing was taken: send', () => store.put(key, bytes, file.mediaType));
      return file;
    }),
  );
}

/** What is known of a file of the session, and how its bytes are read. */
export interface SessionFile {
  readonly file: FilePage['file'];
  /** Answers bytes from `from` on: at least one, and at most `length`. @throws Problem when they are not to be had. */
  read(from: number, length: number): Promise<Uint8Array>;
}

/**
 * The file of this id; `undefined` when the session keeps none, or there is no such session. Its first `ahead` bytes are there
 * already when they are read, unless they are in a store.
 */
export async function findFile(
  asked: SessionAccess,
  { id, ahead }: { readonly id: string; readonly ahead: number },
): Promise<SessionFile | undefined> {
  const { port } = asked.target;
  const found = await port.file({ id, length: ahead });
  if (!found) return undefined;
  const { file, bytes } = found;
  const read = async (from: number, length: number): Promise<Uint8Array | null | undefined> => {
    if (!bytes) return fromStore(asked, id, { from, length });
    return from === 0 && bytes.byteLength >= Math.min(length, ahead)
      ? bytes.subarray(0, length)
      : (await port.file({ id, from, length }))?.bytes;
  };
  return {
    file,
    async read(from, length) {
      const page = await read(from, length);
      if (page && page.byteLength > 0) return page;
      throw new Problem('unknown-file', `The bytes of file '${id}' are not in their store any more.`);
    },
  };
}

/** @throws ConfigurationError when bytes are in a store that this deployment does not have. */
function fromStore(
  asked: SessionAccess,
  id: string,
  range: { readonly from: number; readonly length: number },
): Promise<Uint8Array | null> {
  const store = storeOf(asked);
  if (store) return answered(asked, 'Send', () => store.get(keyOf(asked, id), range));
  throw new ConfigurationError(
    'The bytes of this file are in a store that this deployment does not have: give `createHoldfast` its `files` again.',
  );
}

const storeOf = ({ host, env }: SessionAccess): FileStore | undefined => host.files?.(env);

const keyOf = ({ target }: SessionAccess, id: string): FileKey => ({ session: target.name, id });

/** Counts what the store is asked. @throws SessionError when it fails; what went wrong there is in the log alone. */
async function answered<T>(
  { host, requestId }: SessionAccess,
  whatToDo: string,
  ask: () => Promise<T>,
): Promise<T> {
  host.meter.spend();
  try {
    return await ask();
  } catch (failure) {
    const message = `the file store failed${requestId === undefined ? '' : ` in request ${requestId}`}`;
    host.log({ level: 'error', event: 'request-failed', requestId, message, thrown: failure });
    const detail = `The store of the files cannot be reached now. ${whatToDo} the request again.`;
    throw new SessionError('files-unavailable', detail, { retryAfter: 1, cause: failure });
  }
}

/** Makes one store for each environment, and finds out by the first request for a session what is none. */
export function storeIn(files: unknown): (env: Env) => FileStore {
  if (typeof files !== 'function')
    throw new ConfigurationError(`\`files\` is ${kindOf(files)}: ${USE_STORE}`);
  const stores = new WeakMap<Env, FileStore>();
  return (env) => {
    const known = stores.get(env);
    if (known !== undefined) return known;
    const store: unknown = files(env);
    if (!isStore(store)) throw new DeploymentError(`\`files\` answered ${kindOf(store)}: ${USE_STORE}`);
    stores.set(env, store);
    return store;
  };
}

const USE_STORE = 'use (env) => store, where the store has the methods `put`, `get` and `delete`.';

const STORE_METHODS = ['put', 'get', 'delete'] as const satisfies readonly (keyof FileStore)[];

const isStore = (store: unknown): store is FileStore =>
  STORE_METHODS.every((method) => typeof Object(store)[method] === 'function');

const kindOf = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : value instanceof Promise
      ? 'a promise'
      : `of type ${typeof value}`;
