/**
 * Creates a project from each template with the tarballs of both packages. Checks, tests, builds and runs the
 * project.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { PACK_TEST_TIMEOUT_MS } from '../process/packed.ts';
import { createUserEnv, packBoth, runDev, type Tarballs } from './created.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

let tarballs: Tarballs;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  tarballs = await packBoth();
  const { folder } = tarballs;
  const [name, email] = ['Ann', 'ann@shop.example'];
  const git = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
  env = createUserEnv({ TMPDIR: folder, XDG_CONFIG_HOME: folder, ...git });
  // The packages are unpacked from the tarballs, and their dependencies come from the repository.
  for (const [name, tarball] of [
    ['holdfast', tarballs.holdfast],
    ['create-holdfast', tarballs.createHoldfast],
  ] as const) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', place]);
    const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    for (const dependency of Object.keys(dependencies)) linkPackage(dependency);
  }
}, PACK_TEST_TIMEOUT_MS);
afterAll(() => rmSync(tarballs.folder, { recursive: true, force: true, maxRetries: 3 }));

function linkPackage(name: string): void {
  const place = join(tarballs.folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  rmSync(place, { force: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

const createHoldfast = (...args: string[]) => {
  const { folder } = tarballs;
  const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules/create-holdfast/package.json'), 'utf8'));
  const program = join(folder, 'node_modules/create-holdfast', bin['create-holdfast']);
  return run(process.execPath, [program, ...args], { cwd: folder, env });
};

/** Creates a project that resolves its packages from the parent folder. */
async function createAndCheck(template: string): Promise<string> {
  const { stdout } = await createHoldfast(template, '--template', template, '--yes', '--no-install');
  expect(stdout).toContain(`\n  cd ${template}\n  npm install\n  npm run dev\n`);
  const path = join(tarballs.folder, template);
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    if (name !== 'holdfast') linkPackage(name);
  }
  linkPackage('.bin');
  return path;
}

/**
 * Builds the deployment. Asserts that `holdfast doctor` reports no problems, and returns the output of
 * wrangler.
 */
async function checkDeployment(path: string): Promise<string> {
  const packages = join(tarballs.folder, 'node_modules');
  const runProgram = (name: string, ...args: string[]) =>
    run(process.execPath, [join(packages, name), ...args], { cwd: path, env });
  const { stdout: built } = await runProgram('wrangler/bin/wrangler.js', 'deploy', '--dry-run');
  const { stdout: told } = await runProgram('holdfast/dist/cli/holdfast.js', 'doctor');
  expect(told).toContain('No problems.');
  return built;
}

it('prints one error about its arguments', async () => {
  await expect(createHoldfast('--template', 'next')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There is no template "next". Use one of: minimal, chat, webhook, embed, multi-tenant.\n',
  });
  expect((await createHoldfast('--version')).stdout).toBe('0.1.0\n');
  expect((await createHoldfast('--help')).stdout).toContain('--template NAME');
});

it('creates a repository with a first commit that does not use this machine’s settings', async () => {
  await createHoldfast('committed', '--yes', '--no-install');
  const cwd = join(tarballs.folder, 'committed');
  const runGit = async (...args: string[]) => (await run('git', args, { cwd, env })).stdout;
  expect(await runGit('log', '--format=%s')).toBe('Start from the template "minimal" of Holdfast\n');
  const files = (await runGit('ls-files')).split('\n');
  expect(files.filter((file) => file.startsWith('.dev.vars'))).toEqual(['.dev.vars.example']);
  expect(await runGit('status', '--short')).toBe('');
  // The folder is already in a repository, so `create` does not initialize another.
  await createHoldfast('committed/inner', '--yes', '--no-install');
  expect(await runGit('log', '--format=%s')).not.toContain('inner');
  expect(await runGit('status', '--short')).toBe('?? inner/\n');
});

it.each([
  ['minimal', '"outcome":"completed"'],
  ['webhook', '202 Accepted'],
  ['embed', '"outcome":"completed"'],
  ['multi-tenant', '"notBy":"requester"'],
])(
  'the template %s can be deployed and answers the request in its README',
  async (template, answer) => {
    const path = await createAndCheck(template);
    const [built] = await Promise.all([
      checkDeployment(path),
      ...(template === 'minimal'
        ? ['check', 'test'].map((name) => run(process.execPath, ['--run', name], { cwd: path, env }))
        : []),
    ]);
    expect(built).toContain('env.SESSIONS (SessionObject)');
    const project = await runDev(path, env);
    try {
      expect(project.answer).toContain(answer);
    } finally {
      await project.end();
    }
  },
  180_000,
);

it('the page of the template chat requests and approves a refund, and still shows it after a reload', async () => {
  const path = await createAndCheck('chat');
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  const { stdout: built } = await run(process.execPath, [wrangler, 'deploy', '--dry-run'], {
    cwd: path,
    env,
  });
  expect(built).toContain('files from the assets directory');
  const project = await runDev(path, env);
  try {
    expect(project.answer).toContain('"status":"suspended"');
    const [address = ''] = /http:\/\/localhost:\d+\//.exec(project.log()) ?? [];
    await useChat(address);
  } finally {
    await project.end();
  }
}, 180_000);

async function useChat(address: string): Promise<void> {
  const program = findChromium();
  if (program === undefined)
    return console.warn('skipped: there is no chromium on this machine to show a page in');
  const browser = await chromium.launch({ executablePath: program, args: [...CHROMIUM_ARGS] });
  try {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (problem) => problems.push(problem.message));
    await page.goto(address);
    await page.getByLabel('Message').fill('Please refund 20 euro of order A-7.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Refund 20 euro of order A-7?').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    const done = page.getByText('20 euro of order A-7 are on their way back.').first();
    await done.waitFor();
    await page.reload();
    await done.waitFor();
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
}
