/**
 * Tests each `create-holdfast` template's packages, types and own test, with the built package and only
 * declared packages.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embed } from '../../../../src/create/cli/embed.ts';
import { TEMPLATES, type Template } from '../../../../src/create/cli/options.ts';
import { MANAGERS, type Manager } from '../../../../src/create/cli/package-manager.ts';
import { renderProject, writeFiles } from '../../../../src/create/cli/render.ts';

const root = resolve(import.meta.dirname, '../../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const run = promisify(execFile);

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
const parseManifest = (text: string): Manifest => JSON.parse(text); // only manifests of this repository

const templates = Object.keys(TEMPLATES) as Template[]; // it has exactly these keys
const managers = Object.keys(MANAGERS) as Manager[]; // it has exactly these keys
const render = (template: Template, manager: Manager = 'npm') =>
  renderProject({ name: 'shop', template, manager });

describe.each(templates)('the template %s', (template) => {
  it('declares the package versions that this repository tests', () => {
    const ours = parseManifest(read('package.json'));
    const tested = { ...ours.devDependencies, ...ours.dependencies };
    const { dependencies, devDependencies } = parseManifest(render(template).get('package.json') ?? '');
    const { holdfast, ...others } = { ...dependencies, ...devDependencies };
    expect(holdfast).toBe(`^${parseManifest(read('src/create/package.json')).version}`);
    expect(others).toEqual(
      Object.fromEntries(
        Object.keys(others).map((name) => [
          name,
          // Yarn fails for Vite 8.4, because npm's registry lacks one of its optional dependencies.
          `${name === 'vite' ? '~' : '^'}${tested[name]?.replace('^', '') ?? 'untested'}`,
        ]),
      ),
    );
  });

  it.each(managers)('has the files that %s needs, and no placeholder of a template', (manager) => {
    const files = render(template, manager);
    const names = [...files.keys()];
    for (const name of [
      'package.json',
      'wrangler.toml',
      'README.md',
      '.gitignore',
      '.dev.vars',
      '.dev.vars.example',
    ])
      expect(names).toContain(name);
    expect(files.get('.gitignore')).toContain('\n.dev.vars*\n');
    expect(files.get('.github/workflows/ci.yml')).toContain(
      `run: ${MANAGERS[manager].exec} wrangler deploy --dry-run`,
    );
    const texts = ['package.json', 'wrangler.toml', 'README.md'].map((name) => files.get(name) ?? '');
    expect(texts.filter((text) => text.includes('my-agent'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('_'))).toEqual([]);
    const ofManagers = {
      npm: [],
      pnpm: ['pnpm-workspace.yaml'],
      yarn: ['.yarnrc.yml', 'yarn.lock'],
      bun: [],
    };
    const known: readonly string[] = Object.values(ofManagers).flat();
    expect(names.filter((name) => known.includes(name))).toEqual(ofManagers[manager]);
    expect(files.get('README.md')?.match(/`npm |npx/) ?? null).toEqual(
      manager === 'npm' ? expect.anything() : null,
    );
  });

  it('has a README of at most 36 lines', () => {
    const lines = render(template).get('README.md')?.trimEnd().split('\n').length ?? 0;
    expect(lines).toBeGreaterThan(20);
    expect(lines).toBeLessThanOrEqual(36);
  });

  it('generates secrets for the local machine that differ from those of the example', () => {
    const [one, other] = [render(template), render(template)];
    const drawn = one.get('.dev.vars');
    expect(drawn).not.toContain('for-development');
    if (one.get('.dev.vars.example')?.includes('for-development'))
      expect(drawn).not.toBe(other.get('.dev.vars'));
    else expect(drawn).toBe(one.get('.dev.vars.example'));
  });
});

it('the templates have the settings of the deployment page, and minify the script', () => {
  const [ofProduction = ''] = /```toml\n([\s\S]*?)```/.exec(read('docs/deploy.md'))?.slice(1) ?? [];
  const getSettingLines = (text: string): string[] =>
    text.split('\n').filter((line) => !line.startsWith('#'));
  const settings = getSettingLines(
    read('src/create/templates/base/wrangler.toml').replace('my-agent', 'clerk'),
  );
  expect(settings.filter((line) => line !== 'minify = true')).toEqual(getSettingLines(ofProduction));
});

it('`npm run dev` uses the first free port', async () => {
  const { freePort }: { freePort(first: number): Promise<number> } = await import(
    join(root, 'src/create/templates/base/scripts/serve.mjs')
  );
  const taken = createServer().listen(0, 'localhost');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo; // only for a pipe is the address a string
  expect(await freePort(port)).toBeGreaterThan(port);
  taken.close();
});

describe('with the built package', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'create-templates-'));
    const args = ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'holdfast/dist')];
    await run(join(root, 'node_modules/.bin/tsc'), args, { cwd: root });
    symlinkSync(join(root, 'package.json'), join(folder, 'holdfast/package.json'));
    const { dependencies, peerDependencies } = parseManifest(read('package.json'));
    linkPackages(join(folder, 'holdfast'), Object.keys({ ...dependencies, ...peerDependencies }));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Links only the packages that a package declares. */
  function linkPackages(path: string, names: readonly string[]): void {
    for (const name of names) {
      const target = join(path, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(name === 'holdfast' ? join(folder, 'holdfast') : join(root, 'node_modules', name), target);
    }
  }

  it.each(templates)(
    'the template %s has no type error, and its test passes',
    async (template) => {
      const path = join(folder, template);
      const project = { name: template, template, manager: 'npm' } as const;
      writeFiles(path, renderProject(project));
      if (template === 'embed') embed(path, project, { isNew: true });
      const { dependencies, devDependencies } = parseManifest(
        readFileSync(join(path, 'package.json'), 'utf8'),
      );
      linkPackages(path, [...Object.keys({ ...dependencies, ...devDependencies }), '.bin']);
      const runScript = (name: string) => run(process.execPath, ['--run', name], { cwd: path });
      const [, tested] = await Promise.all([runScript('check'), runScript('test')]);
      expect(tested.stdout).toMatch(/Tests .*\d passed/);
      expect(tested.stdout).toContain('doubled');
    },
    120_000,
  );
});
