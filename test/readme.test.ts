/** What the README shows is what runs. In Node, over the texts. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8');
const readme = read('README.md');

it('the README shows the first example as it stands', () => {
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  const example = read('src/examples/first/worker.ts')
    .replace('../../index.ts', 'holdfast')
    .replace('../../worker-entry.ts', 'holdfast/worker')
    .replace('../../../durable-objects/index.ts', 'holdfast/durable-objects');
  expect(shown).toBe(example);
});

it('the README names only files, scripts and folders that exist', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  const folders = [...readme.matchAll(/^\| `([a-z/-]+)` \|/gm)].map(([, path = '']) => path);
  const missing = [...links, ...folders].filter(
    (path) => !existsSync(resolve(import.meta.dirname, '..', path)),
  );
  expect(missing).toEqual([]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});
