/** The files of a session as requests store and read them: with the session, or in the store of the app. */
import type { FilePage, FilePlace, KeptFile } from '../journal/kept-file.ts';
import type { TurnStart } from '../journal/session-port.ts';
import type { StoreDeletion } from '../journal/turn-runner.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { DeploymentError } from '../session/deployment.ts';
import type { FileKey, FileStore } from '../session/file-store.ts';
import type { Env } from './host.ts';
import { SessionError } from './problem.ts';
import type { SessionAccess } from './target.ts';

/** What a session says to a message: whether it took it, as which turn, and which incarnation it has if the files are elsewhere. */
interface Answer {
  readonly status: string;
  readonly turn?: string;
  readonly incarnation?: string;
}

/** A message whose files are where they are to be kept. */
interface Placed {
  readonly start: TurnStart;
  /** Deletes what was put for a message that was not taken, if nothing else can name it. Never rejects. */
  discard(answer: Answer): Promise<void>;
}

/** Puts the files of a message into the app's store, if it has one. The message then names them without their bytes. */
export async function placeFiles(asked: SessionAccess, start: TurnStart): Promise<Placed> {
  const store = storeOf(asked);
  const { files = [] } = start;
  if (!store || files.length === 0) return { start, discard: async () => {} };
  const { name: session, port } = asked.target;
  const states = await port.fileStates(files.map(({ id }) => id));
  const incarnation = states?.incarnation ?? incarnationOf(start);
  const put: FileKey[] = [];
  const placed = files.map(async ({ bytes, ...file }): Promise<KeptFile> => {
    const { copy = file.id, isOutside = false } = states?.files.find(({ id }) => id === file.id) ?? {};
    const key = { session, incarnation, id: copy };
    if (bytes && !isOutside) {
      put.push(key);
      await answered(asked, 'Nothing was taken: send', () => store.put(key, bytes, file.mediaType));
    }
    return copy === file.id ? file : { ...file, copy };
  });
  return {
    start: { ...start, files: await Promise.all(placed), filesUnder: incarnation },
    async discard(answer) {
      const isOfOther = answer.status === 'files-moved' && answer.incarnation !== incarnation;
      const isOfNone = states === null && !isTaken(answer, start);
      if (isOfOther || isOfNone) await Promise.all(put.map((key) => discarded(asked, store, key)));
    },
  };
}

/** The session has the turn, and the incarnation that the message opens it with. */
const isTaken = ({ status, turn }: Answer, start: TurnStart): boolean =>
  TAKEN.includes(status) || (status === 'known' && turn === start.turn);

const TAKEN: readonly string[] = ['accepted', 'leased', 'queued', 'steering', 'scheduled'];

async function discarded({ host, requestId }: SessionAccess, store: FileStore, key: FileKey): Promise<void> {
  host.meter.spend();
  try {
    await store.delete(key);
  } catch (thrown) {
    const message = 'a file of a message that was not taken could not be deleted in the file store';
    host.log({ level: 'error', event: 'other', requestId, message, thrown });
  }
}

/** Returns the incarnation that a message gives to a session which it opens. */
function incarnationOf({ opening }: TurnStart): string {
  const { incarnation } = JSON.parse(opening.body) as { readonly incarnation: string }; // written by toTurnStart
  return incarnation;
}

/**
 * Deletes copies of files for which a session has no more use.
 *
 * @throws ConfigurationError if the deployment has no store.
 */
export async function deleteInStore(store: FileStore | undefined, deletion: StoreDeletion): Promise<void> {
  if (store === undefined) throw new ConfigurationError(NO_STORE);
  const { name: session, incarnation, copies } = deletion;
  const key = { session, incarnation };
  if (copies === undefined) await store.deleteAll(key);
  else await Promise.all(copies.map((id) => store.delete({ ...key, id })));
}

const NO_STORE =
  'Files of this session are in a store outside, and createHoldfast has none: give it `files` again, as when they were stored.';

/** What is known of a file of the session, and how its bytes are read. */
export interface SessionFile {
  readonly file: FilePage['file'];
  /** Answers bytes from `from` on: at least one, and at most `length`. @throws SessionError when they are not to be had. */
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
  const { file, bytes, at } = found;
  const read = async (from: number, length: number): Promise<Uint8Array | null | undefined> => {
    if (!bytes) return fromStore(asked, at, { from, length });
    return from === 0 && bytes.byteLength >= Math.min(length, ahead)
      ? bytes.subarray(0, length)
      : (await port.file({ id, from, length }))?.bytes;
  };
  return {
    file,
    async read(from, length) {
      const page = await read(from, length);
      if (page && page.byteLength > 0) return page;
      throw new SessionError('unknown-file', `The bytes of file '${id}' are not in their store any more.`);
    },
  };
}

/** @throws ConfigurationError when bytes are in a store that this deployment does not have. */
function fromStore(
  asked: SessionAccess,
  at: FilePlace | undefined,
  range: { readonly from: number; readonly length: number },
): Promise<Uint8Array | null> {
  const store = storeOf(asked);
  const session = asked.target.name;
  if (store && at) return answered(asked, 'Send', () => store.get({ session, ...at }, range));
  throw new ConfigurationError(
    'The bytes of this file are in a store that this deployment does not have: give `createHoldfast` its `files` again.',
  );
}

const storeOf = ({ host, env }: SessionAccess): FileStore | undefined => host.files?.(env);

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

const USE_STORE =
  'use (env) => store, where the store has the methods `put`, `get`, `delete` and `deleteAll`.';

const STORE_METHODS = ['put', 'get', 'delete', 'deleteAll'] as const satisfies readonly (keyof FileStore)[];

const isStore = (store: unknown): store is FileStore =>
  STORE_METHODS.every((method) => typeof Object(store)[method] === 'function');

const kindOf = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : value instanceof Promise
      ? 'a promise'
      : `of type ${typeof value}`;
