/** Every `define*` function of the package has a section in the type test of inference. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { collectEntries, type Manifest } from '../../measure/public-names.ts';
import { listSourceFiles, readSource } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const manifest: Manifest = JSON.parse(read('package.json'));
const sources = ['src', 'durable-objects'].flatMap((folder) =>
  listSourceFiles(root, folder).map((file) => readSource(root, file)),
);
const defines = [...new Set(collectEntries(manifest, sources).flatMap(({ values }) => values))]
  .filter((name) => /^define[A-Z]/.test(name))
  .toSorted();

/** The sections, each of which begins with the names of its functions. */
const sections = read('test/types/inference.test-d.ts')
  .split(/^\/\/ (?=\w+(?:, | and |:|$))/m)
  .slice(1);

it('the package has define functions, and the type test has sections', () => {
  expect(defines).toContain('defineTool');
  expect(sections.length).toBeGreaterThan(10);
});

it.each(defines)('the type test asserts the inferred type of %s, and a compile error', (name) => {
  const its = sections.filter((section) => new RegExp(`^[^\\n]*\\b${name}\\b`).test(section));
  expect(its).toHaveLength(1);
  expect(its[0]).toContain(`${name}({`);
  expect(its[0]).toContain('expectTypeOf(');
  expect(its[0]).toContain('@ts-expect-error');
});
