/** Files in an R2 bucket, as in the example. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../../src/create-holdfast.ts';
import { createR2Files } from '../../../../src/examples/files-in-r2/r2-files.ts';
import worker, { TurnRunner } from '../../../../src/examples/files-in-r2/worker.ts';
import type { SessionFilesKey } from '../../../../src/modules/files/entry.ts';
import { testFileStoreContract } from '../../../fixtures/file-store-contract.ts';
import { makeObjectHarness } from '../durable-objects/object-harness.ts';
import { createSessionPath, ORIGIN, readJson } from '../http/client.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly FILES: R2Bucket;
    }
  }
}

const getPrefix = ({ session, incarnation }: SessionFilesKey): string =>
  `${encodeURIComponent(session)}/${incarnation}/`;
const countFiles = async (key: SessionFilesKey): Promise<number> =>
  (await env.FILES.list({ prefix: getPrefix(key) })).objects.length;

testFileStoreContract('files in R2', () => ({ store: createR2Files(env.FILES), count: countFiles }));

it('a file in R2 has its media type, and a key that begins with its session', async () => {
  const key = { session: JSON.stringify(['owner', 'agent', crypto.randomUUID()]), incarnation: 'i1' };
  await createR2Files(env.FILES).put({ ...key, id: 'a' }, new Uint8Array(3), 'image/png');
  const [object] = (await env.FILES.list({ prefix: getPrefix(key), include: ['httpMetadata'] })).objects;
  expect(object?.key).toBe(`${getPrefix(key)}a`);
  expect(object?.httpMetadata?.contentType).toBe('image/png');
});

it('files in R2 are deleted even if the bucket lists them in several pages', async () => {
  const keys = new Set(Array.from({ length: 2_500 }, (_, i) => `s/i1/${i}`));
  const bucket = {
    list: async () => ({
      objects: [...keys].slice(0, 1_000).map((key) => ({ key })),
      truncated: keys.size > 1_000,
    }),
    delete: async (gone: string[]) => {
      for (const key of gone) keys.delete(key);
    },
  };
  await createR2Files(bucket as never).deleteAll({ session: 's', incarnation: 'i1' }); // only these methods are called
  expect(keys.size).toBe(0);
});

it('the runner deletes the R2 files that an object requests', async () => {
  const { name } = makeObjectHarness();
  const key = { session: name, incarnation: 'i1' };
  for (const id of ['a', 'b', 'c'])
    await createR2Files(env.FILES).put({ ...key, id }, new Uint8Array(3), 'image/png');
  const runner = new TurnRunner(createExecutionContext(), { ...env });
  const row = { name, module: 'files', key: '', ref: 'i1', attempt: 1 };
  const stale = { incarnation: 'i1' };
  const copies = ['a', 'b'].map((id) => ({ id, version: 0 }));
  expect(await runner.due({ ...row, stale: { ...stale, copies } })).toBe('done');
  expect(await countFiles(key)).toBe(1);
  expect(await runner.due({ ...row, stale })).toBe('done');
  expect(await countFiles(key)).toBe(0);
});

it('a Worker without the bucket returns a 500 that explains how to bind one', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { FILES: _, ...more } = env;
  const unbound: Readonly<Record<string, unknown>> = more;
  const request = new Request(`${ORIGIN}${createSessionPath('reader')}`) as Request<
    unknown,
    IncomingRequestCfProperties
  >;
  const response = await worker.fetch(request, unbound, createExecutionContext());
  expect([response.status, (await readJson(response)).detail]).toEqual([
    500,
    'This Worker has no R2 bucket FILES. Bind one in wrangler.toml.',
  ]);
  expect(log.mock.calls).toEqual([
    [expect.stringMatching(/^holdfast: request [0-9a-f]{16} failed$/), expect.any(ConfigurationError)],
  ]);
  log.mockRestore();
});
