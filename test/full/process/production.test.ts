/** Wrangler's build of this repository's Worker with `wrangler.toml`. No data is uploaded. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
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

/** Runs `wrangler deploy` up to the upload. Unsets the tests' `NODE_ENV`, as in a developer's shell. */
function deploy(environment: string, shell: NodeJS.ProcessEnv = {}) {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  const { NODE_ENV: _, ...inherited } = process.env;
  const args = [wrangler, 'deploy', '--dry-run', '--env', environment, '--outdir', out];
  return run(process.execPath, args, {
    cwd: root,
    env: { ...inherited, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1', ...shell },
  });
}

it.each([
  ['production', ['SESSIONS (SessionObject)', 'TURNS (holdfast-turns)', 'LEASE_MS', 'MODEL']],
  ['', ['SESSIONS (SessionObject)', 'LEASE_MS', 'MODEL']],
])("a deployment to the environment '%s' has its bindings", async (environment, bindings) => {
  const { stdout, stderr } = await deploy(environment);
  expect(stderr).toBe('');
  const found = [...stdout.matchAll(/^env\.(\w+( \([\w-]+\))?)/gm)].map(([, binding]) => binding);
  expect(found.toSorted()).toEqual(bindings.toSorted());
});

it.each([
  ['has no planner', {}, false],
  ['has a planner if the shell sets development mode', { NODE_ENV: 'development' }, true],
])('a deployment %s', async (_, shell, hasPlanner) => {
  await deploy('', shell);
  const bundle = await readFile(join(out, 'worker.js'), 'utf8');
  expect(bundle).toContain('This Worker has no model');
  expect(bundle.includes("Answered by Holdfast's offline planner")).toBe(hasPlanner);
});
