/** What the README and the pages in docs show is what runs, and what they link to is there. In Node, over the texts. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asInstalled } from '../../full/process/as-installed.ts';
import { type Link, linksIn } from '../../source/links.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`);

/** The folders of the manual. `docs/adr` is about the code, and is not in the package. */
const FOLDERS = ['docs', 'docs/cookbook', 'docs/coming-from'];
const PAGES = [
  'README.md',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md') && file !== 'index.md')
      .map((file) => `${folder}/${file}`),
  ),
];

/** The blocks of a page that are written in a language. */
const blocksOf = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, code = '']) => code,
  );

/** What `npm create holdfast` starts with. create.test.ts runs each template. */
const TEMPLATES = 'src/create/templates';

/** The files that pages may show, as a user writes them. */
const SHOWABLE = new Map(
  ['src/examples', 'test/gate/node/examples', TEMPLATES]
    .flatMap(filesIn)
    .map((file) => [asInstalled(read(file)), file]),
);
const codeOn = (page: string): string[] => ['ts', 'tsx'].flatMap((language) => blocksOf(page, language));
const shownOn = (page: string): string[] => codeOn(page).flatMap((code) => SHOWABLE.get(code) ?? []);

it.each(PAGES)('%s shows no TypeScript but what is a whole file, as a user writes it', (page) => {
  expect(codeOn(page).filter((code) => !SHOWABLE.has(code))).toEqual([]);
});

it('every file that is shown is a test, or is run by one', () => {
  const shown = new Set(PAGES.flatMap(shownOn));
  expect(shown.size).toBeGreaterThan(8);
  const tests = filesIn('test').map(read).join('\n');
  const isRun = (file: string): boolean =>
    file.startsWith('test/') ||
    file.startsWith(TEMPLATES) ||
    tests.includes(`/${file}'`) ||
    tests.includes(`'${file}'`);
  // What an example imports from its folder runs with it.
  const runs = (file: string, seen: readonly string[] = []): boolean =>
    isRun(file) ||
    filesIn(dirname(file)).some(
      (other) =>
        !seen.includes(other) &&
        read(other).includes(`'./${basename(file)}'`) &&
        runs(other, [...seen, file]),
    );
  expect([...shown].filter((file) => !runs(file))).toEqual([]);
});

it('pages link to no source but that of the examples, which the package has', () => {
  const links = PAGES.flatMap((page) => linksOf(page).map(({ path }) => path)).filter((path) =>
    /\.tsx?$/.test(path),
  );
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((path) => !path.startsWith('src/examples/'))).toEqual([]);
});

const linksOf = (page: string): Link[] => linksIn(read(page), page);

/** The anchors of a page's headings, as GitHub and npm make them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(PAGES)('every link of %s leads somewhere', (page) => {
  const lost = linksOf(page).filter(
    ({ path, heading }) =>
      !existsSync(join(root, path)) || (heading !== undefined && !anchorsOf(path).includes(heading)),
  );
  expect(lost.map(({ to }) => to)).toEqual([]);
});

it('every page is in the package, and so is all that it links to', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const packed = [...listed.matchAll(/"path": "([^"]+)"/g)].map(([, path = '']) => path);
  const linked = PAGES.flatMap((page) => linksOf(page).map(({ path }) => path));
  expect([...PAGES, ...linked].filter((path) => !packed.includes(path))).toEqual([]);
});

it('the README says what a Worker weighs at the most', () => {
  const limit = /\['a Worker of one agent', WORKER, (\d+)\]/.exec(
    read('test/gate/repository/size.test.ts'),
  )?.[1];
  expect(read('README.md')).toContain(`| Holdfast | at most ${limit} |`);
});

it('the README has at most 120 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

it('the page on models and that on production name the defaults of settings', () => {
  const model = /model \?\? '(.+)'/.exec(read('src/model/openai-compatible/openai-compatible.ts'))?.[1];
  expect(read('docs/models.md')).toContain(`defaults to \`${model}\``);
  const lease = /DEFAULT_LEASE_MS = (.+);/.exec(read('durable-objects/session-object.ts'))?.[1];
  expect(read('docs/production.md').replaceAll(/\s+/g, ' ')).toContain(
    `\`LEASE_MS\` defaults to \`${lease?.replace('_', '')}\` ms`,
  );
});

it('the page on MCP names the defaults of clients', () => {
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

it('the settings on the page on deployment have what our own Worker needs', () => {
  const [settings = ''] = blocksOf('docs/deploy.md', 'toml');
  const withoutComments = settings.replace(/ +#.*$/gm, '');
  const [ofEveryWorker = ''] = read('wrangler.toml').split('\n[env.');
  const lines = ofEveryWorker.split('\n');
  const needed = lines.filter((line) =>
    /^(\[\[|\[obs|main|compatibility_|name = "S|class_name|tag|new_)/.test(line),
  );
  expect(needed).toHaveLength(11);
  expect(needed.filter((line) => !`\n${withoutComments}`.includes(`\n${line}\n`))).toEqual([]);
});

it('the page on mistakes has the words that developers read', () => {
  const [, shown = ''] = /```\n([\s\S]*?)```/.exec(read('docs/mistakes.md')) ?? [];
  const asserted = filesIn('test/gate/node/mistakes').map(read).join('');
  const lines = shown.trim().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines.filter((line) => !asserted.includes(`"${line}"`))).toEqual([]);
});

it('the page on production names every event of the log', () => {
  const [, union = ''] = /export type LoggedProblem =\n([\s\S]*?);\n/.exec(read('src/tool/log.ts')) ?? [];
  const events = [...union.matchAll(/\| '([a-z-]+)'/g)].map(([, event = '']) => event);
  expect(events.length).toBeGreaterThan(8);
  expect(events.filter((event) => !read('docs/production.md').includes(`\`${event}\``))).toEqual([]);
});

it('the page on the doctor has every problem that it finds', () => {
  const ids = filesIn('src/cli/doctor').flatMap((file) =>
    [...read(file).matchAll(/\bid: '([a-z0-9-]+)'/g)].map(([, id = '']) => id),
  );
  const flags = [...read('src/cli/doctor/check-config.ts').matchAll(/^ {2}([a-z_]+):$/gm)].map(
    ([, flag = '']) => flag.replaceAll('_', '-'),
  );
  const rows = [...read('docs/doctor.md').matchAll(/^\| `([a-z][a-z0-9-]+)`/gm)].map(([, id = '']) => id);
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.toSorted()).toEqual([...new Set([...ids, ...flags, 'enable-request-signal'])].toSorted());
});

it('the page on HTTP names every route', () => {
  const constants = { SESSION_PATH: '...', MCP_PATH: '/mcp', FILE: '.../files/{file}' };
  const files = [
    ...filesIn('src/worker/routes'),
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

it('the settings of a limit on requests are those that ours has as a comment', () => {
  const [limit = ''] = blocksOf('docs/production.md', 'toml');
  const commented = limit
    .trim()
    .split('\n')
    .map((line) => `# ${line.replace(/ +#.*$/, '')}`);
  expect(read('wrangler.toml')).toContain(`\n${commented.join('\n')}\n`);
});

it('the settings for a queue are those of our own production', () => {
  const [, queue = ''] = blocksOf('docs/production.md', 'toml');
  const lines = queue.split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(10);
  const ours = read('wrangler.toml').replaceAll('[[env.production.', '[[');
  expect(lines.filter((line) => !ours.includes(`\n${line.replace(/ +#.*$/, '')}\n`))).toEqual([]);
});

it('the page on deployment names the compatibility dates that the Worker asks for', () => {
  const dates = [...read('src/session/deployment.ts').matchAll(/\b20\d\d-\d\d-\d\d\b/g)].map(String);
  expect([...new Set(dates)].toSorted()).toEqual(['2025-11-17', '2026-10-01']);
  expect(dates.filter((date) => !read('docs/deploy.md').includes(`\`${date}\``))).toEqual([]);
  expect(read('src/create/cli/settings.ts')).toContain(`MIN_DATE = '${dates.toSorted()[0]}'`);
});

it.each([...PAGES, 'CONTRIBUTING.md', 'SECURITY.md', 'test/README.md'])(
  '%s names only scripts that there are',
  (page) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }; // our own
    const named = [...read(page).matchAll(/npm run ([a-z-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  },
);

it('every link of SECURITY.md leads somewhere', () => {
  const lost = linksOf('SECURITY.md').filter(
    ({ path, heading }) =>
      !existsSync(join(root, path)) || (heading !== undefined && !anchorsOf(path).includes(heading)),
  );
  expect(lost.map(({ to }) => to)).toEqual([]);
});

/** The scripts that somebody who changes the library needs. */
const EVERYDAY = ['dev', 'demo', 'check', 'format', 'test', 'test:full', 'bench', 'build'];

describe('the scripts of package.json', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }; // our own
  const rowsOf = (page: string): string[] =>
    [...read(page).matchAll(/^\| `npm (?:run )?([a-z:-]+)/gm)].map(([, name = '']) => name);

  it('are a table of eight in CONTRIBUTING.md', () => {
    expect(rowsOf('CONTRIBUTING.md')).toEqual(EVERYDAY);
  });

  it('are each described in CONTRIBUTING.md or in test/README.md, but for what npm runs itself', () => {
    const measuring = rowsOf('test/README.md');
    expect(measuring.filter((name) => EVERYDAY.includes(name))).toEqual([]);
    const page = read('CONTRIBUTING.md');
    const unnamed = Object.keys(scripts).filter(
      (name) => !measuring.includes(name) && !new RegExp(`npm (run )?${name}\\b`).test(page),
    );
    expect(unnamed).toEqual(['prepare', 'prepack']);
  });
});

it.each(['CONTRIBUTING.md', 'test/README.md'])('every link of %s leads somewhere', (page) => {
  const lost = linksOf(page).filter(({ path }) => !existsSync(join(root, path)));
  expect(lost.map(({ to }) => to)).toEqual([]);
});

it('the README asks for the Node that the package asks for', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }; // our own
  const [, oldest] = /^(?:You need )?Node (\d+\.\d+) or newer\./m.exec(read('README.md')) ?? [];
  expect(engines.node).toBe(`>=${oldest}.0`);
});
