/** Messages of parts: which are accepted or refused, and how they are journaled. */
import { describe, expect, it } from 'vitest';
import { createSessionPath, post, readJournal, readJson, send } from './client.ts';
import { computeFileId, createFileApp, postAndRead, toBytes } from './file-app.ts';

const PNG_PART = { type: 'file', mediaType: 'image/png', data: btoa('a png'), name: 'chart.png' };

const readStartEvent = async (session: string, via = send) => (await readJournal(session, via))[1];

describe('a message of parts', () => {
  it('is journaled in order with the ids of its files, and is sent with their bytes', async () => {
    const { via, sent } = createFileApp();
    const message = [
      { type: 'text', text: 'What is this?' },
      PNG_PART,
      { type: 'file', mediaType: 'image/jpeg', url: 'https://img.example/a.jpg?sig=1' },
      { type: 'text', text: 'And that?' },
      { type: 'file', mediaType: 'application/pdf', data: btoa('a pdf') },
    ];
    const { status, answer, session } = await postAndRead(via, { message });
    expect([status, answer.text]).toEqual([200, 'Seen.']);
    const [png, pdf] = [await computeFileId('a png'), await computeFileId('a pdf')];
    expect(await readStartEvent(session, via)).toMatchObject({
      type: 'turn-started',
      message: 'What is this?\n\nAnd that?',
      parts: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', mediaType: 'image/png', name: 'chart.png', id: png, size: 5 },
        { type: 'file', mediaType: 'image/jpeg', url: 'https://img.example/a.jpg?sig=1' },
        { type: 'text', text: 'And that?' },
        { type: 'file', mediaType: 'application/pdf', id: pdf, size: 5 },
      ],
    });
    expect(sent).toEqual([
      [
        {
          ...{ id: png, size: 5, bytes: toBytes('a png') },
          about: JSON.stringify({ mediaType: 'image/png', name: 'chart.png' }),
        },
        {
          ...{ id: pdf, size: 5, bytes: toBytes('a pdf') },
          about: JSON.stringify({ mediaType: 'application/pdf' }),
        },
      ],
    ]);
  });

  it('sends equal bytes once', async () => {
    const { via, sent } = createFileApp();
    const message = [PNG_PART, { ...PNG_PART, name: 'again.png' }];
    const { status, session } = await postAndRead(via, { message });
    expect([status, sent[0]?.length]).toEqual([200, 1]);
    const id = await computeFileId('a png');
    expect(await readStartEvent(session, via)).toMatchObject({
      message: '',
      parts: [
        { id, name: 'chart.png' },
        { id, name: 'again.png' },
      ],
    });
  });

  it('is a text message if it has only text', async () => {
    const { via, sent } = createFileApp();
    const message = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'Two.' },
    ];
    const { session } = await postAndRead(via, { message });
    expect(sent).toEqual([[]]);
    expect(await readStartEvent(session, via)).toMatchObject({ message: 'One.\n\nTwo.' });
    expect(await readStartEvent(session, via)).not.toHaveProperty('parts');
  });

  it('accepts a data URL as data and as url, and the file’s type can come from the URL', async () => {
    const { via } = createFileApp();
    const url = `data:image/PNG;name=x;BASE64,${btoa('a png')}`;
    const message = [
      { type: 'file', url },
      { type: 'file', data: url },
      { type: 'file', url, mediaType: 'image/png' },
      { type: 'file', url: `data:;base64,${btoa('a png')}`, mediaType: 'IMAGE/png; q=1' },
    ];
    const { session } = await postAndRead(via, { message });
    const one = { type: 'file', mediaType: 'image/png', id: await computeFileId('a png'), size: 5 };
    expect(await readStartEvent(session, via)).toMatchObject({ parts: [one, one, one, one] });
  });

  it('is stored with sanitized file names and without blank text', async () => {
    const { via } = createFileApp();
    const message = [
      { type: 'text', text: '\n ' },
      { ...PNG_PART, name: 'a\r\nb\u202egnp.\u0000' },
      { ...PNG_PART, name: '  ' },
    ];
    const { session } = await postAndRead(via, { message });
    const { parts } = Object(await readStartEvent(session, via));
    expect(parts).toMatchObject([{ name: 'a b gnp.' }, { mediaType: 'image/png' }]);
    expect(parts[1]).not.toHaveProperty('name');
  });
});

const createFileParts = (more: Record<string, unknown>) => [
  { type: 'file', mediaType: 'image/png', ...more },
];
const base64Rule = 'must be base64: A-Z a-z 0-9 + / and its padding, without white space';
const urlRule = 'must be a data URL, or an https URL without a user in it';

describe('an invalid message of parts', () => {
  it.each([
    ['without parts', [], 'message: must contain a file, or text that is not blank'],
    [
      'of blank text',
      [{ type: 'text', text: ' \n' }],
      'message: must contain a file, or text that is not blank',
    ],
    ['that are not objects', ['Hello'], 'message[0]: must be a part of the type text or file'],
    ['that are null', [null], 'message[0]: must be a part of the type text or file'],
    ['of another type', [{ type: 'image', url: 'x' }], 'message[0]: must be a part of the type text or file'],
    ['of invalid text', [{ type: 'text', text: 7 }], 'message[0].text: must be text'],
    [
      'of text with another property',
      [{ type: 'text', text: 'x', id: 1 }],
      'message[0].id: is not known here',
    ],
    [
      'of a file with another property',
      createFileParts({ data: 'eA==', id: 'f' }),
      'message[0].id: is not known here',
    ],
    ['of a file without bytes', createFileParts({}), 'message[0]: must have data or url'],
    [
      'of a file with both',
      createFileParts({ data: 'eA==', url: 'https://a.example/' }),
      'message[0]: must have data or url, not both',
    ],
    ['of data that is not text', createFileParts({ data: 7 }), `message[0].data: ${base64Rule}`],
    ['of invalid base64', createFileParts({ data: 'a png' }), `message[0].data: ${base64Rule}`],
    ['of base64 with line breaks', createFileParts({ data: 'eHh4\neHh4' }), `message[0].data: ${base64Rule}`],
    ['of base64 without padding', createFileParts({ data: 'eA' }), `message[0].data: ${base64Rule}`],
    ['of base64 for URLs', createFileParts({ data: '_-8=' }), `message[0].data: ${base64Rule}`],
    ['of only padding', createFileParts({ data: '====' }), `message[0].data: ${base64Rule}`],
    ['of an empty file', createFileParts({ data: '' }), 'message[0].data: is empty'],
    ['of an empty data URL', createFileParts({ url: 'data:image/png;base64,' }), 'message[0].url: is empty'],
    [
      'of a data URL without base64',
      createFileParts({ url: 'data:image/png,abc' }),
      'message[0].url: must be a data URL of base64',
    ],
    [
      'of a data URL without a comma',
      createFileParts({ data: 'data:image/png;base64' }),
      'message[0].data: must be a data URL of base64',
    ],
    [
      'of a data URL with bad base64',
      createFileParts({ url: 'data:image/png;base64,a b=' }),
      `message[0].url: ${base64Rule}`,
    ],
    ['of an http URL', createFileParts({ url: 'http://img.example/a.png' }), `message[0].url: ${urlRule}`],
    ['of a file URL', createFileParts({ url: 'file:///etc/passwd' }), `message[0].url: ${urlRule}`],
    ['of a javascript URL', createFileParts({ url: 'javascript:alert(1)' }), `message[0].url: ${urlRule}`],
    ['of an invalid URL', createFileParts({ url: 'a.png' }), `message[0].url: ${urlRule}`],
    ['of a URL that is not text', createFileParts({ url: {} }), `message[0].url: ${urlRule}`],
    [
      'of a URL with a password',
      createFileParts({ url: 'https://me:secret@img.example/a.png' }),
      `message[0].url: ${urlRule}`,
    ],
    [
      'of a URL with a user',
      createFileParts({ url: 'https://me@img.example/a.png' }),
      `message[0].url: ${urlRule}`,
    ],
    ...['127.0.0.1', '0x7f.1', '[::ffff:10.0.0.1]', 'metadata.google.internal', 'printer.local.'].map(
      (host): [string, unknown, string] => [
        `of a URL of ${host}`,
        createFileParts({ url: `https://${host}/a.png` }),
        'message[0].url: points to a private network, so send the file itself',
      ],
    ),
    [
      'of a URL that is too long',
      createFileParts({ url: `https://img.example/${'a'.repeat(8_192)}` }),
      'message[0].url: must have at most 8192 characters',
    ],
    ['of an invalid name', createFileParts({ data: 'eA==', name: 7 }), 'message[0].name: must be text'],
    [
      'without a media type',
      [{ type: 'file', data: 'eA==' }],
      'message[0].mediaType: must be a media type such as image/png',
    ],
    [
      'of an invalid media type',
      createFileParts({ data: 'eA==', mediaType: 'image/*' }),
      'message[0].mediaType: must be a media type such as image/png',
    ],
    [
      'of two media types',
      createFileParts({ url: 'data:image/gif;base64,eA==' }),
      'message[0].mediaType: is image/png, and its data URL says image/gif',
    ],
    [
      'of more than 100 parts',
      Array.from({ length: 101 }, () => ({ type: 'text', text: 'x' })),
      'message: must have at most 100 parts',
    ],
  ])('%s is refused', async (_, message, expected) => {
    const { status, answer, session } = await postAndRead(send, { message }, createSessionPath());
    expect([status, answer.problems]).toEqual([422, [expected]]);
    expect((await send(session)).status).toBe(404);
  });

  it('is refused with every problem', async () => {
    const message = [{ type: 'text' }, { type: 'file', a: 1 }, 7];
    const { status, answer } = await postAndRead(send, { message, context: 1, b: 2 }, createSessionPath());
    const problems = [
      'message[0].text: must be text',
      'message[1].a: is not known here',
      'message[1]: must have data or url',
      'message[1].mediaType: must be a media type such as image/png',
      'message[2]: must be a part of the type text or file',
      'context: must be a JSON object',
      'b: is not known here',
    ];
    expect([status, answer.problems]).toEqual([422, problems]);
    expect(answer.detail).toBe(`The body is not valid: ${problems.join('; ')}.`);
  });

  it('is refused without revealing the password in a URL', async () => {
    const url = 'https://me:secret@img.example/a.png';
    const response = await post(createSessionPath(), { message: createFileParts({ url }) });
    expect(await response.text()).not.toContain('secret');
  });
});

describe('the size of a body', () => {
  const createLargePart = (bytes: number) => [
    { type: 'file', mediaType: 'image/png', data: btoa('x'.repeat(bytes)) },
  ];

  it('can be 12 MiB if files are accepted, and a file in it 8 MiB', async () => {
    const { via, sent } = createFileApp();
    const most = 8 * 1024 * 1024;
    expect((await postAndRead(via, { message: createLargePart(most) })).status).toBe(200);
    expect(sent[0]).toMatchObject([{ size: most }]);
    const { status, answer } = await postAndRead(via, { message: [PNG_PART, ...createLargePart(most + 1)] });
    expect([status, answer.type, answer.detail]).toEqual([
      413,
      'urn:holdfast:problem:file-too-large',
      'message[1] is larger than 8388608 bytes.',
    ]);
    expect(sent.length).toBe(1);
  });

  it('has the usual limit if files are not accepted, or the limit of the app', async () => {
    const body = { message: 'x'.repeat(1_000_001) };
    const none = createFileApp({ accepts: [] });
    expect((await postAndRead(none.via, body)).answer.detail).toBe(
      'The body is larger than 1000000 bytes. Send less.',
    );
    expect((await postAndRead(createFileApp().via, body)).status).toBe(200);
    const generous = createFileApp({ http: { maxBodyBytes: 13 * 1024 * 1024 } });
    expect((await postAndRead(generous.via, { message: 'x'.repeat(12.5 * 1024 * 1024) })).status).toBe(200);
  });

  it('is limited while it is read, even without a declared length', async () => {
    const { via } = createFileApp();
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled >= 20 * 1024 * 1024) return controller.close();
        pulled += chunk.byteLength;
        controller.enqueue(chunk.slice());
      },
    });
    const headers = { 'content-type': 'application/json' };
    const response = await via(`${createSessionPath('seer')}/messages`, { method: 'POST', headers, body });
    expect(response.status).toBe(413);
    expect(await readJson(response)).toMatchObject({
      type: 'urn:holdfast:problem:body-too-large',
      detail: 'The body is larger than 12582912 bytes. Send less.',
    });
    expect(pulled).toBeGreaterThan(12 * 1024 * 1024);
    expect(pulled).toBeLessThanOrEqual(12 * 1024 * 1024 + 4 * chunk.byteLength);
  });
});
