/** Hostile messages with files: each is accepted or refused, without an internal error. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createSessionPath, readJson, type Send } from './client.ts';
import { computeFileId, createFileApp, readContent } from './file-app.ts';

const SEED = 20261123;

const anyValue = fc.anything({ withBigInt: false, withNullPrototype: true });
const drawOftenOr = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: other });

const mediaType = fc.constantFrom('image/png', 'text/plain', 'IMAGE/png; a=b', 'image/*', 'video/mp4', '');
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => btoa(String.fromCharCode(...bytes)));
const address = fc.oneof(
  base64.map((data) => `data:image/png;base64,${data}`),
  fc.constantFrom(
    'https://a.example/b',
    'http://a.example',
    'https://u:p@a.example',
    'data:,x',
    'data:',
    'blob:x',
  ),
  fc.webUrl(),
);
const file = fc.record(
  {
    type: fc.constant('file'),
    mediaType,
    data: drawOftenOr<unknown>(base64, address),
    name: fc.string({ unit: 'binary' }),
  },
  { requiredKeys: ['type', 'mediaType', 'data'] },
);
const almostFile = fc.record(
  {
    type: fc.constant('file'),
    mediaType: drawOftenOr<unknown>(mediaType, anyValue),
    data: drawOftenOr<unknown>(base64, anyValue),
    url: drawOftenOr<unknown>(address, anyValue),
    name: drawOftenOr<unknown>(fc.string({ unit: 'binary' }), anyValue),
    other: fc.constant(1),
  },
  { requiredKeys: ['type'] },
);
const text = fc.record({
  type: fc.constant('text'),
  text: drawOftenOr<unknown>(fc.string({ unit: 'binary' }), anyValue),
});
const part = fc.oneof<fc.Arbitrary<unknown>[]>(text, file, file, almostFile);
const parts = fc.record({ message: fc.array(drawOftenOr<unknown>(part, anyValue), { maxLength: 4 }) });

/** A text that resembles a form. */
const field = fc.constantFrom(
  'content-disposition: form-data; name="message"\r\n\r\nHello.',
  'content-disposition: form-data; name="f"; filename="f.png"\r\ncontent-type: image/png\r\n\r\nbytes',
  'content-disposition: form-data; name="f"; filename=""\r\n\r\n',
  `content-disposition: form-data; name=f; filename*=UTF-8''%00\r\ncontent-type: image/png\r\n\r\nbytes`,
  'content-disposition: form-data; name="f"; filename="f"\r\ncontent-type: \u0000\r\n\r\nbytes',
  'content-disposition: form-data; name="f"; filename="f"\r\ncontent-transfer-encoding: base64\r\n\r\neA==',
  'content-disposition: form-data\r\n\r\nnameless',
  'Hello.',
  '',
);
const almostForm = fc
  .array(field, { maxLength: 3 })
  .map((fields) => `${fields.map((one) => `--x\r\n${one}\r\n`).join('')}--x--\r\n`);

async function postAndCheck(via: Send, body: string, type: string): Promise<number> {
  const headers = { 'content-type': type };
  const response = await via(`${createSessionPath('seer')}/messages`, { method: 'POST', headers, body });
  const { status } = response;
  const answer = await readJson(response);
  expect([200, 400, 415, 422]).toContain(status);
  if (status >= 400) expect(answer).toMatchObject({ status, detail: expect.stringMatching(/\.$/) });
  return status;
}

it.each([
  ['parts', [200, 415, 422], parts.map((body) => ({ body: JSON.stringify(body), type: 'application/json' }))],
  ['a form', [200, 400, 422], almostForm.map((body) => ({ body, type: 'multipart/form-data; boundary=x' }))],
])(
  'an input that is almost %s is accepted or refused',
  async (_, expected, drawn) => {
    const log = vi.spyOn(console, 'error');
    const { via } = createFileApp();
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(drawn, async ({ body, type }) => {
        seen.add(await postAndCheck(via, body, type));
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect(log).not.toHaveBeenCalled();
    // Checks the test itself: the random inputs reached every outcome.
    expect([...seen].sort()).toEqual(expected);
    log.mockRestore();
  },
  60_000,
);

it('a file with any name has the headers of a download', async () => {
  const { via } = createFileApp({ accepts: ['application/pdf'] });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (name) => {
      const session = createSessionPath('seer');
      const message = [
        { type: 'file', mediaType: 'application/pdf', data: btoa(name.length.toString()), name },
      ];
      const sent = await via(`${session}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      });
      expect(sent.status).toBe(200);
      await sent.body?.cancel();
      const response = await via(`${session}/files/${await computeFileId(name.length.toString())}`);
      expect(await readContent(response)).toBe(name.length.toString());
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment(; filename="[\x20-\x21\x23\x24\x26-\x5b\x5d-\x7e]+"; filename\*=UTF-8''[\w!*.~%-]+)?$/,
      );
    }),
    { seed: SEED, numRuns: 100 },
  );
}, 60_000);
