import { expect, it } from 'vitest';
import { collectExports, collectImports } from './imports.ts';
import { parseSource } from './parse-source.ts';

const parseText = (text: string) => parseSource('src/a/b.ts', text);

it.each<[string, string, string, boolean, readonly string[]]>([
  ['a value', "import { c } from './c.ts';", 'src/a/c.ts', false, ['c']],
  ['a value under another name', "import { c as d } from '../c.ts';", 'src/c.ts', false, ['c']],
  ['all exports of a file', "import * as c from './c.ts';", 'src/a/c.ts', false, ['*']],
  ['a default', "import c, { type D } from 'c/d';", 'c/d', false, ['default', 'D']],
  ['an import for side effects', "import './c.ts';", 'src/a/c.ts', false, []],
  ['a value next to types', "import { type C, d } from './c.ts';", 'src/a/c.ts', false, ['C', 'd']],
  ['a type', "import type { C } from './c.ts';", 'src/a/c.ts', true, ['C']],
  ['a list of types', "import { type C, type D } from './c.ts';", 'src/a/c.ts', true, ['C', 'D']],
  ['a re-exported name', "export { c } from './c.ts';", 'src/a/c.ts', false, ['c']],
  ['re-exported types', "export type { C } from './c.ts';", 'src/a/c.ts', true, ['C']],
  ['a re-export of all names', "export * from './c.ts';", 'src/a/c.ts', false, ['*']],
  ['a dynamic import', "const c = () => import('./c.ts');", 'src/a/c.ts', false, ['*']],
  ['an inline import type', "type C = import('./c.ts').C;", 'src/a/c.ts', true, ['*']],
])('%s is an import', (_, text, to, typeOnly, names) => {
  expect(collectImports(parseText(text))).toEqual([{ from: 'src/a/b.ts', to, typeOnly, names }]);
});

it('comments and strings contain no imports', () => {
  expect(
    collectImports(parseText("/*\nimport { a } from './a.ts';\n*/ export const b = `\nimport './c.ts'`;")),
  ).toEqual([]);
});

it.each<[string, string, readonly [name: string, isType: boolean, from: string | null][]]>([
  [
    'constants',
    'export const c = 1, d = 2;',
    [
      ['c', false, null],
      ['d', false, null],
    ],
  ],
  [
    'a class and types',
    'export class C {} export interface D {} export type E = D;',
    [
      ['C', false, null],
      ['D', true, null],
      ['E', true, null],
    ],
  ],
  ['overloads as one', 'export function f(): void; export function f(a?: 1) {}', [['f', false, null]]],
  [
    'a constant and a type with one name as a value',
    'export const C = 1; export type C = 1;',
    [['C', false, null]],
  ],
  [
    'a re-exported name',
    "export { c, type D as E } from './c.ts'; export type { F } from 'f';",
    [
      ['c', false, 'src/a/c.ts'],
      ['E', true, 'src/a/c.ts'],
      ['F', true, 'f'],
    ],
  ],
  [
    'all exports of other files',
    "export * from './c.ts'; export * from './d.ts';",
    [
      ['*', false, 'src/a/c.ts'],
      ['*', false, 'src/a/d.ts'],
    ],
  ],
  ['a default', 'export default 1;', [['default', false, null]]],
])('a file exports %s', (_, text, names) => {
  expect(collectExports(parseText(text)).map(({ name, isType, from }) => [name, isType, from])).toEqual(
    names,
  );
});
