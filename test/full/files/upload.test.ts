/** An upload that is larger than a body may be, over a connection. */
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

it('an upload of 20 MB is refused before all of it was sent', async () => {
  const sending = request(new URL('/agents/seer/sessions/s1/messages', worker.url).href, {
    method: 'POST',
    // Without a length: it goes in chunks.
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  const answered = once(sending, 'response');
  // What comes of the connection after the answer is nothing to this test.
  sending.on('error', () => {});
  sending.write(
    '--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\ncontent-type: image/png\r\n\r\n',
  );
  // It is never ended: whoever waits for its end waits for ever.
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
