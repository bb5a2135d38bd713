/** Forms at their own route, `.../forms`, as generated clients send them. */
import { describe, expect, it } from 'vitest';
import { createTestApp } from './app.ts';
import { createSessionPath, readJournal, readJson, type Send } from './client.ts';
import { computeFileId, createFileAgent, createFileApp } from './file-app.ts';

const createPng = (text = 'a png', name = 'chart.png') => new File([text], name, { type: 'image/png' });

/** A form with the message and the files in the described fields. */
function createForm({ message, files = [] }: { message?: string; files?: readonly File[] }): FormData {
  const form = new FormData();
  if (message !== undefined) form.append('message', message);
  for (const file of files) form.append('files', file);
  return form;
}

const sendForm = (
  via: Send,
  body: FormData | string,
  {
    session = createSessionPath('seer'),
    headers = {},
  }: { session?: string; headers?: Record<string, string> } = {},
) => via(`${session}/forms`, { method: 'POST', headers, body });

const createProblem = (type: string, status: number, detail: string, more: object = {}) => ({
  type: `urn:holdfast:problem:${type}`,
  title: type.replaceAll('-', ' '),
  status,
  detail,
  ...more,
});

describe('POST .../forms', () => {
  it('runs a turn of a message with files, in the fields that generated clients fill', async () => {
    const { via } = createFileApp();
    const session = createSessionPath('seer');
    const form = createForm({
      message: 'What are these?',
      files: [createPng(), createPng('another', 'b.png')],
    });
    const response = await sendForm(via, form, { session });
    expect([response.status, await readJson(response)]).toMatchObject([
      200,
      { outcome: 'completed', text: 'Seen.' },
    ]);
    expect((await readJournal(session, via))[1]).toMatchObject({
      message: 'What are these?',
      parts: [
        { type: 'text', text: 'What are these?' },
        {
          type: 'file',
          mediaType: 'image/png',
          name: 'chart.png',
          id: await computeFileId('a png'),
          size: 5,
        },
        { type: 'file', mediaType: 'image/png', name: 'b.png', id: await computeFileId('another'), size: 7 },
      ],
    });
  });

  it('shares idempotency keys with `.../messages`, so that the turn runs once', async () => {
    const { via, sent } = createFileApp();
    const session = createSessionPath('seer');
    const createInit = () => ({
      method: 'POST',
      headers: { 'idempotency-key': 'k1' },
      body: createForm({ message: 'Hello.', files: [createPng()] }),
    });
    const first = await readJson(await via(`${session}/forms`, createInit()));
    expect(await readJson(await via(`${session}/messages`, createInit()))).toEqual(first);
    expect((await readJournal(session, via)).filter(({ type }) => type === 'turn-started')).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'returns 415 for a body that is %s, and explains what to send',
    async (type) => {
      const response = await sendForm(createFileApp().via, 'message=Hello', {
        headers: { 'content-type': type },
      });
      expect(response.headers.get('accept')).toBe('application/json, multipart/form-data');
      expect(await readJson(response)).toMatchObject(
        createProblem(
          'unsupported-media-type',
          415,
          'Send the body as application/json or multipart/form-data.',
        ),
      );
    },
  );

  it('returns 400 for a form that does not match its Content-Type', async () => {
    const headers = { 'content-type': 'multipart/form-data' };
    expect(await readJson(await sendForm(createFileApp().via, 'message=Hello', { headers }))).toMatchObject(
      createProblem('bad-form', 400, 'The body is not multipart/form-data, contrary to its Content-Type.'),
    );
  });

  it('returns 422 for a form without a message and without files, and reports the field', async () => {
    expect(await readJson(await sendForm(createFileApp().via, createForm({})))).toMatchObject(
      createProblem('invalid-body', 422, 'The body is not valid: message: is missing.', {
        problems: ['message: is missing'],
      }),
    );
  });

  it('returns 413 for a form that exceeds the body limit', async () => {
    const form = createForm({ message: 'See.', files: [createPng('x'.repeat(13 * 1024 * 1024))] });
    expect(await readJson(await sendForm(createFileApp().via, form))).toMatchObject(
      createProblem('body-too-large', 413, 'The body is larger than 12582912 bytes. Send less.'),
    );
  });

  it('returns 413 for a file that exceeds the file limit, and reports the file', async () => {
    const form = createForm({
      message: 'See.',
      files: [createPng(), createPng('x'.repeat(8 * 1024 * 1024 + 1), 'big.png')],
    });
    expect(await readJson(await sendForm(createFileApp().via, form))).toMatchObject(
      createProblem('file-too-large', 413, 'files[1] ("big.png") is larger than 8388608 bytes.'),
    );
  });

  it('returns 415 for a file of a type that the agent does not accept, and lists the accepted types', async () => {
    const form = createForm({
      message: 'See.',
      files: [new File(['x'], 'a.zip', { type: 'application/zip' })],
    });
    const response = await sendForm(createFileApp().via, form);
    expect(await readJson(response)).toMatchObject(
      createProblem(
        'unsupported-media-type',
        415,
        'files[0] ("a.zip") is application/zip, sent as bytes. The agent accepts image/png, image/webp, image/svg+xml, ' +
          'application/pdf, text/*, application/json, application/xml and application/yaml as bytes, and image/* by URL.',
      ),
    );
  });

  it('does not exist in an app without the `files` module', async () => {
    const response = await sendForm(
      createTestApp({ agents: [createFileAgent()] }),
      createForm({ message: 'Hello.' }),
    );
    expect(await readJson(response)).toEqual(
      createProblem('unknown-route', 404, 'This path is unknown. GET / shows where to start.'),
    );
  });
});
