/** The files that an agent accepts, and the errors for others. */
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { fallback } from '../../../../src/index.ts';
import type { FileStore } from '../../../../src/modules/files/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { createSessionPath, getSessionName, readJson, send } from './client.ts';
import {
  computeFileId,
  createFileApp,
  createFileModel,
  MEDIA_TYPES,
  postAndRead,
  type SeerConfig,
  toBytes,
} from './file-app.ts';

const createFile = (mediaType: string, more: Record<string, unknown> = {}) => ({
  type: 'file',
  mediaType,
  data: btoa('some bytes'),
  ...more,
});
const createFileByUrl = (mediaType: string) => ({ type: 'file', mediaType, url: 'https://a.example/f' });

/** Returns the result of a message with these parts: 200, or the refusal. */
async function postTo(
  config: Parameters<typeof createFileApp>[0],
  ...message: readonly unknown[]
): Promise<unknown> {
  const { status, answer } = await postAndRead(createFileApp(config).via, { message });
  return status === 200 ? 200 : [status, answer.detail];
}

const listAcceptedTypes = async (config: SeerConfig) => {
  const { agents } = (await readJson(await createFileApp(config).via('/agents'))) as {
    agents: { accepts: unknown }[];
  };
  return agents[0]?.accepts;
};

/** A model that does not declare the files that it accepts. */
const modelWithoutMedia = { ...createFileModel(), media: undefined };

const TEXT = ['text/*', 'application/json', 'application/xml', 'application/yaml'];
const USUAL_TEXT =
  'The agent accepts image/png, image/webp, image/svg+xml, application/pdf, text/*, application/json, application/xml and ' +
  'application/yaml as bytes, and image/* by URL.';

it('a file URL in a private network is accepted if the app allows it, but never with a password', async () => {
  const createImage = (url: string) => ({ type: 'file', mediaType: 'image/png', url });
  const means = { allowPrivateAddresses: true };
  expect(await postTo(means, createImage('https://files.corp/a.png'))).toBe(200);
  expect(await postTo({}, createImage('https://files.corp/a.png'))).toEqual([
    422,
    'The body is not valid: message[0].url: points to a private network, so send the file itself.',
  ]);
  for (const url of ['https://a:b@files.corp/a.png', 'http://files.corp/a.png'])
    expect(await postTo(means, createImage(url))).toEqual([
      422,
      expect.stringContaining('message[0].url: must be'),
    ]);
});

describe('an agent that lists no media types', () => {
  it('accepts the images, PDF and text that its model accepts', async () => {
    const taken = [
      createFile('image/png'),
      createFile('application/pdf'),
      createFile('text/csv'),
      createFileByUrl('image/gif'),
    ];
    expect(
      await postTo({}, ...taken, createFile('application/json'), createFile('application/ld+json')),
    ).toBe(200);
    expect(await listAcceptedTypes({})).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', 'application/pdf', ...TEXT],
      url: ['image/*'],
    });
  });

  it.each([
    [
      'an image of another type',
      [createFile('image/tiff')],
      `message[0] is image/tiff, sent as bytes. ${USUAL_TEXT}`,
    ],
    [
      'audio',
      [createFile('audio/mpeg', { name: 'a.mp3' })],
      `message[0] ("a.mp3") is audio/mpeg, sent as bytes. ${USUAL_TEXT}`,
    ],
    [
      'a type that is accepted only as bytes, sent by URL',
      [createFile('image/png'), createFileByUrl('application/pdf')],
      `message[1] is application/pdf, sent by URL. ${USUAL_TEXT}`,
    ],
    [
      'text by URL, which is not fetched',
      [createFileByUrl('text/plain')],
      `message[0] is text/plain, sent by URL. ${USUAL_TEXT}`,
    ],
    [
      'several',
      [
        { type: 'text', text: ' ' },
        createFile('video/mp4'),
        createFile('image/png'),
        createFile('x/y', { name: 'z"\n' }),
      ],
      `message[1] is video/mp4, sent as bytes; message[3] ("z\\"") is x/y, sent as bytes. ${USUAL_TEXT}`,
    ],
  ])('does not accept %s', async (_, message, detail) => {
    expect(await postTo({}, ...message)).toEqual([415, detail]);
  });

  it('accepts no files if its model does not declare types, and reports this', async () => {
    const refused = [415, 'message[0] is text/plain, sent as bytes. The agent accepts no files.'];
    expect(await postTo({ model: modelWithoutMedia }, createFile('text/plain'))).toEqual(refused);
    expect(await listAcceptedTypes({ model: modelWithoutMedia })).toEqual({ data: [], url: [] });
  });

  it('accepts only images, PDF and text from a model that supports more', async () => {
    const message = { data: ['audio/*', 'application/*', 'image/*'], url: ['video/mp4'] };
    const config = { model: createFileModel({ ...MEDIA_TYPES, message }) };
    expect(await listAcceptedTypes(config)).toEqual({
      data: ['image/*', 'application/pdf', ...TEXT],
      url: [],
    });
    expect(await postTo(config, createFile('audio/mpeg'))).toEqual([
      415,
      'message[0] is audio/mpeg, sent as bytes. The agent accepts image/*, application/pdf, text/*, application/json, ' +
        'application/xml and application/yaml as bytes, and none by URL.',
    ]);
  });

  it('accepts the types that every candidate of its model supports', async () => {
    const other = createFileModel({
      ...MEDIA_TYPES,
      message: { data: ['image/*'], url: ['image/gif', 'image/png'] },
    });
    const config = { model: fallback([createFileModel(), fallback([createFileModel(), other])]) };
    expect(await listAcceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', ...TEXT],
      url: ['image/gif', 'image/png'],
    });
    expect(await postTo(config, createFile('application/pdf'))).toEqual([
      415,
      'message[0] is application/pdf, sent as bytes. The agent accepts image/png, image/webp, image/svg+xml, text/*, ' +
        'application/json, application/xml and application/yaml as bytes, and image/gif and image/png by URL.',
    ]);
    expect(await listAcceptedTypes({ model: fallback([createFileModel(), modelWithoutMedia]) })).toEqual({
      data: [],
      url: [],
    });
  });
});

describe('an agent that lists media types', () => {
  it('accepts only those types', async () => {
    const config = { accepts: ['image/*', 'text/csv'] };
    expect(await listAcceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', 'text/csv'],
      url: ['image/*'],
    });
    expect(
      await postTo(config, createFile('image/png'), createFile('text/csv'), createFileByUrl('image/avif')),
    ).toBe(200);
    for (const type of ['application/pdf', 'text/plain', 'application/ld+json', 'image/tiff']) {
      expect(await postTo(config, createFile(type))).toEqual([
        415,
        `message[0] is ${type}, sent as bytes. The agent accepts image/png, image/webp, image/svg+xml and text/csv as bytes, ` +
          'and image/* by URL.',
      ]);
    }
  });

  it('accepts those types with a model that declares no types, but accepts no text by URL', async () => {
    const config = { accepts: ['audio/mpeg', 'text/*'], model: modelWithoutMedia };
    expect(await listAcceptedTypes(config)).toEqual({ data: ['audio/mpeg', 'text/*'], url: ['audio/mpeg'] });
    expect(
      await postTo(config, createFile('audio/mpeg'), createFileByUrl('audio/mpeg'), createFile('text/plain')),
    ).toBe(200);
    expect(await postTo(config, createFileByUrl('text/plain'))).toEqual([
      415,
      'message[0] is text/plain, sent by URL. The agent accepts audio/mpeg and text/* as bytes, and audio/mpeg by URL.',
    ]);
  });

  it('accepts its types with a fallback whose models do not exclude them', async () => {
    const config = { accepts: ['image/*'], model: fallback([createFileModel(), modelWithoutMedia]) };
    expect(await listAcceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml'],
      url: ['image/*'],
    });
  });

  it('accepts no files if its list is empty', async () => {
    expect(await listAcceptedTypes({ accepts: [] })).toEqual({ data: [], url: [] });
    expect(await postTo({ accepts: [] }, createFile('image/png'), createFileByUrl('image/png'))).toEqual([
      415,
      'message[0] is image/png, sent as bytes; message[1] is image/png, sent by URL. The agent accepts no files.',
    ]);
  });
});

it('a problem lists the refused and the accepted types', async () => {
  const { answer } = await postAndRead(createFileApp({ accepts: ['image/png'] }).via, {
    message: [createFile('image/gif')],
  });
  expect(answer).toMatchObject({
    type: 'urn:holdfast:problem:unsupported-media-type',
    problems: ['message[0] is image/gif, sent as bytes'],
    accepts: { data: ['image/png'], url: ['image/png'] },
  });
});

it('the agents of other tests accept no files', async () => {
  const { status, answer } = await postAndRead(
    send,
    { message: [createFile('image/png')] },
    createSessionPath(),
  );
  expect([status, answer.detail]).toEqual([
    415,
    'message[0] is image/png, sent as bytes. The agent accepts no files.',
  ]);
});

describe('an external store', () => {
  /** A store that records its requests. */
  function createStore(put: FileStore['put'] = async () => {}) {
    const puts: unknown[] = [];
    const store: FileStore = {
      async put(...args) {
        puts.push(args);
        await put(...args);
      },
      get: async () => null,
      delete: async () => {},
      deleteAll: async () => {},
    };
    return { store, puts };
  }

  it('has the bytes before the session knows the file', async () => {
    const { store, puts } = createStore();
    const { via, sent } = createFileApp({ store: () => store });
    const session = createSessionPath('seer');
    expect((await postAndRead(via, { message: [createFile('image/png')] }, session)).status).toBe(200);
    const id = await computeFileId('some bytes');
    const { incarnation } =
      (await createObjectSession(env.SESSIONS, getSessionName(session)).read({ from: 1 })) ?? {};
    expect(incarnation).toMatch(/^[0-9a-f]{16}$/);
    const key = { session: getSessionName(session), incarnation, id };
    expect(puts).toEqual([[key, toBytes('some bytes'), 'image/png']]);
    const about = JSON.stringify({ mediaType: 'image/png' });
    const outside = { module: 'files', key: '', incarnation, version: 0 };
    expect(sent).toEqual([[{ id, about, size: 10, outside }]]);
  });

  it('causes a refusal of the message if it fails', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const down = new Error('the bucket is gone');
    const { store } = createStore(async () => {
      throw down;
    });
    const { via, sent } = createFileApp({ store: () => store });
    const { status, answer } = await postAndRead(via, { message: [createFile('image/png')] });
    expect([status, answer.type, answer.detail]).toEqual([
      503,
      'urn:holdfast:problem:files-unavailable',
      'The file store cannot be reached now. The message was not accepted. Send the request again.',
    ]);
    expect(sent).toEqual([]);
    expect(error.mock.calls).toEqual([
      [expect.stringMatching(/^holdfast: the file store failed in request \w{16}$/), down],
    ]);
    error.mockRestore();
  });
});
