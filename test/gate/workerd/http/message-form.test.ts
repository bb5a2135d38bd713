/** Messages that are sent as forms with files. */
import { describe, expect, it } from 'vitest';
import { journal, json, newSession, type Send, send } from './client.ts';
import { bytesOf, fileApp, idOf } from './file-app.ts';

const png = (text = 'a png', name = 'chart.png') => new File([text], name, { type: 'image/png' });

/** A form of these fields, in their order. */
function formOf(...fields: readonly (readonly [name: string, value: string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

const sendForm = (
  via: Send,
  body: FormData | string,
  { session = newSession('seer'), headers = {} }: { session?: string; headers?: Record<string, string> } = {},
) => via(`${session}/messages`, { method: 'POST', headers, body });

describe('a form', () => {
  it('is a message whose files follow its text, in their order', async () => {
    const { via, sent } = fileApp();
    const session = newSession('seer');
    const form = formOf(
      ['b', png('second')],
      ['message', 'What are these?'],
      ['context', '{"order":7}'],
      ['a', png('third', '../bild ä.png')],
      ['loopId', 'loop-1'],
      ['b', new File(['fourth'], 'd.pdf', { type: 'Application/PDF' })],
    );
    const response = await sendForm(via, form, { session });
    expect([response.status, (await json(response)).text]).toEqual([200, 'Seen.']);
    const [id2, id3, id4] = [await idOf('second'), await idOf('third'), await idOf('fourth')];
    expect((await journal(session, via))[1]).toMatchObject({
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
    expect(sent[0]?.map(({ bytes }) => bytes)).toEqual(['second', 'third', 'fourth'].map(bytesOf));
  });

  it('can omit the text if it has a file, and can omit files', async () => {
    const { via } = fileApp();
    const sessions = [newSession('seer'), newSession('seer')] as const;
    await sendForm(via, formOf(['file', png()]), { session: sessions[0] });
    await sendForm(via, formOf(['message', 'Hello.']), { session: sessions[1] });
    const [alone, words] = await Promise.all(sessions.map(async (one) => (await journal(one, via))[1]));
    expect(alone).toMatchObject({ message: '', parts: [{ type: 'file', id: await idOf('a png') }] });
    expect(words).toMatchObject({ message: 'Hello.' });
    expect(words).not.toHaveProperty('parts');
  });

  it('schedules its turn', async () => {
    const { via } = fileApp();
    const response = await sendForm(via, formOf(['message', 'Later.'], ['delaySeconds', '3600']));
    expect([response.status, await json(response)]).toMatchObject([202, { status: 'scheduled' }]);
  });

  it('can contain the empty file input of a page', async () => {
    const { via, sent } = fileApp();
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
    ['without content', formOf(), ['message: is missing']],
    ['of blank text', formOf(['message', ' \n']), ['message: must be text that is not blank']],
    ['with two messages', formOf(['message', 'a'], ['message', 'b']), ['message: appears more than once']],
    [
      'with a file as its message',
      formOf(['message', png()]),
      ['message: must be text. Send files in other fields', 'message: is missing'],
    ],
    ['with an unknown field', formOf(['message', 'a'], ['x', 'y']), ['x: is not known here']],
    ['with a prototype', formOf(['message', 'a'], ['__proto__', '{}']), ['__proto__: is not known here']],
    [
      'with a context that is not JSON',
      formOf(['message', 'a'], ['context', '{']),
      ['context: must be a JSON object'],
    ],
    [
      'with a context that is a list',
      formOf(['message', 'a'], ['context', '[]']),
      ['context: must be a JSON object'],
    ],
    ['with an invalid delay', formOf(['message', 'a'], ['delaySeconds', 'soon']), [delayRule]],
    ['with a blank delay', formOf(['message', 'a'], ['delaySeconds', '']), [delayRule]],
    [
      'with an empty file',
      formOf(['f', new File([], 'a.png', { type: 'image/png' })]),
      ['files[0]: is empty'],
    ],
    [
      'with a file of an invalid type',
      formOf(['f', png()], ['g', new File(['x'], 'x', { type: 'png' })]),
      ['files[1]: needs a Content-Type such as image/png'],
    ],
    [
      'with too many files',
      formOf(...Array.from({ length: 101 }, () => ['f', png()] as const)),
      ['files: must be at most 100', 'message: is missing'],
    ],
    [
      'with many fields, of which the first are named',
      formOf(['message', 'a'], ...Array.from({ length: 5_000 }, (_, i) => [`x${i % 50}`, 'y'] as const)),
      [
        ...Array.from({ length: 10 }, (_, i) => `x${i}: appears more than once`),
        ...Array.from({ length: 10 }, (_, i) => `x${i}: is not known here`),
      ],
    ],
    [
      'with every problem',
      formOf(['message', ' '], ['context', '1'], ['loopId', 'a b'], ['x', 'y'], ['x', 'z']),
      [
        'x: appears more than once',
        'message: must be text that is not blank',
        'context: must be a JSON object',
        'loopId: must be 1 to 128 of the characters A-Z a-z 0-9 _ . : -',
        'x: is not known here',
      ],
    ],
  ])('%s is refused with every problem', async (_, form, problems) => {
    const { via, sent } = fileApp();
    const response = await sendForm(via, form);
    expect([response.status, (await json(response)).problems]).toEqual([422, problems]);
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
    const { via } = fileApp();
    const response = await sendForm(via, body, { headers: { 'content-type': type } });
    expect([response.status, await json(response)]).toMatchObject([
      400,
      {
        type: 'urn:holdfast:problem:bad-form',
        detail: 'The body is not multipart/form-data as its Content-Type says.',
      },
    ]);
  });

  it('is refused if it is larger than the body limit', async () => {
    const form = formOf(['f', png('x'.repeat(13 * 1024 * 1024))]);
    const response = await sendForm(fileApp().via, form);
    expect([response.status, (await json(response)).detail]).toEqual([
      413,
      'The body is larger than 12582912 bytes. Send less.',
    ]);
  });

  it('is refused if a file is larger than the file limit', async () => {
    const form = formOf(['f', png()], ['f', png('x'.repeat(8 * 1024 * 1024 + 1), 'big.png')]);
    const response = await sendForm(fileApp().via, form);
    expect([response.status, (await json(response)).detail]).toEqual([
      413,
      'files[1] ("big.png") is larger than 8388608 bytes.',
    ]);
  });

  it('is refused if it has a file and the agent accepts no files', async () => {
    const form = formOf(['message', 'Hello.'], ['f', png()]);
    const response = await sendForm(send, form, { session: newSession() });
    expect([response.status, (await json(response)).detail]).toEqual([
      415,
      'files[0] ("chart.png") is image/png, sent as bytes. The agent accepts no files.',
    ]);
  });
});

describe('the idempotency key of a form', () => {
  const keyed = { 'idempotency-key': 'k1' };

  it('recognizes the form again with any boundary', async () => {
    const { via } = fileApp();
    const session = newSession('seer');
    const form = () => formOf(['message', 'Hello.'], ['context', '{"a":1}'], ['f', png()]);
    const first = await json(await sendForm(via, form(), { session, headers: keyed }));
    const again = await json(await sendForm(via, form(), { session, headers: keyed }));
    expect(first).toMatchObject({ outcome: 'completed' });
    expect(again).toEqual(first);
  });

  it.each([
    ['another message', formOf(['message', 'Bye.'], ['context', '{"a":1}'], ['f', png()])],
    ['another context', formOf(['message', 'Hello.'], ['context', '{"a":2}'], ['f', png()])],
    ['another file', formOf(['message', 'Hello.'], ['context', '{"a":1}'], ['f', png('other')])],
    ['another file name', formOf(['message', 'Hello.'], ['context', '{"a":1}'], ['f', png('a png', 'b')])],
    ['no file', formOf(['message', 'Hello.'], ['context', '{"a":1}'])],
    ['another loop id', formOf(['message', 'Hello.'], ['context', '{"a":1}'], ['loopId', 'x'], ['f', png()])],
  ])('is refused for %s', async (_, other) => {
    const { via } = fileApp();
    const session = newSession('seer');
    const form = formOf(['message', 'Hello.'], ['context', '{"a":1}'], ['f', png()]);
    await json(await sendForm(via, form, { session, headers: keyed }));
    const response = await sendForm(via, other, { session, headers: keyed });
    expect([response.status, (await json(response)).type]).toEqual([
      422,
      'urn:holdfast:problem:idempotency-key-reused',
    ]);
  });
});
