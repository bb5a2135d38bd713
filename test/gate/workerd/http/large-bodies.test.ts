/** Bodies that may be large only because of their files. */
import { describe, expect, it } from 'vitest';
import { createSessionPath, post, readJson } from './client.ts';
import { createFileApp } from './file-app.ts';

const TOO_LARGE_PROBLEM = {
  status: 413,
  type: 'urn:holdfast:problem:body-too-large',
  detail: 'Without its files, the body is larger than 1000000 bytes. Send less, or send long text as a file.',
};

/** A message with a file of this many base64 characters. */
const withFile = (characters: number, more: object = {}): string =>
  JSON.stringify({
    message: [
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType: 'image/png', data: 'A'.repeat(characters) },
    ],
    ...more,
  });

const sendJson = (body: string) => {
  const { via } = createFileApp();
  return post(createSessionPath('seer'), body, { via });
};

describe('a JSON body for an agent that accepts files', () => {
  it('can be large because of a file', async () => {
    expect((await sendJson(withFile(8_000_000))).status).toBe(200);
  });

  it.each<[string, string]>([
    ['of many empty lists', withFile(4, { context: { a: '' } }).replace('""', `[${'[],'.repeat(400_000)}1]`)],
    [
      'of many short texts',
      withFile(4, { context: { a: '' } }).replace('""', `[${'"b",'.repeat(400_000)}1]`),
    ],
    [
      'of many texts with quotes in them',
      withFile(4, { context: { a: '' } }).replace('""', `[${'"\\\\",'.repeat(400_000)}1]`),
    ],
    ['of spaces', `${' '.repeat(1_000_001)}${withFile(4)}`],
    ['of a long text', JSON.stringify({ message: [{ type: 'text', text: 'a'.repeat(1_000_001) }] })],
  ])('cannot be large because %s', async (_, body) => {
    const response = await sendJson(body);
    expect(await readJson(response)).toMatchObject(TOO_LARGE_PROBLEM);
  });

  it('can have quotes and backslashes in a long text, and is invalid JSON if it is cut off', async () => {
    const text = `${'\\"'.repeat(300_000)}"`.slice(0, 500_000);
    const said = JSON.stringify({ message: [{ type: 'text', text: `Look. ${text}` }] });
    expect((await sendJson(said)).status).toBe(200);
    const unended = `{"message":"${'\\"'.repeat(700_000)}`;
    expect(await readJson(await sendJson(unended))).toMatchObject({
      status: 400,
      detail: 'The body is not JSON.',
    });
  });
});

it.each(['message', 'context'])('the form field %s cannot be as large as a file', async (field) => {
  const { via } = createFileApp();
  const form = new FormData();
  form.append(field, 'a'.repeat(1_000_001));
  form.append('file', new File(['a png'], 'a.png', { type: 'image/png' }));
  const response = await via(`${createSessionPath('seer')}/messages`, { method: 'POST', body: form });
  expect(await readJson(response)).toMatchObject(TOO_LARGE_PROBLEM);
});
