import { describe, expect, it } from 'vitest';
import {
  defineWebhook,
  githubWebhook,
  standardWebhook,
  verified,
  WebhookRefusal,
} from '../../../../src/modules/webhooks/entry.ts';
import { readBytes } from '../../../doors/http.ts';
import { ENV, NO_SECRET_REASON } from '../../../fixtures/arrive.ts';
import { STANDARD_SECRET, signAsStandard } from '../../../fixtures/signed.ts';
import { createTestApp } from './app.ts';
import type { Send } from './client.ts';
import {
  config,
  createHookProblem,
  createIssueBody,
  deliver,
  expectProblem,
  plainWebhook,
  signIssue,
} from './hook-deliveries.ts';

/** Sends a body that counts its bytes as they are read. */
async function deliverCounted(app: Send, headers: Readonly<Record<string, string>>, path = '/hooks/github') {
  let pulled = 0;
  const body = new ReadableStream(
    {
      pull(stream) {
        pulled += 1;
        stream.enqueue(new Uint8Array(400));
        if (pulled === 5) stream.close();
      },
    },
    { highWaterMark: 0 },
  );
  const response = await app(path, { method: 'POST', headers, body });
  return { response, pulled };
}

describe('the body of a delivery', () => {
  const MISSING = createHookProblem(
    401,
    'invalid-signature',
    'X-Hub-Signature-256 is missing. Set the secret of the webhook to the one of this Worker.',
  );

  it('is not read if there is no signature', async () => {
    const { response, pulled } = await deliverCounted(plainWebhook, {});
    await expectProblem(response, MISSING);
    expect(pulled).toBe(0);
  });

  it('is not read if the signature cannot be checked', async () => {
    const bare = createTestApp({ use: [githubWebhook({ ...config, secret: 'UNSET' })] }, ENV);
    const { response, pulled } = await deliverCounted(bare, {
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    });
    await expectProblem(response, createHookProblem(503, 'not-configured', NO_SECRET_REASON));
    expect(pulled).toBe(0);
  });

  it('is not read if an app’s webhook refuses it', async () => {
    const webhook = defineWebhook({
      name: 'own',
      agent: 'scripted',
      admit({ headers }) {
        if (!headers.has('x-signature'))
          throw new WebhookRefusal('invalid-signature', 'X-Signature is missing.');
      },
      verify: () => verified(crypto.randomUUID(), null),
      start: () => ({ session: 's', message: 'Hello' }),
    });
    const own = createTestApp({ use: [webhook] });
    const away = await deliverCounted(own, {}, '/hooks/own');
    await expectProblem(
      away.response,
      createHookProblem(401, 'invalid-signature', 'X-Signature is missing.'),
    );
    expect(away.pulled).toBe(0);
    const taken = await deliverCounted(own, { 'x-signature': 'x' }, '/hooks/own');
    expect([taken.response.status, taken.pulled]).toEqual([202, 5]);
  });

  it('is read if its signature must be checked', async () => {
    const { headers } = await signIssue();
    expect((await deliverCounted(plainWebhook, headers)).pulled).toBe(5);
  });
});

describe('a body', () => {
  const createRequest = (chunks: AsyncIterable<Uint8Array>): Request =>
    ({ headers: new Headers(), body: chunks }) as unknown as Request; // only these properties are used

  it('is copied from chunks that reuse one buffer', async () => {
    async function* yieldOneBuffer(): AsyncGenerator<Uint8Array> {
      const buffer = new Uint8Array(4096); // harmless to a reader that copies
      for (const byte of [65, 66, 67]) {
        buffer[0] = byte;
        yield buffer.subarray(0, 1);
      }
    }
    const bytes = await readBytes(createRequest(yieldOneBuffer()), 100);
    expect(new TextDecoder().decode(bytes)).toBe('ABC');
    expect(bytes.buffer.byteLength).toBe(3);
  });

  it.each([1, 7, 4_096, 20_000, 100_000])('is read completely from chunks of %i bytes', async (size) => {
    const sent = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);
    async function* streamChunks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < sent.length; at += size) yield sent.subarray(at, at + size);
    }
    expect(await readBytes(createRequest(streamChunks()), 100_000)).toEqual(sent);
    await expect(readBytes(createRequest(streamChunks()), 99_999)).rejects.toMatchObject({ status: 413 });
  });

  it('is refused permanently if it is nested too deeply, even if it is signed', async () => {
    const app = createTestApp(
      {
        use: [githubWebhook(config), standardWebhook({ agent: 'scripted', secret: 'STANDARD_SECRET' })],
      },
      ENV,
    );
    const createNestedBody = (depth: number): string =>
      `{"type":"x","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const send = (depth: number): Promise<Response> =>
      deliver(
        app,
        signAsStandard(crypto.randomUUID(), { secret: STANDARD_SECRET, body: createNestedBody(depth) }),
        '/hooks/standard',
      );
    const tooDeep = createHookProblem(400, 'bad-json', 'The body is nested more than 100 deep.');
    await expectProblem(await send(50_000), tooDeep);
    await expectProblem(await send(100), tooDeep);
    expect((await send(99)).status).toBe(202);
    const form = `payload=${encodeURIComponent(createIssueBody({ deep: JSON.parse(createNestedBody(100)) }))}`;
    const inForm = createHookProblem(400, 'bad-json', 'The field payload is nested more than 100 deep.');
    await expectProblem(await deliver(app, await signIssue(form)), inForm);
  });
});
