/** An upload over the body limit, on a raw connection. */
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker('test/full/files/file-worker.ts');
});
afterAll(() => worker.stop());

const MIB = 1024 * 1024;

it('an upload of 20 MB is refused before the client has sent all of it', async () => {
  const sending = request(new URL('/agents/seer/sessions/s1/messages', worker.url).href, {
    method: 'POST',
    // A chunked request without a `content-length`.
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  const answered = once(sending, 'response');
  // Errors of the connection after the response are not part of this test.
  sending.on('error', () => {});
  sending.write(
    '--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\ncontent-type: image/png\r\n\r\n',
  );
  // The request never ends, so the server must not wait for its end.
  const chunk = Buffer.alloc(MIB);
  for (let sent = 0; sent < 13; sent += 1)
    if (!sending.write(chunk)) await Promise.race([once(sending, 'drain'), answered]);
  const [response] = await answered;
  expect(response.statusCode).toBe(413);
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  expect(JSON.parse(text)).toMatchObject({
    type: 'urn:holdfast:problem:body-too-large',
    detail: 'The body is larger than 12582912 bytes. Send less.',
  });
  sending.destroy();
});
