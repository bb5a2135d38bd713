import { expect, it } from 'vitest';
import { parseSource } from '../source/parse-source.ts';
import { measureCode } from './measure-code.ts';
import { computeBudgetGoals, computeGoals, formatReport, type RuntimeFigures } from './report.ts';
import type { Step } from './walk.ts';

const SOURCES = [
  parseSource('src/index.ts', "export { a, type A } from './a/a.ts';\nexport * from './b/b.ts';\n"),
  parseSource(
    'src/other.ts',
    "import { B } from './b/b.ts';\nexport type { A } from './a/a.ts';\nexport const b = B; const OTHER = defineSeam();\n",
  ),
  parseSource(
    'src/a/a.ts',
    "import type { C } from '../b/b.ts';\nexport type A = C;\nexport function a() {\n  return [].map((n) => n);\n}\n",
  ),
  parseSource(
    'src/b/b.ts',
    "import { a } from '../a/a.ts';\nexport type C = 1;\nexport class B {\n  m(a: 1, b: 2, { c }: D, ...d: 3[]) {}\n}\na();\n",
  ),
];
const WALK: Step[] = [
  { file: 'src/b/b.ts', calls: 'B.m', does: 'begins', from: null },
  { file: 'src/a/a.ts', calls: 'a', does: 'ends', from: 'src/b/b.ts' },
];
const MANIFEST = {
  name: 'holdfast',
  exports: { '.': { types: './dist/src/index.d.ts' }, './other': { types: './dist/src/other.d.ts' } },
};
const figures = measureCode(SOURCES, WALK, MANIFEST);

it('`measureCode` measures files, functions, circles, entries and the walk', () => {
  expect(figures).toEqual({
    files: { count: 4, lines: 16, median: 3, p90: 6, longest: 6 },
    codeLines: { all: 10, kernel: 0 },
    functions: { count: 2, lines: 4, median: 1, p90: 3, longest: 3 },
    circles: {
      values: [],
      files: [['src/a/a.ts', 'src/b/b.ts']],
      topFolders: [['src/a', 'src/b']],
      nestedFolders: [],
    },
    seams: [{ file: 'src/other.ts', name: 'OTHER' }],
    wide: [{ file: 'src/b/b.ts', name: 'B.m', parameters: 4 }],
    entries: [
      {
        entry: 'holdfast',
        file: 'src/index.ts',
        onlyReexports: false,
        values: ['B', 'a'],
        types: ['A', 'C'],
        hints: [],
      },
      {
        entry: 'holdfast/other',
        file: 'src/other.ts',
        onlyReexports: false,
        values: ['b'],
        types: ['A'],
        hints: [],
      },
    ],
    sharedNames: [{ name: 'A', entries: ['holdfast', 'holdfast/other'] }],
    walk: {
      files: [
        { file: 'src/b/b.ts', lines: 6 },
        { file: 'src/a/a.ts', lines: 5 },
      ],
      lines: 11,
      problems: [],
    },
  });
});

it('an entry that only re-exports other entries has no names of its own', () => {
  const both = parseSource('src/both.ts', "export * from './index.ts';\n");
  const exports = { ...MANIFEST.exports, './both': { types: './dist/src/both.d.ts' } };
  const { entries, sharedNames } = measureCode([...SOURCES, both], WALK, { ...MANIFEST, exports });
  const names = { values: ['B', 'a'], types: ['A', 'C'], hints: [] };
  expect(entries[2]).toEqual({ entry: 'holdfast/both', file: 'src/both.ts', onlyReexports: true, ...names });
  expect(sharedNames).toEqual(figures.sharedNames);
});

it('`computeGoals` reports whether each goal is met', () => {
  expect(computeGoals(figures)).toEqual([
    { goal: 'at most 420 files', is: 4, isMet: true },
    { goal: 'at most 45,000 lines with code', is: 10, isMet: true },
    { goal: 'at most 10,000 lines with code in the kernel', is: 0, isMet: true },
    { goal: 'at most 250 lines in nine of ten files', is: 6, isMet: true },
    { goal: 'median of a file 85 lines or more', is: 3, isMet: false },
    { goal: 'at most 20 files on the walk', is: 2, isMet: true },
    { goal: 'at most 2,500 lines on the walk', is: 11, isMet: true },
    { goal: 'no steps of the walk that are not so', is: 0, isMet: true },
    { goal: 'no circles between files', is: 1, isMet: false },
    { goal: 'no circles between top folders', is: 1, isMet: false },
    { goal: 'no circles between nested folders', is: 0, isMet: true },
    { goal: 'at most 10 seams', is: 1, isMet: true },
    { goal: 'no functions with four or more positional parameters', is: 1, isMet: false },
    { goal: 'no names that two entries export', is: 1, isMet: false },
    { goal: 'at most 120 names of `holdfast`', is: 4, isMet: true },
  ]);
});

const RUNTIME_FIGURES: RuntimeFigures = {
  executed: [
    {
      scenario: 'a call',
      worker: 'call',
      functions: [{ file: 'src/a/a.ts', line: 1 }],
      files: ['src/a/a.ts'],
      packaged: 2,
    },
  ],
  clerk: { gzipped: 2048, folders: [{ folder: 'src/a', bytes: 3072 }] },
  added: [{ name: 'holdfast/other', added: 512 }],
  modules: [{ name: 'src/modules/other', added: 1536 }],
};
const budgets = computeBudgetGoals(RUNTIME_FIGURES, {
  executed: { call: { functions: 0, files: 1 } },
  clerk: 2,
});

it('`computeBudgetGoals` compares each budget with its figure', () => {
  expect(budgets).toEqual([
    { goal: 'no functions executed by a call', is: 1, isMet: false },
    { goal: 'at most 1 files executed by a call', is: 1, isMet: true },
    { goal: "at most 2 KiB of the README's Worker, gzipped", is: 2, isMet: true },
  ]);
});

it('the report lists the executed code and the content of the Worker', () => {
  const lines = formatReport(figures, RUNTIME_FIGURES, budgets).split('\n');
  expect(lines).toContain('     1    1    2  a call');
  expect(lines).toContain("The README's Worker:    2.0 KiB gzipped; before that, by folder");
  expect(lines).toContain('     3.0 KiB  src/a');
  expect(lines).toContain('     0.5 KiB  holdfast/other');
  expect(lines).toContain('     1.5 KiB  src/modules/other');
  expect(lines).toContain('  FAIL  no functions executed by a call                1');
});

it('the report lists the circles, functions and shared names that violate a goal', () => {
  const lines = formatReport(figures, RUNTIME_FIGURES, computeGoals(figures)).split('\n');
  expect(lines).toContain('Circles between files, types included: 1');
  expect(lines).toContain('  src/a/a.ts -> src/b/b.ts -> src/a/a.ts');
  expect(lines).toContain('  OTHER  src/other.ts');
  expect(lines).toContain('  4  src/b/b.ts B.m');
  expect(lines).toContain('  A: holdfast, holdfast/other');
  expect(lines).toContain('     6  src/b/b.ts');
  expect(lines).toContain('  pass  at most 420 files                                     4');
  expect(lines).toContain('  FAIL  no circles between top folders                        1');
});

it('an entry without a source is an error', () => {
  const manifest = { name: 'holdfast', exports: { './gone': { types: './dist/src/gone.d.ts' } } };
  expect(() => measureCode(SOURCES, WALK, manifest)).toThrow(
    new Error('The source of holdfast/gone, src/gone.ts, does not exist.'),
  );
});
