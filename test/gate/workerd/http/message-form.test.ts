/** Messages sent as forms with files. */
import { describe, expect, it } from 'vitest';
import { createSessionPath, readJournal, readJson, type Send, send } from './client.ts';
import { computeFileId, createFileApp, toBytes } from './file-app.ts';

const createPng = (text = 'a png', name = 'chart.png') => new File([text], name, { type: 'image/png' });

/** A form with these fields in this order. */
function createForm(...fields: readonly (readonly [name: string, value: string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

const sendForm = (
  via: Send,
  body: FormData | string,
  {
    session = createSessionPath('seer'),
    headers = {},
  }: { session?: string; headers?: Record<string, string> } = {},
) => via(`${session}/messages`, { method: 'POST', headers, body });

describe('a form', () => {
  it('is a message whose files follow its text, in their order', async () => {
    const { via, sent } = createFileApp();
    const session = createSessionPath('seer');
    const form = createForm(
      ['b', createPng('second')],
      ['message', 'What are these?'],
      ['context', '{"order":7}'],
      ['a', createPng('third', '../bild ä.png')],
      ['loopId', 'loop-1'],
      ['b', new File(['fourth'], 'd.pdf', { type: 'Application/PDF' })],
    );
    const response = await sendForm(via, form, { session });
    expect([response.status, (await readJson(response)).text]).toEqual([200, 'Seen.']);
    const [id2, id3, id4] = [
      await computeFileId('second'),
      await computeFileId('third'),
      await computeFileId('fourth'),
    ];
    expect((await readJournal(session, via))[1]).toMatchObject({
      message: 'What are these?',
      parts: [
        { type: 'text', text: 'What are these?' },
        { type: 'file', mediaType: 'image/png', name: 'chart.png', id: id2, size: 6 },
        { type: 'file', mediaType: 'image/png', name: '../bild ä.png', id: id3, size: 5 },
        { type: 'file', mediaType: 'application/pdf', name: 'd.pdf', id: id4, size: 6 },
      ],
      context: { order: 7 },
      loopId: 'loop-1',
    });
    expect(sent[0]?.map(({ bytes }) => bytes)).toEqual(['second', 'third', 'fourth'].map(toBytes));
  });

  it('can omit the text if it has a file, and can omit files', async () => {
    const { via } = createFileApp();
    const sessions = [createSessionPath('seer'), createSessionPath('seer')] as const;
    await sendForm(via, createForm(['file', createPng()]), { session: sessions[0] });
    await sendForm(via, createForm(['message', 'Hello.']), { session: sessions[1] });
    const [alone, words] = await Promise.all(sessions.map(async (one) => (await readJournal(one, via))[1]));
    expect(alone).toMatchObject({ message: '', parts: [{ type: 'file', id: await computeFileId('a png') }] });
    expect(words).toMatchObject({ message: 'Hello.' });
    expect(words).not.toHaveProperty('parts');
  });

  it('schedules its turn', async () => {
    const { via } = createFileApp();
    const response = await sendForm(via, createForm(['message', 'Later.'], ['delaySeconds', '3600']));
    expect([response.status, await readJson(response)]).toMatchObject([202, { status: 'scheduled' }]);
  });

  it('can contain the empty file input of a page', async () => {
    const { via, sent } = createFileApp();
    const boundary = 'x';
    const body = [
      '--x\r\ncontent-disposition: form-data; name="message"\r\n\r\nHello.\r\n',
      '--x\r\ncontent-disposition: form-data; name="file"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n\r\n--x--\r\n',
    ].join('');
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    expect((await sendForm(via, body, { headers })).status).toBe(200);
    expect(sent).toEqual([[]]);
  });
});

const delayRule = 'delaySeconds: must be a number from 0 to 31536000 (365 days)';

describe('an invalid form', () => {
  it.each([
    ['without content', createForm(), ['message: is missing']],
    ['of blank text', createForm(['message', ' \n']), ['message: must be text that is not blank']],
    [
      'with two messages',
      createForm(['message', 'a'], ['message', 'b']),
      ['message: appears more than once'],
    ],
    [
      'with a file as its message',
      createForm(['message', createPng()]),
      ['message: must be text. Send files in other fields', 'message: is missing'],
    ],
    ['with an unknown field', createForm(['message', 'a'], ['x', 'y']), ['x: is not known here']],
    ['with a prototype', createForm(['message', 'a'], ['__proto__', '{}']), ['__proto__: is not known here']],
    [
      'with a context that is not JSON',
      createForm(['message', 'a'], ['context', '{']),
      ['context: must be a JSON object'],
    ],
    [
      'with a context that is a list',
      createForm(['message', 'a'], ['context', '[]']),
      ['context: must be a JSON object'],
    ],
    ['with an invalid delay', createForm(['message', 'a'], ['delaySeconds', 'soon']), [delayRule]],
    ['with a blank delay', createForm(['message', 'a'], ['delaySeconds', '']), [delayRule]],
    [
      'with an empty file',
      createForm(['f', new File([], 'a.png', { type: 'image/png' })]),
      ['files[0]: is empty'],
    ],
    [
      'with a file of an invalid type',
      createForm(['f', createPng()], ['g', new File(['x'], 'x', { type: 'png' })]),
      ['files[1]: needs a Content-Type such as image/png'],
    ],
    [
      'with too many files',
      createForm(...Array.from({ length: 101 }, () => ['f', createPng()] as const)),
      ['files: must be at most 100', 'message: is missing'],
    ],
    [
      'with many fields, of which the first are named',
      createForm(['message', 'a'], ...Array.from({ length: 5_000 }, (_, i) => [`x${i % 50}`, 'y'] as const)),
      [
        ...Array.from({ length: 10 }, (_, i) => `x${i}: appears more than once`),
        ...Array.from({ length: 10 }, (_, i) => `x${i}: is not known here`),
      ],
    ],
    [
      'with every problem',
      createForm(['message', ' '], ['context', '1'], ['loopId', 'a b'], ['x', 'y'], ['x', 'z']),
      [
        'x: appears more than once',
        'message: must be text that is not blank',
        'context: must be a JSON object',
        'loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -',
        'x: is not known here',
      ],
    ],
  ])('%s is refused with every problem', async (_, form, problems) => {
    const { via, sent } = createFileApp();
    const response = await sendForm(via, form);
    expect([response.status, (await readJson(response)).problems]).toEqual([422, problems]);
    expect(sent).toEqual([]);
  });

  it.each([
    ['without a boundary', 'multipart/form-data', '--x--'],
    ['with another boundary', 'multipart/form-data; boundary=y', '--x\r\n\r\n--x--'],
    [
      'that breaks off',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb',
    ],
    ['without a body', 'multipart/form-data; boundary=x', ''],
    ['whose field has no name', 'multipart/form-data; boundary=x', '--x\r\nx: y\r\n\r\nz\r\n--x--'],
  ])('%s is refused with 400', async (_, type, body) => {
    const { via } = createFileApp();
    const response = await sendForm(via, body, { headers: { 'content-type': type } });
    expect([response.status, await readJson(response)]).toMatchObject([
      400,
      {
        type: 'urn:holdfast:problem:bad-form',
        detail: 'The body is not multipart/form-data, contrary to its Content-Type.',
      },
    ]);
  });

  it('is refused if it is larger than the body limit', async () => {
    const form = createForm(['f', createPng('x'.repeat(13 * 1024 * 1024))]);
    const response = await sendForm(createFileApp().via, form);
    expect([response.status, (await readJson(response)).detail]).toEqual([
      413,
      'The body is larger than 12582912 bytes. Send less.',
    ]);
  });

  it('is refused if a file is larger than the file limit', async () => {
    const form = createForm(['f', createPng()], ['f', createPng('x'.repeat(8 * 1024 * 1024 + 1), 'big.png')]);
    const response = await sendForm(createFileApp().via, form);
    expect([response.status, (await readJson(response)).detail]).toEqual([
      413,
      'files[1] ("big.png") is larger than 8388608 bytes.',
    ]);
  });

  it('is refused if it has a file and the agent accepts no files', async () => {
    const form = createForm(['message', 'Hello.'], ['f', createPng()]);
    const response = await sendForm(send, form, { session: createSessionPath() });
    expect([response.status, (await readJson(response)).detail]).toEqual([
      415,
      'files[0] ("chart.png") is image/png, sent as bytes. The agent accepts no files.',
    ]);
  });
});

describe('the idempotency key of a form', () => {
  const keyed = { 'idempotency-key': 'k1' };

  it('recognizes the form again with any boundary', async () => {
    const { via } = createFileApp();
    const session = createSessionPath('seer');
    const createFullForm = () =>
      createForm(['message', 'Hello.'], ['context', '{"a":1}'], ['f', createPng()]);
    const first = await readJson(await sendForm(via, createFullForm(), { session, headers: keyed }));
    const again = await readJson(await sendForm(via, createFullForm(), { session, headers: keyed }));
    expect(first).toMatchObject({ outcome: 'completed' });
    expect(again).toEqual(first);
  });

  it.each([
    ['another message', createForm(['message', 'Bye.'], ['context', '{"a":1}'], ['f', createPng()])],
    ['another context', createForm(['message', 'Hello.'], ['context', '{"a":2}'], ['f', createPng()])],
    ['another file', createForm(['message', 'Hello.'], ['context', '{"a":1}'], ['f', createPng('other')])],
    [
      'another file name',
      createForm(['message', 'Hello.'], ['context', '{"a":1}'], ['f', createPng('a png', 'b')]),
    ],
    ['no file', createForm(['message', 'Hello.'], ['context', '{"a":1}'])],
    [
      'another loop id',
      createForm(['message', 'Hello.'], ['context', '{"a":1}'], ['loopId', 'x'], ['f', createPng()]),
    ],
  ])('is refused for %s', async (_, other) => {
    const { via } = createFileApp();
    const session = createSessionPath('seer');
    const form = createForm(['message', 'Hello.'], ['context', '{"a":1}'], ['f', createPng()]);
    await readJson(await sendForm(via, form, { session, headers: keyed }));
    const response = await sendForm(via, other, { session, headers: keyed });
    expect([response.status, (await readJson(response)).type]).toEqual([
      422,
      'urn:holdfast:problem:idempotency-key-reused',
    ]);
  });
});
