/** Whether wrangler takes the production environment of `wrangler.toml`; nothing is sent anywhere. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

let out = '';
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'holdfast-production-'));
});
afterAll(() => rm(out, { recursive: true }));

it.each([
  ['production', ['SESSIONS (SessionObject)', 'TURNS (holdfast-turns)', 'LEASE_MS', 'MODEL']],
  ['', ['SESSIONS (SessionObject)', 'LEASE_MS', 'MODEL']],
])("a deployment to the environment '%s' has its bindings", async (environment, bindings) => {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  const args = [wrangler, 'deploy', '--dry-run', '--env', environment, '--outdir', out];
  const { stdout, stderr } = await run(process.execPath, args, {
    cwd: root,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1' },
  });
  expect(stderr).toBe('');
  const found = [...stdout.matchAll(/^env\.(\w+( \([\w-]+\))?)/gm)].map(([, binding]) => binding);
  expect(found.toSorted()).toEqual(bindings.toSorted());
});
