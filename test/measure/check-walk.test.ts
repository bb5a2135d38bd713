import { expect, it } from 'vitest';
import { parseSource } from '../source/parse-source.ts';
import { findWalkProblems, listWalkFiles } from './check-walk.ts';
import type { Step } from './walk.ts';

const SOURCES = [
  parseSource(
    'src/a.ts',
    "import { b, type T } from './b.ts';\nimport { C } from './c.ts';\nexport function a(stub: T) { b(new C()); stub.begin(); }",
  ),
  parseSource('src/b.ts', 'export type T = { begin(): void };\nexport const b = (one: unknown) => one;'),
  parseSource('src/c.ts', 'export class C { m() {} }'),
  parseSource('src/d.ts', 'export class D { begin() {} }'),
];

const createStep = (file: string, calls: string, from: string | null): Step => ({
  file,
  calls,
  does: 'works',
  from,
});

const FIRST_STEP = createStep('src/a.ts', 'a', null);

it('a walk is valid if it follows imports of functions and classes, and calls without an import', () => {
  const walk: Step[] = [
    FIRST_STEP,
    createStep('src/b.ts', 'b', 'src/a.ts'),
    createStep('src/c.ts', 'C.m', 'src/a.ts'),
    { ...createStep('src/d.ts', 'D.begin', 'src/a.ts'), through: { reason: 'a stub', as: 'begin' } },
  ];
  expect(findWalkProblems(walk, SOURCES)).toEqual([]);
});

it.each<[string, Step, string]>([
  ['a missing file', createStep('src/e.ts', 'e', 'src/a.ts'), 'src/e.ts e: there is no such file.'],
  [
    'a missing function',
    createStep('src/b.ts', 'c', 'src/a.ts'),
    'src/b.ts c: the file has no such function.',
  ],
  [
    'a second start',
    createStep('src/b.ts', 'b', null),
    'src/b.ts b: only the first step is called by nobody.',
  ],
  [
    'a caller that is not on the walk',
    createStep('src/b.ts', 'b', 'src/d.ts'),
    'src/b.ts b: no earlier step is in src/d.ts.',
  ],
  [
    'a function that its caller does not import',
    createStep('src/d.ts', 'D.begin', 'src/a.ts'),
    'src/d.ts D.begin: src/a.ts does not import `D` from it.',
  ],
  [
    'a call that does not exist',
    { ...createStep('src/d.ts', 'D.begin', 'src/a.ts'), through: { reason: 'a stub', as: 'end' } },
    'src/d.ts D.begin: src/a.ts calls nothing `end`, through a stub.',
  ],
])('a walk is invalid with %s', (_, wrong, problem) => {
  expect(findWalkProblems([FIRST_STEP, wrong], SOURCES)).toEqual([problem]);
});

it('a walk is invalid if a step only follows the import of a type', () => {
  const sources = [
    parseSource('src/a.ts', "import type { D } from './d.ts';\nexport const a = (d: D) => d;"),
    parseSource('src/d.ts', 'export class D { begin() {} }'),
  ];
  expect(findWalkProblems([FIRST_STEP, createStep('src/d.ts', 'D.begin', 'src/a.ts')], sources)).toEqual([
    'src/d.ts D.begin: src/a.ts does not import `D` from it.',
  ]);
});

it('a step within a file needs no import, but the file must call the function or construct its class', () => {
  const sources = [
    parseSource(
      'src/a.ts',
      'export const a = () => [b(), new C()];\nconst b = () => 1;\nclass C { m() {} }\nconst d = () => 2;',
    ),
  ];
  const walk = [FIRST_STEP, ...['b', 'C.m', 'd'].map((calls) => createStep('src/a.ts', calls, 'src/a.ts'))];
  expect(findWalkProblems(walk, sources)).toEqual([
    'src/a.ts d: nothing of the file itself calls or constructs `d`.',
  ]);
});

it('the files of a walk list a file with several steps once', () => {
  expect(
    listWalkFiles([
      FIRST_STEP,
      createStep('src/b.ts', 'b', 'src/a.ts'),
      createStep('src/a.ts', 'a', 'src/b.ts'),
    ]),
  ).toEqual(['src/a.ts', 'src/b.ts']);
});
