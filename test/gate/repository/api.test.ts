/** Limits how much a user must learn: the exported names and the options. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as core from '../../../src/index.ts';
import { LITERAL_SHAPES } from '../../doors/tools.ts';
import { collectEntries, findSharedNames, type Manifest } from '../../measure/public-names.ts';
import { readLibrary } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // this repository's manifest
const entries = collectEntries(manifest, readLibrary(root));
const main = entries.find(({ entry }) => entry === 'holdfast');

describe('the public API', () => {
  it('has at most 120 names in the main entry', () => {
    const { values = [], types = [], hints: others = [] } = main ?? {};
    expect(values.length).toBeGreaterThan(20);
    expect(values.length + types.length + others.length).toBeLessThanOrEqual(120);
  });

  it('exports each name from only one entry', () => {
    expect(findSharedNames(entries)).toEqual([]);
  });

  it('throws an error with the right import for each name that another entry exports', () => {
    const led = Object.entries(core).filter(([name]) => main?.hints.includes(name));
    expect(led.map(([name]) => name).toSorted()).toEqual(main?.hints);
    expect(led.length).toBeGreaterThan(5);
    for (const [name, call] of led) {
      const entry = entries.find(({ values }) => values.includes(name))?.entry;
      const line = `import { ${name} } from '${entry}'`;
      expect(() => (call as (from: string) => never)('')).toThrow(
        `'holdfast' has no ${name}. Write ${line}.`,
      );
      expect(readFileSync(join(root, 'src/elsewhere.ts'), 'utf8').split(line)).toHaveLength(3);
    }
  });
});

it.each([
  ['defineAgent', 12],
  ['createHoldfast', 8],
] as const)('%s has at most %i options', (of, most) => {
  // A type test checks that these keys are those of the literal's type.
  expect(Object.keys(LITERAL_SHAPES[of].keys).length).toBeLessThanOrEqual(most);
});
