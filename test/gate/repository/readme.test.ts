/** What the README shows is what runs. In Node, over the texts. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { asInstalled } from '../../full/process/as-installed.ts';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '../../..', file), 'utf8');
const readme = read('README.md');

/** What the README shows of TypeScript: files that other tests run. */
const SHOWN = [
  'src/examples/first/worker.ts',
  'test/gate/node/examples/first.test.ts',
  'test/gate/node/examples/crash-matrix.test.ts',
  'src/examples/rate-limited/with-rate-limit.ts',
  'src/examples/hooks/worker.ts',
  'src/examples/mcp/worker.ts',
  'src/examples/manual/manual.ts',
  'src/examples/expenses/expenses.ts',
  'src/examples/files-in-r2/r2-files.ts',
];

const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

it.each(SHOWN)('the README shows %s as a user writes it, and links it', (file) => {
  expect(blocks).toContain(asInstalled(read(file)));
  expect(readme).toContain(`](${file})`);
});

it('the README shows no TypeScript but what is a file that runs', () => {
  const files = SHOWN.map((file) => asInstalled(read(file)));
  expect(blocks.filter((block) => !files.includes(block))).toEqual([]);
});

it('the README names the defaults of settings', () => {
  const model = /DEFAULT_MODEL = '(.+)'/.exec(read('src/worker/choose-model.ts'))?.[1];
  expect(readme).toContain(`\`${model}\` unless set`);
  const lease = /DEFAULT_LEASE_MS = (.+);/.exec(read('durable-objects/session-object.ts'))?.[1];
  expect(readme).toContain(`in ms: \`${lease?.replace('_', '')}\` unless set`);
});

it('the README names the defaults of MCP clients', () => {
  const client = read('src/mcp/client/define-mcp-client.ts');
  expect(client).toContain(
    '  timeout: 30_000,\n  connectTimeout: 10_000,\n  maxResponseBytes: 4 * 1024 * 1024,\n',
  );
  expect(readme).toContain('30 s for a call, 10 s to connect and to list, and 4 MiB, unless given');
  expect(client).toContain('refreshAfter: 600_000,');
  expect(readme).toContain('asks again\nafter ten minutes');
  expect(read('src/mcp/tools/answer-elicitation.ts')).toContain('DEFAULT_ELICITATION = 60_000;');
  expect(readme).toContain('60 s unless said otherwise');
});

it('the README names what a Worker needs of our wrangler.toml', () => {
  const [ofEveryWorker = ''] = read('wrangler.toml').split('\n[env.');
  const lines = ofEveryWorker.split('\n');
  const needed = lines.filter((line) =>
    /^(\[\[|main|compatibility_|name = "S|class_name|tag|new_)/.test(line),
  );
  expect(needed).toHaveLength(9);
  expect(needed.filter((line) => !readme.includes(`\n${line}\n`))).toEqual([]);
});

it('the README names the compatibility dates that the Worker asks for', () => {
  const dates = [...read('src/session/deployment.ts').matchAll(/\b20\d\d-\d\d-\d\d\b/g)].map(String);
  expect([...new Set(dates)].toSorted()).toEqual(['2025-11-17', '2026-10-01']);
  expect(dates.filter((date) => !readme.includes(`\`${date}\``))).toEqual([]);
});

it('the README names only files, scripts and folders that exist', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  const folders = [...readme.matchAll(/^\| `([a-z/-]+)` \|/gm)].map(([, path = '']) => path);
  const missing = [...links, ...folders].filter(
    (path) => !existsSync(resolve(import.meta.dirname, '../../..', path)),
  );
  expect(missing).toEqual([]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...readme.matchAll(/npm run ([a-z-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
