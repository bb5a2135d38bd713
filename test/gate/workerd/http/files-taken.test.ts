/** The files that an agent accepts, and the refusals of others. */
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { fallback } from '../../../../src/index.ts';
import type { FileStore } from '../../../../src/modules/files/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { json, newSession, send, sessionName } from './client.ts';
import { bytesOf, fileApp, fileModel, idOf, MEDIA, postAndRead, type SeerConfig } from './file-app.ts';

const file = (mediaType: string, more: Record<string, unknown> = {}) => ({
  type: 'file',
  mediaType,
  data: btoa('some bytes'),
  ...more,
});
const fileByUrl = (mediaType: string) => ({ type: 'file', mediaType, url: 'https://a.example/f' });

/** Returns the result of a message with these parts: 200, or the refusal. */
async function postTo(
  config: Parameters<typeof fileApp>[0],
  ...message: readonly unknown[]
): Promise<unknown> {
  const { status, answer } = await postAndRead(fileApp(config).via, { message });
  return status === 200 ? 200 : [status, answer.detail];
}

const acceptedTypes = async (config: SeerConfig) => {
  const { agents } = (await json(await fileApp(config).via('/agents'))) as { agents: { accepts: unknown }[] };
  return agents[0]?.accepts;
};

/** A model that does not declare the files that it accepts. */
const modelWithoutMedia = { ...fileModel(), media: undefined };

const TEXT = ['text/*', 'application/json', 'application/xml', 'application/yaml'];
const USUAL =
  'The agent accepts image/png, image/webp, image/svg+xml, application/pdf, text/*, application/json, application/xml and ' +
  'application/yaml as bytes, and image/* by URL.';

it('a file URL in a private network is accepted if the app allows it, but never with a password', async () => {
  const image = (url: string) => ({ type: 'file', mediaType: 'image/png', url });
  const means = { allowPrivateAddresses: true };
  expect(await postTo(means, image('https://files.corp/a.png'))).toBe(200);
  expect(await postTo({}, image('https://files.corp/a.png'))).toEqual([
    422,
    'The body is not valid: message[0].url: points to a private network, so send the file itself.',
  ]);
  for (const url of ['https://a:b@files.corp/a.png', 'http://files.corp/a.png'])
    expect(await postTo(means, image(url))).toEqual([
      422,
      expect.stringContaining('message[0].url: must be'),
    ]);
});

describe('an agent that names no media types', () => {
  it('accepts the images, PDF and text that its model accepts', async () => {
    const taken = [file('image/png'), file('application/pdf'), file('text/csv'), fileByUrl('image/gif')];
    expect(await postTo({}, ...taken, file('application/json'), file('application/ld+json'))).toBe(200);
    expect(await acceptedTypes({})).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', 'application/pdf', ...TEXT],
      url: ['image/*'],
    });
  });

  it.each([
    ['an image of another type', [file('image/tiff')], `message[0] is image/tiff, sent as bytes. ${USUAL}`],
    [
      'audio',
      [file('audio/mpeg', { name: 'a.mp3' })],
      `message[0] ("a.mp3") is audio/mpeg, sent as bytes. ${USUAL}`,
    ],
    [
      'a type that is accepted only as bytes, sent by URL',
      [file('image/png'), fileByUrl('application/pdf')],
      `message[1] is application/pdf, sent by URL. ${USUAL}`,
    ],
    [
      'text by URL, which is not fetched',
      [fileByUrl('text/plain')],
      `message[0] is text/plain, sent by URL. ${USUAL}`,
    ],
    [
      'several',
      [{ type: 'text', text: ' ' }, file('video/mp4'), file('image/png'), file('x/y', { name: 'z"\n' })],
      `message[1] is video/mp4, sent as bytes; message[3] ("z\\"") is x/y, sent as bytes. ${USUAL}`,
    ],
  ])('does not accept %s', async (_, message, detail) => {
    expect(await postTo({}, ...message)).toEqual([415, detail]);
  });

  it('accepts no files if its model does not declare types, and says so', async () => {
    const refused = [415, 'message[0] is text/plain, sent as bytes. The agent accepts no files.'];
    expect(await postTo({ model: modelWithoutMedia }, file('text/plain'))).toEqual(refused);
    expect(await acceptedTypes({ model: modelWithoutMedia })).toEqual({ data: [], url: [] });
  });

  it('accepts only images, PDF and text from a model that supports more', async () => {
    const message = { data: ['audio/*', 'application/*', 'image/*'], url: ['video/mp4'] };
    const config = { model: fileModel({ ...MEDIA, message }) };
    expect(await acceptedTypes(config)).toEqual({ data: ['image/*', 'application/pdf', ...TEXT], url: [] });
    expect(await postTo(config, file('audio/mpeg'))).toEqual([
      415,
      'message[0] is audio/mpeg, sent as bytes. The agent accepts image/*, application/pdf, text/*, application/json, ' +
        'application/xml and application/yaml as bytes, and none by URL.',
    ]);
  });

  it('accepts the types that every candidate of its model supports', async () => {
    const other = fileModel({ ...MEDIA, message: { data: ['image/*'], url: ['image/gif', 'image/png'] } });
    const config = { model: fallback([fileModel(), fallback([fileModel(), other])]) };
    expect(await acceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', ...TEXT],
      url: ['image/gif', 'image/png'],
    });
    expect(await postTo(config, file('application/pdf'))).toEqual([
      415,
      'message[0] is application/pdf, sent as bytes. The agent accepts image/png, image/webp, image/svg+xml, text/*, ' +
        'application/json, application/xml and application/yaml as bytes, and image/gif and image/png by URL.',
    ]);
    expect(await acceptedTypes({ model: fallback([fileModel(), modelWithoutMedia]) })).toEqual({
      data: [],
      url: [],
    });
  });
});

describe('an agent that names media types', () => {
  it('accepts only those', async () => {
    const config = { accepts: ['image/*', 'text/csv'] };
    expect(await acceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml', 'text/csv'],
      url: ['image/*'],
    });
    expect(await postTo(config, file('image/png'), file('text/csv'), fileByUrl('image/avif'))).toBe(200);
    for (const type of ['application/pdf', 'text/plain', 'application/ld+json', 'image/tiff']) {
      expect(await postTo(config, file(type))).toEqual([
        415,
        `message[0] is ${type}, sent as bytes. The agent accepts image/png, image/webp, image/svg+xml and text/csv as bytes, ` +
          'and image/* by URL.',
      ]);
    }
  });

  it('accepts them with a model that declares no types, but no text by URL', async () => {
    const config = { accepts: ['audio/mpeg', 'text/*'], model: modelWithoutMedia };
    expect(await acceptedTypes(config)).toEqual({ data: ['audio/mpeg', 'text/*'], url: ['audio/mpeg'] });
    expect(await postTo(config, file('audio/mpeg'), fileByUrl('audio/mpeg'), file('text/plain'))).toBe(200);
    expect(await postTo(config, fileByUrl('text/plain'))).toEqual([
      415,
      'message[0] is text/plain, sent by URL. The agent accepts audio/mpeg and text/* as bytes, and audio/mpeg by URL.',
    ]);
  });

  it('accepts its types with a fallback whose models do not exclude them', async () => {
    const config = { accepts: ['image/*'], model: fallback([fileModel(), modelWithoutMedia]) };
    expect(await acceptedTypes(config)).toEqual({
      data: ['image/png', 'image/webp', 'image/svg+xml'],
      url: ['image/*'],
    });
  });

  it('accepts no files if its list is empty', async () => {
    expect(await acceptedTypes({ accepts: [] })).toEqual({ data: [], url: [] });
    expect(await postTo({ accepts: [] }, file('image/png'), fileByUrl('image/png'))).toEqual([
      415,
      'message[0] is image/png, sent as bytes; message[1] is image/png, sent by URL. The agent accepts no files.',
    ]);
  });
});

it('a problem lists the refused and the accepted types', async () => {
  const { answer } = await postAndRead(fileApp({ accepts: ['image/png'] }).via, {
    message: [file('image/gif')],
  });
  expect(answer).toMatchObject({
    type: 'urn:holdfast:problem:unsupported-media-type',
    problems: ['message[0] is image/gif, sent as bytes'],
    accepts: { data: ['image/png'], url: ['image/png'] },
  });
});

it('the agents of other tests accept no files', async () => {
  const { status, answer } = await postAndRead(send, { message: [file('image/png')] }, newSession());
  expect([status, answer.detail]).toEqual([
    415,
    'message[0] is image/png, sent as bytes. The agent accepts no files.',
  ]);
});

describe('an external store', () => {
  /** A store that records its requests. */
  function storeOf(put: FileStore['put'] = async () => {}) {
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
    const { store, puts } = storeOf();
    const { via, sent } = fileApp({ store: () => store });
    const session = newSession('seer');
    expect((await postAndRead(via, { message: [file('image/png')] }, session)).status).toBe(200);
    const id = await idOf('some bytes');
    const { incarnation } =
      (await createObjectSession(env.SESSIONS, sessionName(session)).read({ from: 1 })) ?? {};
    expect(incarnation).toMatch(/^[0-9a-f]{16}$/);
    const key = { session: sessionName(session), incarnation, id };
    expect(puts).toEqual([[key, bytesOf('some bytes'), 'image/png']]);
    const about = JSON.stringify({ mediaType: 'image/png' });
    const outside = { module: 'files', key: '', incarnation, version: 0 };
    expect(sent).toEqual([[{ id, about, size: 10, outside }]]);
  });

  it('that fails causes a refusal of the message', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const down = new Error('the bucket is gone');
    const { store } = storeOf(async () => {
      throw down;
    });
    const { via, sent } = fileApp({ store: () => store });
    const { status, answer } = await postAndRead(via, { message: [file('image/png')] });
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
