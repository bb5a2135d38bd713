/** Stores and reads the files of a session for requests, with the session or in the app's store. */
import type { AgendaOwner, StaleCopies } from '../../journal/agenda.ts';
import type { BlobCopy, BlobsRefusal, KeptBlob } from '../../journal/blob.ts';
import type { TurnStart } from '../../journal/session-port.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { DeploymentError } from '../../session/deployment.ts';
import type { AppFiles, FilesAccess, MessageReceipt, SendWithFiles } from '../../worker/app-files.ts';
import { SessionError } from '../../worker/problem.ts';
import { type FileKey, type FileStore, isFileId, toCopyId, toFile } from './kept-files.ts';

/** The owner that sessions record for files in the store. An app has one `files` module. */
export const FILES_OWNER: AgendaOwner = { module: 'files', key: '' };

/** Returns the store of an environment. @throws DeploymentError if it is not a store. */
export type StoreResolver = (env: object) => FileStore;

type ReceiptAnswer = MessageReceipt['answer'];

/** A message whose files are in their store. */
interface PlacedMessage {
  readonly start: TurnStart;
  /**
   * Deletes the files of a message that was not accepted, if no other message refers to them. Never rejects.
   */
  discard(answer: ReceiptAnswer): Promise<void>;
}

/** The maximum number of attempts to store a message's files if the session is erased during an attempt. */
const MAX_PLACEMENTS = 3;

/**
 * Stores a message's files and then accepts the message. Stores the files again if their location changes
 * before that.
 */
export const createTakeWithFiles =
  (storeOf: StoreResolver | undefined): SendWithFiles =>
  async (at, start, take) => {
    const store = storeOf?.(at.env);
    for (let tries = 1; ; tries += 1) {
      const placed = store && (await placeFiles(at, store, start));
      const taken = await take(placed?.start ?? start);
      const { answer } = taken;
      await placed?.discard(answer);
      if (answer.status === 'blobs-full' || (answer.status === 'blobs-moved' && tries === MAX_PLACEMENTS))
        throw createFilesRefusedError(answer);
      if (answer.status !== 'blobs-moved') return taken;
    }
  };

/**
 * Returns the error for a message whose files do not fit in the session, or whose session changed each time
 * they were stored.
 */
function createFilesRefusedError(answer: BlobsRefusal): SessionError {
  if (answer.status === 'blobs-moved')
    return new SessionError('files-unavailable', FILES_MOVED_MESSAGE, { retryAfter: 1 });
  const { most, used } = answer;
  const detail = `The files of this session have ${used} bytes, but can have at most ${most}. Start another session, or send less.`;
  return new SessionError('files-full', detail, { more: { most, used } });
}

const FILES_MOVED_MESSAGE =
  'The session was erased, or its files were deleted, while the files of the message were stored. Send it again.';

/** Puts the files of a message into a store. The message then refers to them without their bytes. */
async function placeFiles(asked: FilesAccess, store: FileStore, start: TurnStart): Promise<PlacedMessage> {
  const { blobs = [] } = start;
  const { name: session, port } = asked.target;
  const states = await port.blobStates(blobs.map(({ id }) => id));
  const incarnation = states?.incarnation ?? getIncarnation(start);
  const put: FileKey[] = [];
  const placed = blobs.map(async ({ bytes, ...blob }): Promise<KeptBlob> => {
    const { id } = blob;
    const { version = 0, isOutside = false } = states?.blobs.find((one) => one.id === id) ?? {};
    const key = { session, incarnation, id: toCopyId({ id, version }) };
    if (bytes && !isOutside) {
      put.push(key);
      const { mediaType } = toFile(blob);
      await askStore(asked, 'The message was not accepted. Send', () => store.put(key, bytes, mediaType));
    }
    return { ...blob, outside: { ...FILES_OWNER, incarnation, version } };
  });
  return {
    start: { ...start, blobs: await Promise.all(placed) },
    async discard(answer) {
      const isOfOther = answer.status === 'blobs-moved' && answer.incarnation !== incarnation;
      const isOfNone = states === null && !isAccepted(answer, start);
      if (isOfOther || isOfNone) await Promise.all(put.map((key) => discardFile(asked, store, key)));
    },
  };
}

/** Returns `true` if the session has the turn and the incarnation of this message. */
const isAccepted = (answer: ReceiptAnswer, start: TurnStart): boolean =>
  ACCEPTED_STATUSES.includes(answer.status) || (answer.status === 'known' && answer.turn === start.turn);

const ACCEPTED_STATUSES: readonly string[] = ['accepted', 'leased', 'queued', 'steering', 'scheduled'];

async function discardFile({ host, requestId }: FilesAccess, store: FileStore, key: FileKey): Promise<void> {
  host.meter.spend();
  try {
    await store.delete(key);
  } catch (thrown) {
    const message = 'a file of a rejected message could not be deleted from the file store';
    host.log({ level: 'error', event: 'other', requestId, message, thrown });
  }
}

/** Returns the incarnation of a session that a message would open. */
function getIncarnation({ opening }: TurnStart): string {
  const { incarnation } = JSON.parse(opening.body) as { readonly incarnation: string }; // `toTurnStart` wrote it
  return incarnation;
}

/**
 * Deletes copies of files that a session no longer uses.
 *
 * @throws ConfigurationError if the deployment has no store.
 */
export async function deleteInStore(
  store: FileStore | undefined,
  session: string,
  { incarnation, copies }: StaleCopies,
): Promise<void> {
  if (store === undefined) throw new ConfigurationError(NO_STORE_MESSAGE);
  const key = { session, incarnation };
  if (copies === undefined) await store.deleteAll(key);
  else await Promise.all(copies.map((copy) => store.delete({ ...key, id: toCopyId(copy) })));
}

const NO_STORE_MESSAGE =
  'Files of this session are in an external store, but the app has none. Pass the store that was used to `files({ store })`.';

/** Returns a function that finds files whose bytes are stored with the session or in a store. */
export const createFindFile =
  (storeOf: StoreResolver | undefined): AppFiles['find'] =>
  async (asked, { id, ahead }) => {
    if (!isFileId(id)) return undefined;
    const { port } = asked.target;
    const found = await port.blob({ id, length: ahead });
    if (!found) return undefined;
    const { bytes, at } = found;
    const readBytes = async (from: number, length: number): Promise<Uint8Array | null | undefined> => {
      if (!bytes) return readFromStore(asked, storeOf?.(asked.env), { id, at, from, length });
      return from === 0 && bytes.byteLength >= Math.min(length, ahead)
        ? bytes.subarray(0, length)
        : (await port.blob({ id, from, length }))?.bytes;
    };
    return {
      file: toFile({ ...found, id }),
      async read(from, length) {
        const page = await readBytes(from, length);
        if (page && page.byteLength > 0) return page;
        throw new SessionError('unknown-file', `The bytes of file '${id}' are no longer in their store.`);
      },
    };
  };

interface StoredPart {
  readonly id: string;
  readonly at: BlobCopy | undefined;
  readonly from: number;
  readonly length: number;
}

/** Reads a file from its store. @throws ConfigurationError if this deployment does not have that store. */
function readFromStore(
  asked: FilesAccess,
  store: FileStore | undefined,
  { id, at, ...range }: StoredPart,
): Promise<Uint8Array | null> {
  const session = asked.target.name;
  if (store && at) {
    const { incarnation, version } = at;
    const key = { session, incarnation, id: toCopyId({ id, version }) };
    return askStore(asked, 'Send', () => store.get(key, range));
  }
  throw new ConfigurationError(
    'The bytes of this file are in a store that this deployment does not have. Pass that store to `files({ store })`.',
  );
}

/**
 * Calls the store and counts the request. @throws SessionError if the store fails. Only the log contains the
 * cause.
 */
async function askStore<T>(
  { host, requestId }: FilesAccess,
  whatToDo: string,
  ask: () => Promise<T>,
): Promise<T> {
  host.meter.spend();
  try {
    return await ask();
  } catch (failure) {
    const message = `the file store failed${requestId === undefined ? '' : ` in request ${requestId}`}`;
    host.log({ level: 'error', event: 'request-failed', requestId, message, thrown: failure });
    const detail = `The file store cannot be reached now. ${whatToDo} the request again.`;
    throw new SessionError('files-unavailable', detail, { retryAfter: 1, cause: failure });
  }
}

/** Creates one store for each environment. The first request for a session reports an invalid store. */
export function createStoreResolver(make: unknown): StoreResolver {
  if (typeof make !== 'function')
    throw new ConfigurationError(`The \`store\` of files() is ${describeKind(make)}. ${STORE_HINT}`);
  const stores = new WeakMap<object, FileStore>();
  return (env) => {
    const known = stores.get(env);
    if (known !== undefined) return known;
    const store: unknown = make(env);
    if (!isStore(store))
      throw new DeploymentError(`The \`store\` of files() returned ${describeKind(store)}. ${STORE_HINT}`);
    stores.set(env, store);
    return store;
  };
}

const STORE_HINT =
  'Use (env) => store, where the store has the methods `put`, `get`, `delete` and `deleteAll`.';

const STORE_METHODS = ['put', 'get', 'delete', 'deleteAll'] as const satisfies readonly (keyof FileStore)[];

const isStore = (store: unknown): store is FileStore =>
  STORE_METHODS.every((method) => typeof Object(store)[method] === 'function');

const describeKind = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : value instanceof Promise
      ? 'a promise'
      : `a value of the type ${typeof value}`;
