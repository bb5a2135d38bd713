/** Files in a bucket of R2, as the example keeps them. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../../src/create-holdfast.ts';
import { r2Files } from '../../../../src/examples/files-in-r2/r2-files.ts';
import worker, { TurnRunner } from '../../../../src/examples/files-in-r2/worker.ts';
import { fileStoreContract } from '../../../fixtures/file-store-contract.ts';
import { startOf } from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness } from '../durable-objects/object-harness.ts';
import { asDescribed } from '../http/as-described.ts';
import { json, newSession, ORIGIN, type Send, sessionName } from '../http/client.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly FILES: R2Bucket;
    }
  }
}

const prefix = (session: string): string => `${encodeURIComponent(session)}/`;
const count = async (session: string): Promise<number> =>
  (await env.FILES.list({ prefix: prefix(session) })).objects.length;

fileStoreContract('files in R2', () => ({ store: r2Files(env.FILES), count }));

it('a file in R2 has its media type, below its session', async () => {
  const session = JSON.stringify(['owner', 'agent', crypto.randomUUID()]);
  await r2Files(env.FILES).put({ session, id: 'a' }, new Uint8Array(3), 'image/png');
  const [object] = (await env.FILES.list({ prefix: prefix(session), include: ['httpMetadata'] })).objects;
  expect(object?.key).toBe(`${prefix(session)}a`);
  expect(object?.httpMetadata?.contentType).toBe('image/png');
});

it('files in R2 are deleted however many pages the bucket lists', async () => {
  const keys = new Set(Array.from({ length: 2_500 }, (_, i) => `s/${i}`));
  const bucket = {
    list: async () => ({
      objects: [...keys].slice(0, 1_000).map((key) => ({ key })),
      truncated: keys.size > 1_000,
    }),
    delete: async (gone: string[]) => {
      for (const key of gone) keys.delete(key);
    },
  };
  await r2Files(bucket as never).delete('s'); // it has what is called
  expect(keys.size).toBe(0);
});

const via: Send = asDescribed(async (path, init) => {
  const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // which nobody reads
  return worker.fetch(request, { ...env }, createExecutionContext());
});

it('an erased session leaves nothing in R2', async () => {
  const session = newSession('reader');
  const name = sessionName(session);
  await r2Files(env.FILES).put({ session: name, id: 'a' }, new Uint8Array(3), 'image/png');
  const files = [{ id: 'a', mediaType: 'image/png', size: 3 }];
  await env.SESSIONS.getByName(name).acceptWithFiles({ ...startOf('t1'), delayMs: 60_000, files });
  expect((await via(session, { method: 'DELETE' })).status).toBe(204);
  expect(await count(name)).toBe(0);
  expect(await env.SESSIONS.getByName(name).read({ from: 1 })).toBeNull();
});

it('the runner deletes in R2 what an object asks it to', async () => {
  const { name } = makeObjectHarness();
  await r2Files(env.FILES).put({ session: name, id: 'a' }, new Uint8Array(3), 'image/png');
  await new TurnRunner(createExecutionContext(), { ...env }).deleteFiles(name);
  expect(await count(name)).toBe(0);
});

it('a Worker without the bucket says so', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { FILES: _, ...more } = env;
  const unbound: object = more;
  const request = new Request(`${ORIGIN}${newSession('reader')}`) as Request<
    unknown,
    IncomingRequestCfProperties
  >;
  const response = await worker.fetch(request, unbound, createExecutionContext());
  expect([response.status, (await json(response)).detail]).toEqual([
    500,
    'This Worker has no R2 bucket FILES. Bind one in wrangler.toml.',
  ]);
  expect(log.mock.calls).toEqual([
    [expect.stringMatching(/^holdfast: request [0-9a-f]{16} failed$/), expect.any(ConfigurationError)],
  ]);
  log.mockRestore();
});
