/** Follows the first screen of the README: creates its project, and runs its commands in order. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEMPLATES } from '../../../src/create/cli/options.ts';
import { renderProject, writeFiles } from '../../../src/create/cli/render.ts';
import { findFreePort, pollUntil } from '../../../src/examples/demo/ports.ts';
import { type ProcessGroup, startGroup } from '../../../src/examples/demo/process-group.ts';
import { asInstalled } from './as-installed.ts';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
let folder: string;
let commands: readonly string[];
let server: ProcessGroup | undefined;
let readme: string;

beforeAll(async () => {
  ({ path: folder } = await installPackage(['wrangler', 'vitest', 'typescript', '@ag-ui/client']));
  readme = await readFile(join(root, 'README.md'), 'utf8');
  writeFiles(folder, renderProject({ name: 'my-agent', template: 'minimal', manager: 'npm' }));
  commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  );
}, PACK_TEST_TIMEOUT_MS);
afterAll(async () => {
  await server?.end('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Runs a program that is installed in the folder, as `npx` does. */
const runNodeTool = (name: string, ...args: string[]) =>
  run(process.execPath, [join(root, 'node_modules', name), ...args], { cwd: folder });

it('the first screen of the README shows the commands that start a project and its first request', async () => {
  const [create, cd, dev, curl, ...rest] = commands;
  expect([create, cd, dev, rest]).toEqual([
    'npm create holdfast@latest my-agent',
    'cd my-agent',
    'npm run dev',
    [],
  ]);
  const script = await readFile(join(folder, 'scripts/dev.mjs'), 'utf8');
  expect(script.replaceAll(/\$\{url\}/g, 'localhost:8787')).toContain(`\n${curl}\``);
});

it.each(['src/create/templates/minimal/src/clerk.ts', 'src/create/templates/minimal/src/worker.ts'])(
  'the first screen shows the file %s of the project',
  async (file) => {
    const text = await readFile(join(root, file), 'utf8');
    expect(readme).toContain(`\n\`\`\`ts\n${text}\`\`\`\n`);
    expect(await readFile(join(folder, 'src', basename(file)), 'utf8')).toBe(text);
  },
);

it('the first screen lists every template in the order of the prompt', () => {
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` \| /gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(TEMPLATES));
});

it.each(['a2a', 'ag-ui'])(
  'a project supports the protocol in the folder %s after the steps on its page',
  async (example) => {
    const copied = join(folder, 'src', example);
    await mkdir(copied);
    for (const name of await readdir(join(root, 'src/examples', example))) {
      if (name === 'worker.ts') continue;
      const text = await readFile(join(root, 'src/examples', example, name), 'utf8');
      await writeFile(join(copied, name), asInstalled(text));
    }
    await expect(runNodeTool('typescript/bin/tsc')).resolves.toMatchObject({ stdout: '' });
    await rm(copied, { recursive: true });
  },
  60_000,
);

it('the first screen’s Worker pays the invoice from its curl command', async () => {
  const port = await findFreePort();
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
  await pollUntil('the Worker answers', 60_000, async () => {
    const answer = await fetch(`http://localhost:${port}/health`).catch(() => undefined);
    return answer?.ok === true;
  });
  const curl = commands.find((line) => line.startsWith('curl ')) ?? '';
  const { stdout } = await run('bash', ['-c', curl.replace('8787', String(port))]);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'completed',
    artifacts: [{ tool: 'pay_invoice', value: { paid: 'INV-17' } }],
  });
  // The log line of a turn has the format in docs/production.md.
  const page = await readFile(join(root, 'docs/production.md'), 'utf8');
  const shown = /```json\n(.*)\n```/.exec(page)?.[1] ?? '';
  // The line is written at the end of the turn, which can be after the response.
  let logged = '';
  await pollUntil('the turn is in the log', 60_000, async () => {
    logged = (await readFile(log, 'utf8')).split('\n').find((line) => line.startsWith('{"owner":')) ?? '';
    return logged !== '';
  });
  expect(Object.keys(JSON.parse(logged))).toEqual(Object.keys(JSON.parse(shown)));
}, 90_000);
