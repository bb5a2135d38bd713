/** Requests to a file store count as subrequests of the invocation. */
import { expect, it, vi } from 'vitest';
import type { FileStore } from '../../../../src/modules/files/entry.ts';
import { createFindFile, createTakeWithFiles } from '../../../doors/files.ts';
import type { KeptBlob, TurnStart } from '../../../doors/journal.ts';
import { Meter } from '../../../doors/session.ts';

const bytes = new Uint8Array([1, 2, 3]);
const about = '{"mediaType":"image/png"}';
const createKeptBlob = (id: string) => ({ id, about, size: 3, bytes });

const ID = 'a'.repeat(64);

/** A message with these files for a new session. */
const startWith = (...blobs: readonly KeptBlob[]) => ({
  turn: 't1',
  opening: { type: 'session-opened', turn: '', body: '{"incarnation":"i1"}' },
  started: { type: 'turn-started', turn: 't1', body: '{}' },
  blobs,
});

/** A request for a session whose files are in this store, and the number of counted requests. */
function countRequests(store: FileStore | undefined) {
  const meter = new Meter({ subrequests: 50, internalSubrequests: 50, wallMs: 60_000 }, () => 0);
  const spend = vi.spyOn(meter, 'spend');
  const readBlob = async () => ({
    about,
    size: 3,
    ...(store ? { bytes: null, at: { incarnation: 'i1', version: 0 } } : { bytes }),
  });
  const readBlobStates = async () => null;
  const host = { meter, log: () => undefined };
  // Only these properties are used by the tested functions.
  const request = {
    host,
    env: {},
    requestId: 'r1',
    target: { name: 's', port: { blob: readBlob, blobStates: readBlobStates } },
  } as never;
  return {
    async place(start: ReturnType<typeof startWith>): Promise<TurnStart> {
      let taken: TurnStart = start;
      await createTakeWithFiles(() => store ?? workingStore)(request, start, async (placed) => {
        taken = placed;
        return { answer: { status: 'accepted', turn: placed.turn } };
      });
      return taken;
    },
    find: () => createFindFile(store && (() => store))(request, { id: ID, ahead: 3 }),
    counted: () => spend.mock.calls.length,
  };
}

const workingStore: FileStore = {
  put: async () => {},
  get: async () => bytes,
  delete: async () => {},
  deleteAll: async () => {},
};
const brokenStore: FileStore = {
  ...workingStore,
  put: async () => {
    throw new Error('no disk');
  },
};

it('each stored file counts as a request, unless it is empty', async () => {
  const { place, counted } = countRequests(workingStore);
  const { bytes: _, ...without } = createKeptBlob('c');
  const { blobs } = await place(startWith(createKeptBlob('a'), createKeptBlob('b'), without));
  const outside = { module: 'files', key: '', incarnation: 'i1', version: 0 };
  expect(blobs).toEqual(['a', 'b', 'c'].map((id) => ({ id, about, size: 3, outside })));
  expect(counted()).toBe(2);
});

it('each part that is read counts as a request, but a lookup of the file does not', async () => {
  const { find, counted } = countRequests(workingStore);
  const found = await find();
  expect(counted()).toBe(0);
  await found?.read(0, 3);
  await found?.read(1, 2);
  expect(counted()).toBe(2);
});

it('a failed request is also counted', async () => {
  const { place, counted } = countRequests(brokenStore);
  await expect(place(startWith(createKeptBlob('a')))).rejects.toMatchObject({
    message: 'The file store cannot be reached now. The message was not accepted. Send the request again.',
  });
  expect(counted()).toBe(1);
});

it('a file that is stored in its session causes no counted request', async () => {
  const { find, counted } = countRequests(undefined);
  await (await find())?.read(0, 3);
  expect(counted()).toBe(0);
});
