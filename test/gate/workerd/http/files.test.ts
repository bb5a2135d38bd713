/** Files of a session, read by its owner. */
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { type FileStore, files } from '../../../../src/modules/files/entry.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, readJson, type Send, send } from './client.ts';
import {
  computeFileId,
  createFileAgent,
  createFileApp,
  createFileModel,
  postAndRead,
  readContent,
  toBytes,
} from './file-app.ts';

const universalFiles = {
  accepts: ['image/*', 'text/*', 'application/*', 'video/*'],
  model: { ...createFileModel(), media: undefined },
};
const { via } = createFileApp(universalFiles);

interface KeptFile {
  readonly path: string;
  readonly id: string;
}

/** Sends a file to a session in a message, and returns its address. */
async function keep(
  content: string,
  {
    mediaType = 'image/png',
    name,
    session = createSessionPath('seer'),
    by = via,
  }: { mediaType?: string; name?: string; session?: string; by?: Send } = {},
): Promise<KeptFile> {
  const message = [{ type: 'file', mediaType, data: btoa(content), ...(name !== undefined && { name }) }];
  const { status } = await postAndRead(by, { message }, session);
  expect(status).toBe(200);
  const id = await computeFileId(content);
  return { path: `${session}/files/${id}`, id };
}

const getHeaders = (response: Response, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'accept-ranges': 'bytes',
};

describe('GET .../files/{id}', () => {
  it('returns the bytes of a file, with headers that prevent browsers from executing it', async () => {
    const { path, id } = await keep('a png', { name: 'chart.png' });
    const response = await via(path);
    expect([response.status, await readContent(response)]).toEqual([200, 'a png']);
    expect(
      getHeaders(
        response,
        ...Object.keys(SAFE_HEADERS),
        'content-type',
        'content-length',
        'etag',
        'content-disposition',
      ),
    ).toEqual({
      ...SAFE_HEADERS,
      'content-type': 'image/png',
      'content-length': '5',
      etag: `"${id}"`,
      'content-disposition': `inline; filename="chart.png"; filename*=UTF-8''chart.png`,
    });
  });

  it('responds to HEAD without the bytes', async () => {
    const { path, id } = await keep('a png');
    const response = await via(path, { method: 'HEAD' });
    expect([response.status, await readContent(response)]).toEqual([200, '']);
    expect(
      getHeaders(response, ...Object.keys(SAFE_HEADERS), 'content-type', 'content-length', 'etag'),
    ).toEqual({
      ...SAFE_HEADERS,
      'content-type': 'image/png',
      'content-length': '5',
      etag: `"${id}"`,
    });
  });

  it.each([
    ['image/png', 'inline', 'image/png'],
    ['image/jpeg', 'inline', 'image/jpeg'],
    ['image/gif', 'inline', 'image/gif'],
    ['image/webp', 'inline', 'image/webp'],
    ['image/avif', 'inline', 'image/avif'],
    ['image/svg+xml', 'attachment', 'image/svg+xml'],
    ['text/html', 'attachment', 'text/html; charset=utf-8'],
    ['text/plain', 'attachment', 'text/plain; charset=utf-8'],
    ['application/pdf', 'attachment', 'application/pdf'],
    ['application/xhtml+xml', 'attachment', 'application/xhtml+xml'],
    ['image/bmp', 'attachment', 'image/bmp'],
  ])('serves a file of type %s as %s', async (mediaType, disposition, type) => {
    const { path } = await keep(`a file of ${mediaType}`, { mediaType });
    const response = await via(path);
    expect(getHeaders(response, 'content-disposition', 'content-type', 'x-content-type-options')).toEqual({
      'content-disposition': disposition,
      'content-type': type,
      'x-content-type-options': 'nosniff',
    });
    await readContent(response);
  });

  it.each([
    ['quotes', 'a"b".pdf', `attachment; filename="a_b_.pdf"; filename*=UTF-8''a%22b%22.pdf`],
    [
      'line breaks',
      'a\r\nx-evil: 1.pdf',
      `attachment; filename="a x-evil: 1.pdf"; filename*=UTF-8''a%20x-evil%3A%201.pdf`,
    ],
    [
      'a path',
      '../../etc\\passwd',
      `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`,
    ],
    [
      'non-ASCII characters',
      'Übersicht 📈.pdf',
      `attachment; filename="_bersicht __.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%F0%9F%93%88.pdf`,
    ],
    [
      'reserved characters of RFC 8187',
      "a'(b)*%41;.pdf",
      `attachment; filename="a'(b)*_41;.pdf"; filename*=UTF-8''a%27%28b%29%2A%2541%3B.pdf`,
    ],
    [
      'an unpaired surrogate',
      'a\ud83d.pdf',
      `attachment; filename="a_.pdf"; filename*=UTF-8''a%EF%BF%BD.pdf`,
    ],
  ])('treats a name with %s as a plain name', async (what, name, expected) => {
    const { path } = await keep(`named with ${what}`, { mediaType: 'application/pdf', name });
    const response = await via(path);
    expect(response.headers.get('content-disposition')).toBe(expected);
    expect(response.headers.get('x-evil')).toBeNull();
    await readContent(response);
  });

  it('returns the same 404 for a missing file and another owner’s file', async () => {
    const auth = (request: Request) => {
      const id = request.headers.get('authorization');
      return id === null ? null : { id };
    };
    const app = createTestApp({ agents: [createFileAgent(universalFiles)], use: [files()], auth });
    const as =
      (id: string): Send =>
      (path, init = {}) =>
        app(path, { ...init, headers: { ...Object(init.headers), authorization: id } });
    const { path, id } = await keep('a secret', { by: as('ann') });
    expect((await as('ann')(path)).status).toBe(200);
    const other = await keep('something else', { by: as('ann') });
    const refused = [
      await as('bob')(path),
      await as('ann')(`${createSessionPath('seer')}/files/${id}`),
      await as('ann')(other.path.replace(other.id, id)),
    ];
    for (const response of refused) {
      expect([response.status, await readJson(response)]).toEqual([
        404,
        {
          type: 'urn:holdfast:problem:unknown-file',
          title: 'unknown file',
          status: 404,
          detail: `There is no file '${id}' in this session.`,
        },
      ]);
    }
    for (const strange of ['x', `${id}0`, id.toUpperCase(), '..%2f..', `${id.slice(1)}%00`]) {
      const response = await as('ann')(path.replace(id, strange));
      expect([response.status, (await readJson(response)).type]).toEqual([
        404,
        'urn:holdfast:problem:unknown-file',
      ]);
    }
    expect((await app(path)).status).toBe(401);
  });

  it('returns 404 after its session was erased', async () => {
    const { path, id } = await keep('to be erased');
    await via(path.replace(`/files/${id}`, ''), { method: 'DELETE' });
    expect((await via(path)).status).toBe(404);
  });
});

describe('a file that a client has cached', () => {
  it.each([
    ['its own tag', (tag: string) => tag],
    ['its tag as a weak one', (tag: string) => `W/${tag}`],
    ['a list with its tag', (tag: string) => `"x", W/"y",${tag}`],
    ['any tag', () => '*'],
  ])('is not sent again for %s', async (what, tagOf) => {
    const { path, id } = await keep(`had, by ${what}`);
    const response = await via(path, { headers: { 'if-none-match': tagOf(`"${id}"`), range: 'bytes=0-1' } });
    expect([response.status, await readContent(response)]).toEqual([304, '']);
    expect(getHeaders(response, 'etag', 'cache-control')).toEqual({
      etag: `"${id}"`,
      'cache-control': SAFE_HEADERS['cache-control'],
    });
  });

  it.each([['"x"'], [''], ['"'], ['nonsense']])('is sent for the tag %s', async (tag) => {
    const { path } = await keep('not had');
    const response = await via(path, { headers: { 'if-none-match': tag } });
    expect([response.status, await readContent(response)]).toEqual([200, 'not had']);
  });
});

describe('a range', () => {
  const TEN = '0123456789';
  it.each([
    ['bytes=0-3', '0123', '0-3'],
    ['bytes=4-', '456789', '4-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=9-9', '9', '9-9'],
    ['bytes=2-99999999999999999999', '23456789', '2-9'],
    ['bytes=-99', TEN, '0-9'],
    ['Bytes=0-0', '0', '0-0'],
  ])('%s returns that range', async (range, text, part) => {
    const { path, id } = await keep(TEN, { mediaType: 'application/pdf' });
    const response = await via(path, { headers: { range } });
    expect([response.status, await readContent(response)]).toEqual([206, text]);
    expect(getHeaders(response, 'content-range', 'content-length', 'etag', 'content-type')).toEqual({
      'content-range': `bytes ${part}/10`,
      'content-length': String(text.length),
      etag: `"${id}"`,
      'content-type': 'application/pdf',
    });
  });

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    '%s, which begins beyond the end, returns 416',
    async (range) => {
      const { path } = await keep(TEN, { mediaType: 'application/pdf' });
      const response = await via(path, { headers: { range } });
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
      expect(await readJson(response)).toMatchObject({
        type: 'urn:holdfast:problem:range-not-satisfiable',
        detail: 'The file has 10 bytes, and the requested range contains none of them.',
      });
    },
  );

  it.each([
    'bytes=0-1,4-5',
    'bytes=5-2',
    'bytes=-',
    'bytes=a-b',
    'bytes=1',
    'bytes 0-1',
    'lines=0-1',
    'bytes=0x0-0x1',
    'bytes=0-1-2',
    'bytes=',
  ])('%s, which is several ranges or invalid, returns the whole file', async (range) => {
    const { path } = await keep(TEN, { mediaType: 'application/pdf' });
    const response = await via(path, { headers: { range } });
    expect([response.status, await readContent(response)]).toEqual([200, TEN]);
    expect(response.headers.get('content-range')).toBeNull();
  });

  it('returns the whole file if the client’s copy is of another file', async () => {
    const { path, id } = await keep(TEN, { mediaType: 'application/pdf' });
    const getRange = (ifRange: string) => via(path, { headers: { range: 'bytes=0-1', 'if-range': ifRange } });
    const [same, other, weak] = [
      await getRange(`"${id}"`),
      await getRange('"x"'),
      await getRange(`W/"${id}"`),
    ];
    expect([same.status, other.status, weak.status]).toEqual([206, 200, 200]);
    await Promise.all([same, other, weak].map(readContent));
  });

  it('is ignored for HEAD', async () => {
    const { path } = await keep(TEN, { mediaType: 'application/pdf' });
    const response = await via(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '10']);
  });
});

/** A text whose bytes encode their position. */
const createLongText = (bytes: number): string =>
  Array.from({ length: bytes / 8 }, (_, at) => String(at).padStart(8, '.')).join('');
const MIB = 1024 * 1024;
/** More than a session object returns in one response. */
const LARGE_SIZE = 4 * MIB + 1024;

it('a file of several pages is returned as a whole, and in ranges across page boundaries', async () => {
  const content = createLongText(LARGE_SIZE);
  const { path } = await keep(content, { mediaType: 'application/pdf' });
  const whole = await via(path);
  expect(whole.headers.get('content-length')).toBe(String(LARGE_SIZE));
  expect((await readContent(whole)) === content).toBe(true);
  const [from, to] = [4 * MIB - 10, 4 * MIB + 9];
  const part = await via(path, { headers: { range: `bytes=${from}-${to}` } });
  expect([part.status, await readContent(part)]).toEqual([206, content.slice(from, to + 1)]);
  const most = await via(path, { headers: { range: 'bytes=5-' } });
  expect(await computeFileId(await readContent(most))).toBe(await computeFileId(content.slice(5)));
});

/** An in-memory store. */
function createStore() {
  const kept = new Map<string, Uint8Array>();
  const store: FileStore = {
    put: async ({ session, id }, bytes) => void kept.set(`${session} ${id}`, bytes.slice()),
    get: async (
      { session, id },
      { from = 0, length = Number.MAX_SAFE_INTEGER } = { from: 0, length: Number.MAX_SAFE_INTEGER },
    ) => kept.get(`${session} ${id}`)?.slice(from, from + length) ?? null,
    delete: async () => {},
    deleteAll: async () => kept.clear(),
  };
  return { store, kept };
}

describe('a file in an external store', () => {
  it('is returned from there, in pages and ranges', async () => {
    const { store } = createStore();
    const app = createFileApp({ ...universalFiles, store: () => store });
    const content = createLongText(LARGE_SIZE);
    const { path } = await keep(content, { mediaType: 'application/pdf', by: app.via });
    expect((await readContent(await app.via(path))) === content).toBe(true);
    const part = await app.via(path, { headers: { range: 'bytes=8-15' } });
    expect([part.status, await readContent(part)]).toEqual([206, '.......1']);
    expect((await app.via(path, { method: 'HEAD' })).headers.get('content-length')).toBe(String(LARGE_SIZE));
  });

  it('returns 404 if the store has lost it', async () => {
    const { store, kept } = createStore();
    const app = createFileApp({ ...universalFiles, store: () => store });
    const { path, id } = await keep('lost', { by: app.via });
    kept.clear();
    const response = await app.via(path);
    expect([response.status, (await readJson(response)).detail]).toEqual([
      404,
      `The bytes of file '${id}' are no longer in their store.`,
    ]);
  });

  it('returns 503 if the store fails', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { store } = createStore();
    const { path } = await keep('out of reach', {
      by: createFileApp({ ...universalFiles, store: () => store }).via,
    });
    const failing = { ...store, get: () => Promise.reject(new Error('the bucket is gone')) };
    const app = createFileApp({ ...universalFiles, store: () => failing });
    const response = await app.via(path);
    expect([response.status, (await readJson(response)).detail]).toEqual([
      503,
      'The file store cannot be reached now. Send the request again.',
    ]);
    expect(error).toHaveBeenCalledTimes(1);
    error.mockRestore();
  });

  it('returns 500 with a suggested fix if the deployment no longer has a store', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { store } = createStore();
    const { path } = await keep('given away', {
      by: createFileApp({ ...universalFiles, store: () => store }).via,
    });
    const response = await via(path);
    expect([response.status, await readJson(response)]).toMatchObject([
      500,
      {
        type: 'urn:holdfast:problem:misconfigured',
        detail:
          'The bytes of this file are in a store that this deployment does not have. Pass that store to `files({ store })`.',
      },
    ]);
    error.mockRestore();
  });
});

it('a page on another site cannot read a file by script, or upload one', async () => {
  const { path } = await keep('not for others');
  const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const shown = await via(path, { headers: cross });
  expect(getHeaders(shown, 'access-control-allow-origin', 'cross-origin-resource-policy')).toEqual({
    'access-control-allow-origin': null,
    'cross-origin-resource-policy': 'same-origin',
  });
  const form = new FormData();
  form.append('f', new File(['x'], 'x.png', { type: 'image/png' }));
  const response = await via(`${createSessionPath('seer')}/messages`, {
    method: 'POST',
    headers: cross,
    body: form,
  });
  expect([response.status, (await readJson(response)).type]).toEqual([
    403,
    'urn:holdfast:problem:cross-site',
  ]);
});

it('a file is refused with an error that shows the limit if its session has no room for it', async () => {
  const SESSIONS = wrapObjects(() => ({
    begin: async () => ({ status: 'blobs-full', most: 52_428_800, used: 52_428_790 }),
  }));
  const full = createTestApp(
    { agents: [createFileAgent(universalFiles)], use: [files()] },
    { ...env, SESSIONS },
  );
  const file = { type: 'file', mediaType: 'image/png', data: btoa('more than ten bytes') };
  const { status, answer } = await postAndRead(full, { message: [file] });
  expect([status, answer.type, answer.detail]).toEqual([
    413,
    'urn:holdfast:problem:files-full',
    'The files of this session have 52428790 bytes, but can have at most 52428800. Start another session, or send less.',
  ]);
});

it('a file of a message in the background is kept with the message', async () => {
  const session = createSessionPath('seer');
  const form = new FormData();
  form.append('f', new File(['later'], 'x.png', { type: 'image/png' }));
  const headers = { prefer: 'respond-async' };
  const response = await via(`${session}/messages`, { method: 'POST', headers, body: form });
  expect([response.status, (await readJson(response)).status]).toEqual([202, 'accepted']);
  expect(await readContent(await via(`${session}/files/${await computeFileId('later')}`))).toBe('later');
});

it('a form’s image is stored as a file with the same bytes', async () => {
  const session = createSessionPath('seer');
  const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]);
  const form = new FormData();
  form.append('f', new File([bytes], 'x.png', { type: 'image/png' }));
  await readJson(await via(`${session}/messages`, { method: 'POST', body: form }));
  const response = await via(`${session}/files/${await computeFileId(bytes)}`);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  expect((await send(`${session}/files/${await computeFileId(toBytes('x'))}`)).status).toBe(404);
});
