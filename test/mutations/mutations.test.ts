/** Detects within seconds whether a function listed in `test/mutations.ts` was renamed or changed. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { HOLES } from '../full/plays/machine/holes.ts';
import { MUTATIONS } from '../mutations.ts';
import { readLibrary } from '../source/parse-source.ts';
import { applyReplacements, locateMutation } from './locate.ts';

const root = resolve(import.meta.dirname, '../..');
const sources = readLibrary(root);

it('the list has 91 mutations with unique names', () => {
  expect(MUTATIONS).toHaveLength(91);
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(91);
});

it.each(MUTATIONS)('the mutation $name changes one place of $in to valid code', (mutation) => {
  const place = locateMutation(sources, mutation);
  const text = sources.find(({ file }) => file === place.file)?.text ?? '';
  const changed = applyReplacements(text, [{ place, becomes: mutation.replacement }]);
  const compileCode = (code: string): string =>
    transformSync(code, { loader: 'ts', minifyWhitespace: true }).code;
  expect(compileCode(changed)).not.toBe(compileCode(text));
});

it.each(HOLES)('the hole $name of the plays changes existing code to valid code', ({ name, changes }) => {
  for (const one of changes) {
    const place = locateMutation(sources, { ...one, name, effect: '', tests: [''] });
    const text = sources.find(({ file }) => file === place.file)?.text ?? '';
    const changed = applyReplacements(text, [{ place, becomes: one.replacement }]);
    expect(() => transformSync(changed, { loader: 'ts' })).not.toThrow();
  }
});

it.each(MUTATIONS)('the mutation $name lists existing test files', ({ tests }) => {
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
