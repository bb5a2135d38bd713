/** What others make of the description that an app serves. Runs in Node, over a bundle of an app as its Worker has it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { build, type Plugin } from 'esbuild';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** An app with all that may have routes. */
const APP = `
  import { defineAgent } from './src/index.ts';
  import { createHoldfast } from './src/create-holdfast.ts';
  import { defineMcpEndpoint } from './src/mcp/entry.ts';
  const agent = defineAgent({ name: 'scout', description: 'Looks.', instructions: 'Look.' });
  const mcp = defineMcpEndpoint({ name: 'scouts', version: '1', agents: [agent] });
  export default createHoldfast({ agents: [agent], mcp, auth: () => ({ id: 'somebody' }) }).worker;
`;

/** What the platform has, and nothing of it is used by a description. */
const platform: Plugin = {
  name: 'platform',
  setup(building) {
    building.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'platform' }));
    building.onLoad({ filter: /.*/, namespace: 'platform' }, () => ({
      contents: 'export class WorkerEntrypoint {} export const env = {}, exports = {}; export function waitUntil() {}',
    }));
  },
};

/** The text of what the app serves. */
async function served(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: APP, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    plugins: [platform],
  });
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'worker.mjs');
  await writeFile(file, outputFiles[0]?.contents ?? '');
  const { default: worker } = await import(file);
  await rm(folder, { recursive: true });
  const response: Response = await worker.fetch(new Request('http://localhost/openapi.json'), {}, { waitUntil() {} });
  expect(response.status).toBe(200);
  return response.text();
}

it('redocly finds nothing to say about it, by the rules that it recommends', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: await served(), config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`),
  ).toEqual([]);
});
