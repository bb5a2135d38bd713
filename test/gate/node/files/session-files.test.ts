import { describe, expect, it, vi } from 'vitest';
import { content, file, type NewFile, Secrets } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { type FileStore, files as filesModule } from '../../../../src/modules/files/entry.ts';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { SessionFiles } from '../../../doors/files.ts';
import type { AppendData, KeptBlob } from '../../../doors/journal.ts';
import { findFileKeeper, InterruptionError } from '../../../doors/loop.ts';
import { SessionUnavailableError } from '../../../doors/session.ts';
import { listResultParts, toLog } from '../../../doors/tools.ts';
import { createHeldSession } from '../session/held.ts';

const MIB = 1024 * 1024;
const createBytes = (length: number, fill = 7): Uint8Array => new Uint8Array(length).fill(fill);
const createNewFile = (bytes: Uint8Array, mediaType = 'image/png') =>
  ({ type: 'file', mediaType, bytes }) as const;

/** The SHA-256 hash of the bytes 1, 2 and 3. */
const FILE_ID = '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81';
const SMALL_BYTES = new Uint8Array([1, 2, 3]);
const STORED_FILE = { type: 'file', id: FILE_ID, mediaType: 'image/png', size: 3 } as const;

/** The metadata that the object stores with such a file, and does not parse. */
const METADATA_JSON = '{"mediaType":"image/png"}';

const callEnded = (...parts: readonly (typeof STORED_FILE)[]): SessionEvent => ({
  type: 'tool-call-ended',
  turn: 't1',
  call: 'a',
  result: { ...content(parts) },
});

/** Returns a port that serves files in pages of `page` bytes and records requests. */
function createFakePort(files: Readonly<Record<string, Uint8Array | null>>, page = 4 * MIB) {
  const asked: string[] = [];
  const blob: SessionPort['blob'] = async ({ id, from = 0 }) => {
    asked.push(`${id} ${from}`);
    const bytes = files[id];
    if (bytes === undefined) return null;
    const size = bytes?.byteLength ?? 3;
    const at = bytes ? undefined : { incarnation: 'i1', version: 0 };
    return { about: METADATA_JSON, size, bytes: bytes?.slice(from, from + page) ?? null, at };
  };
  const blobStates: SessionPort['blobStates'] = async (ids) => ({
    incarnation: 'i1',
    blobs: ids
      .filter((id) => id in files)
      .map((id) => ({ id, gone: null, isOutside: files[id] === null, version: 0 })),
  });
  return { asked, port: { blob, blobStates } };
}

const createSessionFiles = (
  port: FilesPort,
  {
    used: bytes = 0,
    gone = 0,
    store,
  }: { readonly used?: number; readonly store?: FileStore; readonly gone?: number } = {},
): SessionFiles =>
  new SessionFiles({
    ...{ port, name: 's', incarnation: () => 'i1', kept: { bytes, gone } },
    ...{ count: () => {}, log: toLog(), store },
  });

const keeper = findFileKeeper([filesModule()]);

/** Stores a file of a result in a held session, and returns it as stored. */
async function keepFile({ files }: Awaited<ReturnType<typeof createHeldSession>>['session'], kept: NewFile) {
  const result = await files?.keep(content([kept]), Secrets.NONE, () => {});
  const [part] = result ? listResultParts(result) : [];
  if (!part || !('id' in part)) throw new Error('The file was not stored.');
  return part;
}

type FilesPort = Pick<SessionPort, 'blob' | 'blobStates'>;

function createMemoryStore() {
  const kept = new Map<string, Uint8Array>();
  const store: FileStore = {
    put: async ({ session, incarnation, id }, bytes, mediaType) => {
      kept.set(`${session}/${incarnation}/${id} ${mediaType}`, bytes);
    },
    get: async ({ session, incarnation, id }) =>
      kept.get(`${session}/${incarnation}/${id} image/png`) ?? null,
    delete: async () => {},
    deleteAll: async () => kept.clear(),
  };
  return { kept, store };
}

describe('a file that a tool creates', () => {
  it('is identified by the hash of its bytes', async () => {
    const files = createSessionFiles(createFakePort({}).port);
    expect(await files.keepFile({ ...createNewFile(SMALL_BYTES), name: 'a.png' })).toEqual({
      ...STORED_FILE,
      name: 'a.png',
    });
  });

  it.each([
    ['if it is empty', 0, 0, 'It is empty.'],
    ['if it is too large', 8 * MIB + 1, 0, 'It is larger than 8388608 bytes.'],
    [
      'if the session has no room for it',
      2,
      50 * MIB - 1,
      'The files of this conversation have 52428799 bytes, but can have at most 52428800.',
    ],
  ])('is refused %s', async (_, length, used, problem) => {
    const files = createSessionFiles(createFakePort({}).port, { used });
    await expect(files.keepFile(createNewFile(createBytes(length)))).rejects.toThrow(problem);
  });

  it('uses space only once, and can fill the session to its last byte', async () => {
    const files = createSessionFiles(createFakePort({}).port, { used: 50 * MIB - 3 });
    await files.keepFile(createNewFile(SMALL_BYTES));
    expect(await files.keepFile(createNewFile(SMALL_BYTES))).toEqual(STORED_FILE);
    await expect(files.keepFile(createNewFile(createBytes(1)))).rejects.toThrow('have 52428800 bytes');
  });

  it('uses no space if the session already has the same bytes', async () => {
    const { asked, port } = createFakePort({ [FILE_ID]: SMALL_BYTES });
    const files = createSessionFiles(port, { used: 50 * MIB });
    expect(await files.keepFile(createNewFile(SMALL_BYTES))).toEqual(STORED_FILE);
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toBeUndefined();
    expect(asked).toEqual([`${FILE_ID} 0`]);
  });

  it('is stored once, together with the event that refers to it', async () => {
    const sent: AppendData[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: (epoch, from, change) => {
        sent.push(change);
        return port.append(epoch, from, change);
      },
    });
    const { session, outbox } = await createHeldSession({ wrap, files: keeper });
    const stored = await keepFile(session, createNewFile(SMALL_BYTES));
    outbox.emit({ type: 'turn-yielded', turn: 't1', reason: '' });
    await outbox.durable();
    expect(sent[0]).not.toHaveProperty('blobs');
    outbox.emit(callEnded(STORED_FILE));
    await outbox.durable();
    expect(sent[1]?.blobs).toEqual([{ id: FILE_ID, about: METADATA_JSON, size: 3, bytes: SMALL_BYTES }]);
    expect(stored).toEqual(STORED_FILE);
    outbox.emit(callEnded(STORED_FILE));
    await outbox.durable();
    expect(sent[2]).not.toHaveProperty('blobs');
    await session.close();
  });

  it.each([
    [
      'of a result',
      async (file: NewFile) => {
        const files = createSessionFiles(createFakePort({}).port);
        await files.keepFile(file);
        return files.blobsOfEvent(callEnded(STORED_FILE));
      },
    ],
    ['of a message', async (file: NewFile) => (await keeper?.nameFiles([file]))?.blobs],
  ])('%s is sent without the rest of its buffer', async (_, blobsOf) => {
    const view = new Uint8Array([0, ...SMALL_BYTES, 0]).subarray(1, 4);
    const [blob] = (await blobsOf(createNewFile(view))) ?? [];
    expect(blob?.bytes).toEqual(SMALL_BYTES);
    expect(blob?.bytes?.buffer.byteLength).toBe(3);
  });

  it('is sent again when an append is retried', async () => {
    const sent: (readonly KeptBlob[] | undefined)[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: async (epoch, from, change) => {
        sent.push(change.blobs);
        if (sent.length === 1) throw new Error('lost');
        return port.append(epoch, from, change);
      },
    });
    const { session, outbox, clock } = await createHeldSession({ wrap, files: keeper });
    await keepFile(session, createNewFile(SMALL_BYTES));
    outbox.emit(callEnded(STORED_FILE));
    const durable = outbox.durable();
    await clock.advance(50);
    await durable;
    expect(sent).toMatchObject([
      [{ id: FILE_ID, bytes: SMALL_BYTES }],
      [{ id: FILE_ID, bytes: SMALL_BYTES }],
    ]);
    await session.close();
  });

  it('is sent in a separate append if the events are too large for a shared append', async () => {
    const sent: number[] = [];
    const wrap = (port: SessionPort): SessionPort => ({
      ...port,
      append: (epoch, from, change) => {
        sent.push(change.events.length);
        return port.append(epoch, from, change);
      },
    });
    const { session, outbox } = await createHeldSession({ wrap, files: keeper });
    for (const fill of [1, 2, 3]) {
      const stored = await keepFile(session, createNewFile(createBytes(7 * MIB, fill)));
      outbox.emit({ type: 'tool-call-ended', turn: 't1', call: 'a', result: { ...content([stored]) } });
    }
    await outbox.durable();
    expect(sent).toEqual([2, 1]);
    await session.close();
  });

  it('is stored externally before an event refers to it, and the event is sent without bytes', async () => {
    const { kept, store } = createMemoryStore();
    const files = createSessionFiles(createFakePort({}).port, { store });
    await files.keepFile(createNewFile(SMALL_BYTES));
    expect([...kept]).toEqual([[`s/i1/${FILE_ID} image/png`, SMALL_BYTES]]);
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toEqual([
      {
        id: FILE_ID,
        about: METADATA_JSON,
        size: 3,
        outside: { module: 'files', key: '', incarnation: 'i1', version: 0 },
      },
    ]);
  });

  it('is not stored and uses no space if the external store fails', async () => {
    const { store } = createMemoryStore();
    const puts = [() => Promise.reject(new Error('The bucket is missing.')), store.put];
    const put: FileStore['put'] = async (...asked) => puts.shift()?.(...asked);
    const files = createSessionFiles(createFakePort({}).port, {
      used: 50 * MIB - 3,
      store: { ...store, put },
    });
    await expect(files.keepFile(createNewFile(SMALL_BYTES))).rejects.toThrow('The bucket is missing');
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toBeUndefined();
    expect(await files.keepFile(createNewFile(SMALL_BYTES))).toEqual(STORED_FILE);
  });

  it('is not stored externally a second time, and is read from memory until its event is stored', async () => {
    const { kept, store } = createMemoryStore();
    const { port } = createFakePort({});
    const createStatePort = (isOutside: boolean, version: number): FilesPort => ({
      ...port,
      blobStates: async () => ({
        incarnation: 'i1',
        blobs: [{ id: FILE_ID, gone: null, isOutside, version }],
      }),
    });
    const known = createSessionFiles(createStatePort(true, 0), { store });
    await known.keepFile(createNewFile(SMALL_BYTES));
    expect([...kept]).toEqual([]);
    const files = createSessionFiles(createStatePort(false, 1), { store });
    await files.keepFile(createNewFile(SMALL_BYTES));
    expect([...kept]).toEqual([[`s/i1/${FILE_ID}.1 image/png`, SMALL_BYTES]]);
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toMatchObject([
      { id: FILE_ID, outside: { incarnation: 'i1', version: 1 } },
    ]);
    expect(await files.find(FILE_ID)).toEqual(createNewFile(SMALL_BYTES));
  });

  it('is stored even if a concurrent read does not find it', async () => {
    const answer = Promise.withResolvers<null>();
    const files = createSessionFiles({ ...createFakePort({}).port, blob: () => answer.promise });
    const looked = files.read([STORED_FILE]);
    const kept = files.keepFile(createNewFile(SMALL_BYTES));
    answer.resolve(null);
    expect([await looked, await kept]).toEqual([new Map(), STORED_FILE]);
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toMatchObject([{ id: FILE_ID, bytes: SMALL_BYTES }]);
    expect(await files.read([STORED_FILE])).toEqual(new Map([[FILE_ID, 'AQID']]));
  });
});

describe('a stored file', () => {
  it('is read in pages, and only once for all readers', async () => {
    const { asked, port } = createFakePort({ [FILE_ID]: SMALL_BYTES }, 2);
    const files = createSessionFiles(port);
    const all = await Promise.all([files.read([STORED_FILE]), files.read([STORED_FILE, STORED_FILE])]);
    expect(all).toEqual([new Map([[FILE_ID, 'AQID']]), new Map([[FILE_ID, 'AQID']])]);
    expect(await files.read([STORED_FILE])).toEqual(new Map([[FILE_ID, 'AQID']]));
    expect(asked).toEqual([`${FILE_ID} 0`, `${FILE_ID} 2`]);
  });

  it('is not read if this invocation created it', async () => {
    const { asked, port } = createFakePort({});
    const files = createSessionFiles(port);
    await files.keepFile(createNewFile(SMALL_BYTES));
    expect(await files.read([STORED_FILE])).toEqual(new Map([[FILE_ID, 'AQID']]));
    expect(asked).toEqual([]);
  });

  it('is omitted if it does not exist', async () => {
    const files = createSessionFiles(createFakePort({}).port);
    expect(await files.read([STORED_FILE])).toEqual(new Map());
  });

  it('is read again after a failed read', async () => {
    const { port } = createFakePort({ [FILE_ID]: SMALL_BYTES });
    let isDown = true;
    const files = createSessionFiles({
      ...port,
      blob: (query) => (isDown ? Promise.reject(new Error('down')) : port.blob(query)),
    });
    await expect(files.read([STORED_FILE])).rejects.toThrow('down');
    isDown = false;
    expect(await files.read([STORED_FILE])).toEqual(new Map([[FILE_ID, 'AQID']]));
  });

  it('is read from the external store if its bytes are there', async () => {
    const { store } = createMemoryStore();
    await store.put({ session: 's', incarnation: 'i1', id: FILE_ID }, SMALL_BYTES, 'image/png');
    const files = createSessionFiles(createFakePort({ [FILE_ID]: null }).port, { store });
    expect(await files.read([STORED_FILE])).toEqual(new Map([[FILE_ID, 'AQID']]));
    expect(await createSessionFiles(createFakePort({ [FILE_ID]: null }).port).read([STORED_FILE])).toEqual(
      new Map(),
    );
  });

  it('is removed from memory if a request has no room for it and later files', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const { asked, port } = createFakePort(
      Object.fromEntries(ids.map((id) => [id, createBytes(7 * MIB)])),
      8 * MIB,
    );
    const files = createSessionFiles(port);
    for (const id of [...ids, 'e', 'd', 'c']) await files.read([{ ...STORED_FILE, id, size: 7 * MIB }]);
    expect(asked.map((one) => one.slice(0, 1))).toEqual(['a', 'b', 'c', 'd', 'e', 'c']);
  });
});

describe('the deleted files of a session', () => {
  const [DELETED, OTHER] = [
    { ...STORED_FILE, id: 'd' },
    { ...STORED_FILE, id: 'o' },
  ];

  /** Returns a port of a session with one deleted file, and records its requests. */
  function createGonePort() {
    const asked: (readonly string[])[] = [];
    let gone: 'deleted' | 'expired' | null = 'deleted';
    const blobStates: SessionPort['blobStates'] = async (ids) => {
      asked.push(ids);
      const blobs = ids.map((id) => ({ id, gone: id === 'd' ? gone : null, isOutside: false, version: 0 }));
      return { incarnation: 'i1', blobs };
    };
    const restoreFile = (): void => {
      gone = null;
    };
    return { asked, comesAgain: restoreFile, port: { ...createFakePort({}).port, blobStates } };
  }

  it('are requested once, and only if the session has deleted files', async () => {
    const { asked, port } = createGonePort();
    expect(await createSessionFiles(port).gone([DELETED])).toEqual(new Map());
    expect(asked).toEqual([]);
    const files = createSessionFiles(port, { gone: 1 });
    for (let i = 0; i < 2; i += 1)
      expect(await files.gone([DELETED, OTHER, DELETED])).toEqual(new Map([['d', 'deleted']]));
    expect(asked).toEqual([['d', 'o']]);
  });

  it('are requested again after a message, which may restore a file', async () => {
    const { asked, comesAgain, port } = createGonePort();
    const files = createSessionFiles(port, { gone: 1 });
    await files.gone([DELETED]);
    comesAgain();
    expect(await files.gone([DELETED])).toEqual(new Map([['d', 'deleted']]));
    files.refresh();
    expect(await files.gone([DELETED])).toEqual(new Map());
    expect(asked).toEqual([['d'], ['d']]);
  });

  it('exclude a file that a tool has created again', async () => {
    const { port } = createGonePort();
    const gone = { ...STORED_FILE, id: FILE_ID };
    const files = createSessionFiles(
      {
        ...port,
        blobStates: async () => ({
          incarnation: 'i1',
          blobs: [{ id: FILE_ID, gone: 'deleted', isOutside: false, version: 0 }],
        }),
      },
      { gone: 1 },
    );
    expect(await files.gone([gone])).toEqual(new Map([[FILE_ID, 'deleted']]));
    await files.keepFile(createNewFile(SMALL_BYTES));
    expect(await files.gone([gone])).toEqual(new Map());
    files.refresh();
    expect(await files.gone([gone])).toEqual(new Map());
  });

  it('cause a hand-over if the session is unreachable', async () => {
    const { port } = createGonePort();
    const rejectUnavailable = () => Promise.reject(new SessionUnavailableError(new Error('down')));
    const files = createSessionFiles({ ...port, blobStates: rejectUnavailable }, { gone: 1 });
    await expect(files.gone([DELETED])).rejects.toThrow(InterruptionError);
  });
});

describe('a file that a tool reads', () => {
  const NAMED = { type: 'file', mediaType: 'image/png', name: 'a.png', bytes: SMALL_BYTES } as const;

  it('is available as soon as it is created', async () => {
    const files = createSessionFiles(createFakePort({}).port);
    await files.keepFile(NAMED);
    expect(await files.find(FILE_ID)).toEqual(NAMED);
  });

  it('is read from the session or from the external store', async () => {
    const { store } = createMemoryStore();
    await store.put({ session: 's', incarnation: 'i1', id: FILE_ID }, SMALL_BYTES, 'image/png');
    const { name: _, ...unnamed } = NAMED;
    expect(
      await createSessionFiles(createFakePort({ [FILE_ID]: SMALL_BYTES }, 2).port).find(FILE_ID),
    ).toEqual(unnamed);
    expect(
      await createSessionFiles(createFakePort({ [FILE_ID]: null }).port, { store }).find(FILE_ID),
    ).toEqual(unnamed);
  });

  it('is unavailable until it is created', async () => {
    const files = createSessionFiles(createFakePort({}).port);
    expect(await files.find(FILE_ID)).toBeUndefined();
    expect(await files.read([STORED_FILE])).toEqual(new Map());
    await files.keepFile(NAMED);
    expect(files.blobsOfEvent(callEnded(STORED_FILE))).toMatchObject([{ id: FILE_ID, bytes: SMALL_BYTES }]);
  });
});

it('is reported as unreadable, without the error of its store', async () => {
  const { store } = createMemoryStore();
  const get = () => Promise.reject(new Error('token abc'));
  const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const files = createSessionFiles(createFakePort({ [FILE_ID]: null }).port, { store: { ...store, get } });
  await expect(files.read([STORED_FILE])).rejects.toThrow(
    'A file for the model could not be read from its store.',
  );
  expect(logged.mock.lastCall).toEqual(['holdfast: the file store failed', new Error('token abc')]);
  logged.mockRestore();
});

it('can be a result by itself', () => {
  expect({ ...file(SMALL_BYTES, 'image/png') }).toEqual({
    type: 'content',
    parts: [createNewFile(SMALL_BYTES)],
  });
});
