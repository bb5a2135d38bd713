/** Checks that the README and the docs show only tested code, and have no broken links. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asInstalled } from '../../full/process/as-installed.ts';
import { type Link, parseLinks } from '../../source/links.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const listTypeScriptFiles = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`);

/** The folders of the manual. `docs/adr` is for maintainers, and is not in the package. */
const FOLDERS = ['docs', 'docs/cookbook', 'docs/coming-from'];
const PAGES = [
  'README.md',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md') && file !== 'index.md')
      .map((file) => `${folder}/${file}`),
  ),
];

/** Returns the code blocks of a page in one language. */
const listBlocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  );

/** The templates of `npm create holdfast`. create/templates.test.ts runs each. */
const TEMPLATES = 'src/create/templates';

/** The files that pages can show, as users would write them. */
const SHOWABLE_FILES = new Map(
  ['src/examples', 'test/gate/node/examples', TEMPLATES]
    .flatMap(listTypeScriptFiles)
    .map((file) => [asInstalled(read(file)), file]),
);
const listCode = (page: string): string[] => ['ts', 'tsx'].flatMap((language) => listBlocks(page, language));
const listShownFiles = (page: string): string[] =>
  listCode(page).flatMap((code) => SHOWABLE_FILES.get(code) ?? []);

it.each(PAGES)('%s shows TypeScript only as whole files of examples, tests or templates', (page) => {
  expect(listCode(page).filter((code) => !SHOWABLE_FILES.has(code))).toEqual([]);
});

it('every shown file is a test or is run by a test', () => {
  const shown = new Set(PAGES.flatMap(listShownFiles));
  expect(shown.size).toBeGreaterThan(8);
  const tests = listTypeScriptFiles('test').map(read).join('\n');
  const isRun = (file: string): boolean =>
    file.startsWith('test/') ||
    file.startsWith(TEMPLATES) ||
    tests.includes(`/${file}'`) ||
    tests.includes(`'${file}'`);
  // An example's file runs if a running file in the same folder imports it.
  const isReached = (file: string, seen: readonly string[] = []): boolean =>
    isRun(file) ||
    listTypeScriptFiles(dirname(file)).some(
      (other) =>
        !seen.includes(other) &&
        read(other).includes(`'./${basename(file)}'`) &&
        isReached(other, [...seen, file]),
    );
  expect([...shown].filter((file) => !isReached(file))).toEqual([]);
});

it('pages link only to source files of examples, which the package includes', () => {
  const links = PAGES.flatMap((page) => readLinks(page).map(({ path }) => path)).filter((path) =>
    /\.tsx?$/.test(path),
  );
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((path) => !path.startsWith('src/examples/'))).toEqual([]);
});

const readLinks = (page: string): Link[] => parseLinks(read(page), page);

/** Returns the anchors that GitHub and npm generate for a page's headings. */
const listAnchors = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(PAGES)('%s has no broken links', (page) => {
  const lost = readLinks(page).filter(
    ({ path, heading }) =>
      !existsSync(join(root, path)) || (heading !== undefined && !listAnchors(path).includes(heading)),
  );
  expect(lost.map(({ to }) => to)).toEqual([]);
});

it('the package contains every page and every linked file', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const packed = [...listed.matchAll(/"path": "([^"]+)"/g)].map(([, path = '']) => path);
  const linked = PAGES.flatMap((page) => readLinks(page).map(({ path }) => path));
  expect([...PAGES, ...linked].filter((path) => !packed.includes(path))).toEqual([]);
});

it('the README states the maximum size of a Worker', () => {
  const limit = /\['a Worker of one agent', WORKER, (\d+)\]/.exec(
    read('test/gate/repository/size.test.ts'),
  )?.[1];
  expect(read('README.md')).toContain(`| Holdfast | at most ${limit} |`);
});

it('the README has at most 120 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

it('the pages on models and on production state the defaults of settings', () => {
  const model = /model \?\? '(.+)'/.exec(read('src/model/openai-compatible/openai-compatible.ts'))?.[1];
  expect(read('docs/models.md')).toContain(`defaults to \`${model}\``);
  const lease = /DEFAULT_LEASE_MS = (.+);/.exec(read('durable-objects/session-object.ts'))?.[1];
  expect(read('docs/production.md').replaceAll(/\s+/g, ' ')).toContain(
    `\`LEASE_MS\` defaults to \`${lease?.replace('_', '')}\` ms`,
  );
});

it('the page on MCP states the defaults of clients', () => {
  const client = read('src/mcp/client/define-mcp-client.ts');
  const page = read('docs/mcp.md').replaceAll(/\s+/g, ' ');
  expect(client).toContain(
    '  timeout: 30_000,\n  connectTimeout: 10_000,\n  maxResponseBytes: 4 * 1024 * 1024,\n',
  );
  expect(page).toContain('default to 30 s for a call, 10 s to connect and to list, and 4 MiB');
  expect(read('src/mcp/tools/find-tools.ts')).toContain('DEFAULT_TTL_MS = 600_000;');
  expect(read('src/mcp/tools/find-tools.ts')).toContain('{ least: 60_000, most: 86_400_000 }');
  expect(page).toContain('after a minute at the earliest, and after ten minutes by default');
  expect(read('src/mcp/tools/answer-elicitation.ts')).toContain('DEFAULT_ELICITATION_MS = 60_000;');
  expect(page).toContain('60 s by default');
});

it('the settings on the deployment page include every setting that this repository’s Worker needs', () => {
  const [settings = ''] = listBlocks('docs/deploy.md', 'toml');
  const withoutComments = settings.replace(/ +#.*$/gm, '');
  const [ofEveryWorker = ''] = read('wrangler.toml').split('\n[env.');
  const lines = ofEveryWorker.split('\n');
  const needed = lines.filter((line) =>
    /^(\[\[|\[obs|main|compatibility_|name = "S|class_name|tag|new_)/.test(line),
  );
  expect(needed).toHaveLength(11);
  expect(needed.filter((line) => !`\n${withoutComments}`.includes(`\n${line}\n`))).toEqual([]);
});

it('the page on mistakes shows only error texts that tests assert', () => {
  const [, shown = ''] = /```\n([\s\S]*?)```/.exec(read('docs/mistakes.md')) ?? [];
  const asserted = listTypeScriptFiles('test/gate/node/mistakes').map(read).join('');
  const lines = shown.trim().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines.filter((line) => !asserted.includes(`"${line}"`))).toEqual([]);
});

it('the page on production lists every log event', () => {
  const [, union = ''] = /export type LoggedProblem =\n([\s\S]*?);\n/.exec(read('src/tool/log.ts')) ?? [];
  const events = [...union.matchAll(/\| '([a-z-]+)'/g)].map(([, event = '']) => event);
  expect(events.length).toBeGreaterThan(8);
  expect(events.filter((event) => !read('docs/production.md').includes(`\`${event}\``))).toEqual([]);
});

it('the page on the doctor lists every problem that the doctor finds', () => {
  const ids = listTypeScriptFiles('src/cli/doctor').flatMap((file) =>
    [...read(file).matchAll(/\bid: '([a-z0-9-]+)'/g)].map(([, id = '']) => id),
  );
  const flags = [...read('src/cli/doctor/check-config.ts').matchAll(/^ {2}([a-z_]+):$/gm)].map(
    ([, flag = '']) => flag.replaceAll('_', '-'),
  );
  const rows = [...read('docs/doctor.md').matchAll(/^\| `([a-z][a-z0-9-]+)`/gm)].map(([, id = '']) => id);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.toSorted()).toEqual([...new Set([...ids, ...flags, 'enable-request-signal'])].toSorted());
});

it('the page on HTTP lists every route', () => {
  const constants = { SESSION_PATH: '...', MCP_PATH: '/mcp', FILE_PATH: '.../files/{file}' };
  const files = [
    ...listTypeScriptFiles('src/worker/routes'),
    'src/mcp/server/define-mcp-endpoint.ts',
    'src/modules/answers/answers.ts',
    'src/modules/branches/entry.ts',
    'src/modules/files/file-routes.ts',
    'src/modules/openapi/entry.ts',
    'src/modules/retry/retry-route.ts',
    'src/modules/webhooks/hook-route.ts',
  ];
  const routes = files.flatMap((file) =>
    [...read(file).matchAll(/method: '(\w+)',\s+path: (?:(\w+),|['`](.+?)['`],)/g)].map(
      ([, method, constant, path = '']) =>
        `${method} ${constant === undefined ? path.replace(/^\$\{SESSION_PATH\}/, '...') : Reflect.get(constants, constant)}`,
    ),
  );
  const named = [...read('docs/http.md').matchAll(/^\| `([A-Z]+ [^`]+)` \|/gm)].map(
    ([, route = '']) => route,
  );
  expect(named.toSorted()).toEqual(routes.toSorted());
});

it('the rate limit settings on the production page are those in a comment of wrangler.toml', () => {
  const [limit = ''] = listBlocks('docs/production.md', 'toml');
  const commented = limit
    .trim()
    .split('\n')
    .map((line) => `# ${line.replace(/ +#.*$/, '')}`);
  expect(read('wrangler.toml')).toContain(`\n${commented.join('\n')}\n`);
});

it('the queue settings on the production page are those of this repository’s production environment', () => {
  const [, queue = ''] = listBlocks('docs/production.md', 'toml');
  const lines = queue.split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(10);
  const ours = read('wrangler.toml').replaceAll('[[env.production.', '[[');
  expect(lines.filter((line) => !ours.includes(`\n${line.replace(/ +#.*$/, '')}\n`))).toEqual([]);
});

it('the deployment page lists the compatibility dates that a Worker requires', () => {
  const dates = [...read('src/session/deployment.ts').matchAll(/\b20\d\d-\d\d-\d\d\b/g)].map(String);
  expect([...new Set(dates)].toSorted()).toEqual(['2025-11-17', '2026-10-01']);
  expect(dates.filter((date) => !read('docs/deploy.md').includes(`\`${date}\``))).toEqual([]);
  expect(read('src/create/cli/settings.ts')).toContain(`MIN_DATE = '${dates.toSorted()[0]}'`);
});

it.each([...PAGES, 'CONTRIBUTING.md', 'SECURITY.md', 'test/README.md'])(
  '%s mentions only existing npm scripts',
  (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }; // this repository's manifest
    const named = [...read(page).matchAll(/npm run ([a-z-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  },
);

it('SECURITY.md has no broken links', () => {
  const lost = readLinks('SECURITY.md').filter(
    ({ path, heading }) =>
      !existsSync(join(root, path)) || (heading !== undefined && !listAnchors(path).includes(heading)),
  );
  expect(lost.map(({ to }) => to)).toEqual([]);
});

/** The scripts that contributors use every day. */
const EVERYDAY_SCRIPTS = ['dev', 'demo', 'check', 'format', 'test', 'test:full', 'bench', 'build'];

describe('the scripts of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }; // this repository's manifest
  const listScripts = (page: string): string[] =>
    [...read(page).matchAll(/^\| `npm (?:run )?([a-z:-]+)/gm)].map(([, name = '']) => name);

  it('are listed in CONTRIBUTING.md if contributors use them every day', () => {
    expect(listScripts('CONTRIBUTING.md')).toEqual(EVERYDAY_SCRIPTS);
  });

  it('are described in CONTRIBUTING.md or test/README.md, except the hooks that npm runs', () => {
    const measuring = listScripts('test/README.md');
    expect(measuring.filter((name) => EVERYDAY_SCRIPTS.includes(name))).toEqual([]);
    const page = read('CONTRIBUTING.md');
    const unnamed = Object.keys(scripts).filter(
      (name) => !measuring.includes(name) && !new RegExp(`npm (run )?${name}\\b`).test(page),
    );
    expect(unnamed).toEqual(['prepare', 'prepack']);
  });
});

it.each(['CONTRIBUTING.md', 'test/README.md'])('%s has no broken links', (page) => {
  const lost = readLinks(page).filter(({ path }) => !existsSync(join(root, path)));
  expect(lost.map(({ to }) => to)).toEqual([]);
});

it('the README and the manifest require the same Node version', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }; // this repository's manifest
  const [, oldest] = /^(?:You need )?Node (\d+\.\d+) or newer\./m.exec(read('README.md')) ?? [];
  expect(engines.node).toBe(`>=${oldest}.0`);
});
