/** The first screen of the README: its files in an empty folder, and its commands in their order. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, until } from '../../../src/examples/demo/ports.ts';
import { type ProcessGroup, startGroup } from '../../../src/examples/demo/process-group.ts';
import { asInstalled } from './as-installed.ts';
import { installPackage } from './installed-package.ts';
import { PACKING_MS } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
let folder: string;
let commands: readonly string[];
let server: ProcessGroup | undefined;

beforeAll(async () => {
  ({ path: folder } = await installPackage(['wrangler', 'vitest', 'typescript', '@ag-ui/client']));
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const files = [...readme.matchAll(/^`([^`\n]+)`[^`]*:\n(?:[^\n]+\n)*\n```\w+\n([\s\S]*?)```/gm)];
  expect(files.map(([, name]) => name)).toEqual([
    'src/clerk.ts',
    'src/worker.ts',
    'src/clerk.test.ts',
    'wrangler.toml',
    '.dev.vars',
    'tsconfig.json',
  ]);
  for (const [, name = '', text = ''] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  );
}, PACKING_MS);
afterAll(async () => {
  await server?.end('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Runs a tool that is installed in the folder; `npx` does no more. */
const tool = (name: string, ...args: string[]) =>
  run(process.execPath, [join(root, 'node_modules', name), ...args], { cwd: folder });

it('its commands install what it needs, check it, test it, run it and talk to it', () => {
  const [init, install, installTools, ...rest] = commands;
  expect([init, install, installTools]).toEqual([
    'npm init -y && npm pkg set type=module',
    'npm install ../holdfast/holdfast-0.1.0.tgz valibot',
    'npm install --save-dev wrangler typescript vitest @cloudflare/workers-types',
  ]);
  expect(rest.slice(0, 3)).toEqual(['npx tsc', 'npx vitest run', 'npx wrangler dev']);
  expect(rest.slice(3).map((line) => line.slice(0, 20))).toEqual(['curl localhost:8787/']);
});

it('its files stand the compiler', async () => {
  await expect(tool('typescript/bin/tsc')).resolves.toMatchObject({ stdout: '' });
}, 60_000);

it.each(['a2a', 'ag-ui'])(
  'the protocol of the folder %s stands it too, once copied as its page says',
  async (example) => {
    const copied = join(folder, 'src', example);
    await mkdir(copied);
    for (const name of await readdir(join(root, 'src/examples', example))) {
      if (name === 'worker.ts') continue;
      const text = await readFile(join(root, 'src/examples', example, name), 'utf8');
      await writeFile(join(copied, name), asInstalled(text));
    }
    await expect(tool('typescript/bin/tsc')).resolves.toMatchObject({ stdout: '' });
    await rm(copied, { recursive: true });
  },
  60_000,
);

it('its test passes', async () => {
  const { stdout } = await tool('vitest/vitest.mjs', 'run');
  expect(stdout).toContain('1 passed');
}, 60_000);

it('its Worker pays the invoice that its curl asks for', async () => {
  const port = await freePort();
  const log = join(folder, 'wrangler.log');
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  const env = {
    ...process.env,
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    XDG_CONFIG_HOME: folder,
    TMPDIR: folder,
  };
  const args = ['dev', '--port', String(port), '--inspector-port', '0'];
  server = startGroup(wrangler, args, { log, cwd: folder, env });
  await until('the Worker answers', 60_000, async () => {
    const answer = await fetch(`http://localhost:${port}/health`).catch(() => undefined);
    return answer?.ok === true;
  });
  const curl = commands.find((line) => line.startsWith('curl ')) ?? '';
  const { stdout } = await run('bash', ['-c', curl.replace('8787', String(port))]);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'completed',
    artifacts: [{ tool: 'pay_invoice', value: { paid: 'INV-17' } }],
  });
  // The line of a turn is as docs/production.md shows one.
  const page = await readFile(join(root, 'docs/production.md'), 'utf8');
  const shown = /```json\n(.*)\n```/.exec(page)?.[1] ?? '';
  // It is written when the turn has ended, which its client may hear of before.
  let logged = '';
  await until('the turn is in the log', 60_000, async () => {
    logged = (await readFile(log, 'utf8')).split('\n').find((line) => line.startsWith('{"owner":')) ?? '';
    return logged !== '';
  });
  expect(Object.keys(JSON.parse(logged))).toEqual(Object.keys(JSON.parse(shown)));
}, 90_000);
