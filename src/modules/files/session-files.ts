import type { BlobGoneReason, BlobPage, KeptBlob, OutsideBlob } from '../../journal/blob.ts';
import type { SessionEvent, StoredEvent } from '../../journal/events.ts';
import { InterruptionError } from '../../loop/holder.ts';
import type {
  FileKeeper,
  HeldSessionFiles,
  HeldSessionScope,
  ShowingLoop,
  ShownFiles,
} from '../../loop/loop-files.ts';
import { ModelError } from '../../model/chat-model.ts';
import { toHandOverError } from '../../session/send-again.ts';
import {
  type ContentPart,
  isStoredFile,
  type NewFile,
  type StoredFile,
  toBase64,
} from '../../tool/content.ts';
import { createErrorEntry } from '../../tool/log.ts';
import type { Secrets } from '../../tool/secrets.ts';
import { listResultParts, type ToolResult } from '../../tool/tool-result.ts';
import {
  type FileKey,
  FileRefusedError,
  type FileStore,
  MAX_SESSION_BYTES,
  MemoryFiles,
  storeParts,
  toBlob,
  toCopyId,
  toFile,
  toStored,
  withKeptFiles,
} from './kept-files.ts';
import { type ReadableFiles, showFiles } from './shown-files.ts';
import { FILES_OWNER, type StoreResolver } from './stored-files.ts';

/** Returns the object that stores an app's files, with their sessions or in an external store. */
export const createFileKeeper = (storeOf: StoreResolver | undefined): FileKeeper => ({
  nameFiles: storeParts,
  open: ({ env, ...session }) => new SessionFiles({ ...session, store: storeOf?.(env) }),
  inMemory: () => new MemoryFiles(),
});

interface SessionFilesOptions extends Omit<HeldSessionScope, 'env'> {
  /** The store for bytes. `undefined` to store them with the session. */
  readonly store?: FileStore | undefined;
}

/**
 * The maximum number of characters of files in one invocation's memory: the 16 MiB limit of a request, in
 * base64. The isolate has 128 MB in total.
 */
const MAX_HELD_CHARACTERS = 22 * 1024 * 1024;

/** The files of a session in one invocation. Stores bytes with the first event that refers to them. */
export class SessionFiles implements HeldSessionFiles, ReadableFiles {
  readonly #options: SessionFilesOptions;
  /** Files that are in memory and not stored yet. */
  readonly #fresh = new Map<string, KeptBlob>();
  /** Files in base64, as requests contain them. The most recently used file is last. */
  readonly #held = new Map<string, Promise<string | undefined>>();
  readonly #sizes = new Map<string, number>();
  /** The reasons why files are gone, by id. `null` if a file was checked and exists. */
  readonly #gone = new Map<string, BlobGoneReason | null>();
  readonly #withoutFiles = new Set<string>();
  #used: number;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
    this.#used = options.kept?.bytes ?? 0;
  }

  keep(result: ToolResult, secrets: Secrets, onLost: (problem: string) => void): Promise<ToolResult> {
    return withKeptFiles(result, { keep: (file) => this.keepFile(file), secrets, onLost });
  }

  show(loop: ShowingLoop): Promise<ShownFiles | undefined> {
    return showFiles({ files: this, withoutFiles: this.#withoutFiles }, loop);
  }

  /**
   * Holds the bytes of a file in memory under their hash. The first event that refers to the file stores
   * them.
   *
   * @throws FileRefusedError if it is too large, or the session has no room for it.
   */
  async keepFile(file: NewFile): Promise<StoredFile> {
    const stored = await toStored(file);
    const { id, size } = stored;
    if ((await this.#isThere(id)) || this.#fresh.has(id)) return stored;
    const { bytes } = file;
    // Bytes that the session already has count twice until the next turn. The session is queried for them
    // only if there is no room.
    if (this.#used + size > MAX_SESSION_BYTES) {
      if (await this.#options.port.blob({ id, length: 1 })) return stored;
      throw new FileRefusedError(
        `The files of this conversation have ${this.#used} bytes, but can have at most ${MAX_SESSION_BYTES}.`,
      );
    }
    const { store } = this.#options;
    this.#used += size;
    try {
      const outside = store && (await this.#put(store, stored, bytes));
      this.#fresh.set(id, toBlob(stored, { bytes, outside }));
    } catch (failure) {
      this.#used -= size;
      throw failure;
    }
    this.#gone.set(id, null);
    this.#hold(id, Promise.resolve(toBase64(bytes)));
    return stored;
  }

  /**
   * Stores bytes in the store if it does not have them. Returns their copy.
   *
   * @throws InterruptionError if the session was erased. Its files are deleted later, and a new file must not be
   * stored after that.
   */
  async #put(store: FileStore, { id, mediaType }: StoredFile, bytes: Uint8Array): Promise<OutsideBlob> {
    const { port, count, name: session, incarnation: current } = this.#options;
    const incarnation = current();
    const states = await port.blobStates([id]);
    if (states?.incarnation !== incarnation)
      throw new InterruptionError('lost', 'The session was erased while a tool made a file.');
    const [{ isOutside = false, version = 0 } = {}] = states.blobs;
    if (!isOutside) {
      count(1);
      await store.put({ session, incarnation, id: toCopyId({ id, version }) }, bytes, mediaType);
    }
    return { ...FILES_OWNER, incarnation, version };
  }

  blobsOfEvent(event: SessionEvent): readonly KeptBlob[] | undefined {
    return 'result' in event ? this.blobsOfParts(listResultParts(event.result)) : undefined;
  }

  blobsOfParts(parts: readonly ContentPart[]): readonly KeptBlob[] | undefined {
    const named = parts.filter(isStoredFile).flatMap(({ id }) => this.#fresh.get(id) ?? []);
    return named.length > 0 ? named : undefined;
  }

  stored(events: readonly StoredEvent[]): void {
    for (const event of events) for (const { id } of this.blobsOfEvent(event) ?? []) this.#fresh.delete(id);
  }

  async read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>> {
    const shown = new Map<string, string>();
    const all = files.map(async (file) => {
      const data = await this.#shown(file);
      if (data !== undefined) shown.set(file.id, data);
    });
    try {
      await Promise.all(all);
    } catch (failure) {
      // A nested loop would treat any other error as a failure of its tool.
      throw toHandOverError(failure);
    }
    return shown;
  }

  async gone(files: readonly StoredFile[]): Promise<ReadonlyMap<string, BlobGoneReason>> {
    const known = this.#gone;
    const unknown = this.#options.kept?.gone ? files.filter(({ id }) => !known.has(id)) : [];
    try {
      if (unknown.length > 0) await this.#askGone([...new Set(unknown.map(({ id }) => id))]);
    } catch (failure) {
      throw toHandOverError(failure);
    }
    const isGone = ({ id }: StoredFile): readonly (readonly [string, BlobGoneReason])[] => {
      const why = known.get(id);
      return why ? [[id, why]] : [];
    };
    return new Map(files.flatMap(isGone));
  }

  refresh(): void {
    this.#gone.clear();
  }

  async #askGone(ids: readonly string[]): Promise<void> {
    const states = await this.#options.port.blobStates(ids);
    for (const id of ids) this.#gone.set(id, null);
    for (const { id, gone } of states?.blobs ?? []) if (!this.#fresh.has(id)) this.#gone.set(id, gone);
  }

  async find(id: string): Promise<NewFile | undefined> {
    const { port, store, name: session, count, log } = this.#options;
    const fresh = this.#fresh.get(id);
    if (fresh?.bytes) return toNewFile(toFile(fresh), fresh.bytes);
    const pages: Uint8Array[] = [];
    for (let from = 0; ; ) {
      const page: BlobPage | null = fresh
        ? { ...fresh, bytes: null, at: fresh.outside }
        : await port.blob({ id, from });
      if (!page) return undefined;
      const { size, bytes, at } = page;
      const file = toFile({ ...page, id });
      if (!bytes) {
        if (!at) return undefined;
        count(1);
        const { incarnation, version } = at;
        const outside = await readStoredFile(
          { store, log },
          { session, incarnation, id: toCopyId({ id, version }) },
        );
        return outside ? toNewFile(file, outside) : undefined;
      }
      pages.push(bytes);
      from += bytes.byteLength;
      if (from >= size) return toNewFile(file, concatPages(pages, size));
      if (bytes.byteLength === 0) return undefined;
    }
  }

  /** Returns `true` if this invocation has read the file. Waits for a read in progress. */
  async #isThere(id: string): Promise<boolean> {
    const held = await this.#held.get(id)?.catch(() => undefined);
    return held !== undefined;
  }

  #shown({ id }: StoredFile): Promise<string | undefined> {
    const known = this.#held.get(id);
    const data = known ?? this.find(id).then((file) => file && toBase64(file.bytes));
    this.#hold(id, data);
    return data;
  }

  /** Marks a file as the most recently used, and drops the oldest files beyond the limit. */
  #hold(id: string, data: Promise<string | undefined>): void {
    this.#held.delete(id);
    this.#held.set(id, data);
    void data.then(
      (text) => {
        if (text === undefined) return this.#forget(id, data);
        this.#sizes.set(id, text.length);
        let held = [...this.#held.keys()].reduce((sum, one) => sum + (this.#sizes.get(one) ?? 0), 0);
        for (const one of this.#held.keys()) {
          if (held <= MAX_HELD_CHARACTERS) return;
          held -= this.#sizes.get(one) ?? 0;
          this.#held.delete(one);
        }
      },
      () => this.#forget(id, data),
    );
  }

  /** Forgets a file that does not exist or could not be read. The next use reads it again. */
  #forget(id: string, data: Promise<string | undefined>): void {
    if (this.#held.get(id) === data) this.#held.delete(id);
  }
}

/**
 * Reads from a store. @throws ModelError `unreachable` if the store fails, which is then the reason that the
 * turn has no answer.
 */
async function readStoredFile(
  { store, log }: Pick<SessionFilesOptions, 'store' | 'log'>,
  key: FileKey,
): Promise<Uint8Array | null> {
  if (!store) return null;
  try {
    return await store.get(key);
  } catch (thrown) {
    log(createErrorEntry('the file store failed', thrown));
    throw new ModelError('unreachable', 'A file for the model could not be read from its store.');
  }
}

const toNewFile = (
  { mediaType, name }: Pick<StoredFile, 'mediaType' | 'name'>,
  bytes: Uint8Array,
): NewFile => ({
  type: 'file',
  mediaType,
  ...(name !== undefined && { name }),
  bytes,
});

function concatPages(pages: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = pages;
  if (first && pages.length === 1) return first;
  const all = new Uint8Array(size);
  let at = 0;
  for (const page of pages) {
    all.set(page, at);
    at += page.byteLength;
  }
  return all;
}
