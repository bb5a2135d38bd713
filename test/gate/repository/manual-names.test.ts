/**
 * Checks that the manual mentions every exported value, option, var, secret and binding. Types are in the
 * reference.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { collectEntries, type Manifest } from '../../measure/public-names.ts';
import { collectOptions } from '../../source/options.ts';
import { readLibrary } from '../../source/parse-source.ts';
import { collectSettings } from '../../source/settings.ts';

const root = resolve(import.meta.dirname, '../../..');
const library = new Map(readLibrary(root).map((source) => [source.file, source]));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // this repository's manifest
// An entry that only re-exports other entries has no names of its own.
const entries = collectEntries(manifest, [...library.values()]).filter(
  ({ onlyReexports: gathers }) => !gathers,
);

/** The words in the code blocks and the inline code of each page. */
const pages = ['.', 'cookbook', 'coming-from'].flatMap((folder) =>
  readdirSync(join(root, 'docs', folder))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => collectCodeWords(readFileSync(join(root, 'docs', folder, file), 'utf8'))),
);

function collectCodeWords(page: string): ReadonlySet<string> {
  const code = page.match(/^(```|~~~)[\s\S]*?^\1|`[^`\n]+`/gm) ?? [];
  return new Set(code.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
}

const isOnAPage = (...names: readonly string[]): boolean =>
  pages.some((words) => names.every((name) => words.has(name)));

it('the manual mentions every function, class and constant that an entry exports', () => {
  const values = entries.flatMap(({ entry, values }) => values.map((name) => ({ entry, name })));
  expect(values.length).toBeGreaterThan(250);
  const missing = values.filter(({ name }) => !isOnAPage(name));
  expect(missing.map(({ entry, name }) => `${name} of ${entry}`)).toEqual([]);
});

it('the manual mentions every option on a page with its function, and every nested option on any page', () => {
  const functions = entries.flatMap(({ file, values }) => {
    const source = library.get(file);
    return source ? values.map((name) => ({ name, options: collectOptions(name, source, library) })) : [];
  });
  expect(functions.flatMap(({ options }) => options.own).length).toBeGreaterThan(400);
  const missing = functions.flatMap(({ name, options }) => [
    ...options.own.filter((option) => !isOnAPage(name, option)).map((option) => `${name}({ ${option} })`),
    ...options.inner.filter((option) => !isOnAPage(option)).map((option) => `${name}: ${option}`),
  ]);
  expect(missing).toEqual([]);
}, 60_000);

it('the manual mentions every var, secret and binding that a deployment or a command reads', () => {
  const settings = [...library.values()].flatMap((source) => {
    if (source.file === 'src/worker.ts' || !/env/i.test(source.text)) return []; // the Worker of this repository
    const found = collectSettings(source);
    return source.file.startsWith('src/cli/') ? found.filter((name) => name.startsWith('HOLDFAST_')) : found;
  });
  expect(settings.length).toBeGreaterThan(25);
  expect([...new Set(settings)].filter((name) => !isOnAPage(name)).toSorted()).toEqual([]);
}, 60_000);
