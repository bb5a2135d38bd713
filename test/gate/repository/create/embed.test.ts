/** Tests `create-holdfast --template embed` in existing apps. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { embed } from '../../../../src/create/cli/embed.ts';
import type { Manager } from '../../../../src/create/cli/package-manager.ts';

const HONO = {
  'package.json': '{\n    "name": "shop",\n    "dependencies": { "hono": "^4.10.0" }\n}\n',
  'wrangler.jsonc':
    '{\n  "name": "shop",\n  "main": "./src/index.tsx",\n  "compatibility_date": "2026-11-01"\n}\n',
  'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "hono/jsx", }, }',
  'src/index.tsx': "import { Hono } from 'hono';\n\nexport default new Hono();\n",
};
const VITE = {
  'package.json':
    '{ "name": "page", "scripts": { "build": "tsc -b && vite build" }, "devDependencies": { "vite": "^7.0.0" } }',
  'index.html': '<div id="root"></div>',
};

function createAppFolder(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), 'create-embed-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  const read = (file: string): string => readFileSync(join(path, file), 'utf8');
  const listAllFiles = (): string[] =>
    readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
      .toSorted();
  return {
    read,
    all: listAllFiles,
    json: (file: string) => JSON.parse(read(file)),
    embed: (manager: Manager = 'npm') => embed(path, { name: 'shop', template: 'embed', manager }),
  };
}

it('adds an agent to a Hono app without changing its code', () => {
  const app = createAppFolder(HONO);
  const { script, notes } = app.embed();
  expect(script).toBe('dev:agent');
  expect(notes).toEqual([
    'Wrote agent/, and changed package.json, wrangler.jsonc, .dev.vars and .gitignore.',
    'wrangler.jsonc now has agent/worker.ts as "main", which passes all requests outside /ai to src/index.tsx.',
  ]);
  expect(app.read('src/index.tsx')).toBe(HONO['src/index.tsx']);
  expect(app.read('tsconfig.json')).toBe(HONO['tsconfig.json']);
  expect(app.read('agent/worker.ts')).toContain("import app from '../src/index';");
  expect(app.read('agent/worker.ts')).toContain("export * from '../src/index';");
  expect(app.json('agent/tsconfig.json')).toMatchObject({ compilerOptions: { jsxImportSource: 'hono/jsx' } });
  expect(app.read('package.json')).toMatch(
    /^\{\n {4}"name": "shop",\n {4}"dependencies": \{\n {8}"holdfast"/,
  );
  expect(app.json('package.json')).toMatchObject({
    dependencies: { hono: '^4.10.0', holdfast: expect.any(String), valibot: expect.any(String) },
    devDependencies: { wrangler: expect.any(String), vitest: expect.any(String) },
    scripts: {
      'dev:agent': 'node agent/dev.mjs',
      'test:agent': 'vitest run --root agent',
      'check:agent': 'tsc -p agent',
    },
  });
  expect(app.read('.dev.vars')).toBe('MODEL=offline\nHOLDFAST_AUTH=localhost\n');
  expect(app.read('.gitignore')).toBe('node_modules\n.wrangler\n.dev.vars*\n');
});

it('adds a Worker to a Vite page, and builds the page for it', () => {
  const app = createAppFolder(VITE);
  const { notes } = app.embed('pnpm');
  expect(notes).toEqual(['Wrote agent/, and changed package.json, wrangler.toml, .dev.vars and .gitignore.']);
  expect(app.read('wrangler.toml')).toMatch(/^name = "shop"\nmain = "agent\/worker.ts"\n/);
  expect(app.read('wrangler.toml')).toContain('[assets]\ndirectory = "dist"\n');
  expect(app.read('agent/worker.ts')).toContain('export default holdfast.worker;');
  expect(app.read('agent/dev.mjs')).toContain("from 'vite'");
  expect(app.read('agent/README.md')).toContain('`pnpm run dev:agent`');
  expect(app.all()).toContain('pnpm-workspace.yaml');
  const { scripts, devDependencies } = app.json('package.json');
  expect(scripts).toMatchObject({ build: 'tsc -b && vite build', 'deploy:agent': 'wrangler deploy' });
  expect(devDependencies.vite).toBe('^7.0.0');
});

it('adds a missing build script, and explains the change for a custom build folder', () => {
  const app = createAppFolder({
    ...VITE,
    'package.json': '{ "dependencies": { "vite": "^8" } }',
    'vite.config.ts': '({ outDir: "public" })',
  });
  expect(app.embed().notes).toContain(
    'Vite does not build into its default folder. Set "directory" to your folder in wrangler.toml.',
  );
  expect(app.json('package.json').scripts.build).toBe('vite build');
});

it('adds a Worker to any other app, and wraps a Hono app without settings in a Worker', () => {
  const other = createAppFolder({ 'package.json': '{}' });
  other.embed();
  expect(other.read('wrangler.toml')).toContain('main = "agent/worker.ts"');
  expect(other.read('agent/worker.ts')).not.toContain('import app');
  const { 'wrangler.jsonc': _, ...files } = HONO;
  const hono = createAppFolder({ ...files, 'src/index.tsx': 'const app = 1;\nexport default app;\n' });
  hono.embed();
  expect(hono.read('agent/worker.ts')).toContain("import app from '../src/index';");
});

it('adds no dev script if Vite runs the Worker of the app', () => {
  const app = createAppFolder({
    ...HONO,
    'package.json': '{ "devDependencies": { "@cloudflare/vite-plugin": "^1" } }',
  });
  const { script, notes } = app.embed();
  expect(script).toBe('dev');
  expect(notes).toContain('Vite runs your Worker: the agent is at its address, below /ai.');
  expect(app.json('package.json').scripts).not.toHaveProperty('dev:agent');
  expect(app.all()).not.toContain('agent/dev.mjs');
});

it('uses the types that wrangler has generated, and raises the version of types that are too old', () => {
  const written = createAppFolder({ ...HONO, 'worker-configuration.d.ts': '' });
  written.embed();
  expect(written.json('agent/tsconfig.json').include).toEqual(['*.ts', '../worker-configuration.d.ts']);
  expect(written.all()).not.toContain('agent/env.d.ts');
  const types = '@cloudflare/workers-types';
  const old = createAppFolder({
    ...HONO,
    'package.json': `{ "devDependencies": { "${types}": "^4.20250101.0" } }`,
  });
  expect(old.embed().notes).toContain(
    `package.json now requires ${types} 5 instead of ^4.20250101.0, as Holdfast does.`,
  );
  expect(old.json('package.json').devDependencies[types]).toMatch(/^\^5\./);
});

it('imports a .mts Worker as .mjs', () => {
  const app = createAppFolder({
    'package.json': '{ "name": "shop" }',
    'wrangler.toml': 'main = "src/index.mts"\n',
    'src/index.mts': 'export default { fetch: () => new Response() };\n',
  });
  app.embed();
  expect(app.read('agent/worker.ts')).toContain("import app from '../src/index.mjs';");
});

it('keeps the list of packages whose install scripts Bun may run', () => {
  const app = createAppFolder({
    'package.json': '{ "name": "shop", "trustedDependencies": ["sharp", "esbuild"] }',
  });
  app.embed('bun');
  expect(app.json('package.json').trustedDependencies).toEqual(['sharp', 'esbuild', 'workerd']);
});

it('keeps the local settings, and does not hide those in .env', () => {
  const vars = createAppFolder({
    ...HONO,
    '.dev.vars': 'MODEL: gpt\nA=1',
    '.gitignore': '/node_modules/\n.dev.vars',
  });
  vars.embed();
  expect(vars.read('.dev.vars')).toBe('MODEL: gpt\nA=1\nHOLDFAST_AUTH=localhost\n');
  expect(vars.read('.gitignore')).toBe('/node_modules/\n.dev.vars\n.wrangler\n');
  const env = createAppFolder({ ...HONO, '.env': 'A=1\n' });
  env.embed();
  expect(env.all()).not.toContain('.dev.vars');
  expect(env.read('.env')).toBe('A=1\n');
  expect(env.read('.env.local')).toContain('HOLDFAST_AUTH=localhost\n');
  expect(env.read('.gitignore')).toContain('.env.local\n');
});

it.each([
  [
    'an app that already has a folder agent',
    { 'agent/mine.ts': '' },
    'agent already exists, and your files are never overwritten. Rename it or remove it.',
  ],
  ['a manifest that is not JSON', { 'package.json': '{' }, 'package.json cannot be read: '],
  [
    'an app that already has a script dev:agent',
    { 'package.json': '{ "scripts": { "dev:agent": "mine" }, "dependencies": { "hono": "^4.10.0" } }' },
    'package.json already has a script "dev:agent". Rename it, since the agent needs that name.',
  ],
  ['settings that are not JSON', { 'wrangler.jsonc': '{' }, 'wrangler.jsonc cannot be read: '],
  [
    'a Worker whose file is missing',
    { 'wrangler.jsonc': '{ "main": "src/gone.ts" }' },
    '"main" in wrangler.jsonc is src/gone.ts, but this file does not exist.',
  ],
  [
    'a Worker that is a class',
    { 'src/index.tsx': 'export default class extends WorkerEntrypoint {}' },
    'src/index.tsx exports a class, so the agent must be mounted by hand.',
  ],
])('refuses %s, and writes nothing', (_, files, problem) => {
  const app = createAppFolder({ ...HONO, ...files });
  const before = app.all().map((file) => [file, app.read(file)]);
  expect(() => app.embed()).toThrow(problem);
  expect(app.all().map((file) => [file, app.read(file)])).toEqual(before);
});
