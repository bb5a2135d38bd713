/**
 * A user's module in a separate folder with only the package installed: its types, and its crash matrix in
 * plain Node.
 */
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const tsc = join(root, 'node_modules/.bin/tsc');

let temp: string;
beforeAll(async () => {
  ({ path: temp } = await installPackage([]));
  const page = await readFile(join(root, 'docs/modules.md'), 'utf8');
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  await writeFile(join(temp, 'quota.ts'), code);
  await writeFile(join(temp, 'play.ts'), PLAY_SOURCE);
}, PACK_TEST_TIMEOUT_MS);
afterAll(() => rm(temp, { recursive: true, force: true }));

const PLAY_SOURCE = `
import { defineAgent, defineTool } from 'holdfast';
import { crashMatrix } from 'holdfast/testing/crash-matrix';
import { createTestSession } from 'holdfast/testing';
import { quota, withQuota } from './quota.js';

const pay = defineTool({ name: 'pay', description: 'Pays.', effect: 'idempotent', run: () => 'paid' });
const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [pay] });
const use = [withQuota(1)];
const session = createTestSession(clerk, { replies: [{ calls: [{ name: 'pay', input: {} }] }, 'Paid.'], use });
await session.send('Pay.');
const counts: { readonly [name: string]: number } = await session.memory(quota);
const offered = session.requests.map(({ tools }) => tools.length);
const script = { steps: [{ send: 'Pay.', replies: [{ calls: ['pay'] }, 'Paid.'] }] } as const;
const { failures, positions } = await crashMatrix(clerk, script, { use });
console.log(JSON.stringify({ counts, offered, failures, isPlayed: positions > 8 }));
`;

const compilerOptions = {
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  types: ['@cloudflare/workers-types'],
  skipLibCheck: false,
  outDir: 'out',
};

it('a module package has types, counts calls, removes a tool, and agrees with its journal after every kill', async () => {
  await writeFile(
    join(temp, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['play.ts', 'quota.ts'] }),
  );
  const { stdout: problems } = await run(tsc, ['-p', '.'], { cwd: temp }).catch(
    (failure: { stdout: string }) => failure,
  );
  expect(problems).toBe('');
  const { stdout } = await run(process.execPath, ['out/play.js'], { cwd: temp });
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    counts: { '(model)': 2, pay: 1 },
    offered: [1, 0],
    failures: [],
    isPlayed: true,
  });
}, 120_000);

it('a module package with an invalid fact is rejected by the compiler', async () => {
  const wrong =
    "import { quota } from './quota.js';\nquota.use({ async prepare(loop) { quota.remember(loop, 7); } });\n";
  await writeFile(join(temp, 'wrong.ts'), wrong);
  await writeFile(
    join(temp, 'wrong.json'),
    JSON.stringify({ compilerOptions, files: ['wrong.ts', 'quota.ts'] }),
  );
  const { stdout } = await run(tsc, ['-p', 'wrong.json', '--noEmit'], { cwd: temp }).catch(
    (failure: { stdout: string }) => failure,
  );
  expect(stdout).toContain("wrong.ts(2,56): error TS2345: Argument of type 'number' is not assignable");
}, 60_000);
