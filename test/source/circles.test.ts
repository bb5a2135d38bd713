import { describe, expect, it } from 'vitest';
import { type Arrow, findCircles, findFolderCircles, formatCircle, listFolders } from './circles.ts';
import { collectImports } from './imports.ts';
import { parseSource } from './parse-source.ts';

/** Parses `a > b` into an arrow. */
const parseArrows = (...all: readonly string[]): Arrow[] =>
  all.map((one) => {
    const [from = '', to = ''] = one.split(' > ');
    return { from, to };
  });

describe('circles', () => {
  it.each<[string, readonly string[], readonly (readonly string[])[]]>([
    ['no arrows', [], []],
    ['a tree', ['a > b', 'a > c', 'b > c'], []],
    ['an arrow to itself', ['a > a'], []],
    ['two files that import each other', ['b > a', 'a > b'], [['a', 'b']]],
    ['three files and an arrow to them', ['x > c', 'c > a', 'a > b', 'b > c', 'b > y'], [['a', 'b', 'c']]],
    [
      'two circles that share a file',
      ['a > b', 'b > a', 'b > c', 'c > b'],
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
    ],
    [
      'a short circle within a long one',
      ['a > b', 'b > c', 'c > a', 'b > a'],
      [
        ['a', 'b'],
        ['a', 'b', 'c'],
      ],
    ],
  ])('are found without duplicates: %s', (_, all, circles) => {
    expect(findCircles(parseArrows(...all))).toEqual(circles);
  });

  it('are found between files even if one of them imports only types', () => {
    const files = [
      parseSource('src/a.ts', "import type { B } from './b.ts';\nexport const a: B = 1;"),
      parseSource('src/b.ts', "import { a } from './a.ts';\nexport type B = 1; a;"),
    ];
    const all = files.flatMap(collectImports);
    expect(findCircles(all).map(formatCircle)).toEqual(['src/a.ts -> src/b.ts -> src/a.ts']);
    expect(findCircles(all.filter(({ typeOnly }) => !typeOnly))).toEqual([]);
  });
});

describe('circles between folders', () => {
  it('are found even if there is no circle between their files', () => {
    const all = parseArrows('src/a/1.ts > src/b/1.ts', 'src/b/2.ts > src/a/2.ts');
    expect(findCircles(all)).toEqual([]);
    expect(findFolderCircles(all)).toEqual({ top: [['src/a', 'src/b']], nested: [] });
  });

  it('are found between a folder of src and a folder next to src', () => {
    const back = parseArrows('durable-objects/1.ts > src/a/1.ts', 'src/a/b/1.ts > durable-objects/2.ts');
    expect(findFolderCircles(back)).toEqual({ top: [['durable-objects', 'src/a']], nested: [] });
    const on = parseArrows('durable-objects/1.ts > src/a/1.ts', 'src/b/1.ts > durable-objects/2.ts');
    expect(findFolderCircles(on)).toEqual({ top: [], nested: [] });
  });

  it('treat each file directly in src as a separate folder', () => {
    const all = parseArrows(
      'src/index.ts > src/a/1.ts',
      'src/b/1.ts > src/kinds.ts',
      'src/kinds.ts > src/c/1.ts',
    );
    expect(findFolderCircles(all).top).toEqual([]);
    expect(findFolderCircles([...all, ...parseArrows('src/c/2.ts > src/kinds.ts')]).top).toEqual([
      ['src/c', 'src/kinds.ts'],
    ]);
  });

  it('are found between the subfolders of a folder, whose own files are ignored', () => {
    const siblings = parseArrows('src/a/b/1.ts > src/a/c/d/1.ts', 'src/a/c/2.ts > src/a/b/2.ts');
    expect(findFolderCircles(siblings)).toEqual({ top: [], nested: [['src/a/b', 'src/a/c']] });
    const parent = parseArrows('src/a/1.ts > src/a/b/1.ts', 'src/a/b/2.ts > src/a/2.ts');
    expect(findFolderCircles(parent)).toEqual({ top: [], nested: [] });
  });

  it('are searched in every folder that contains a file', () => {
    expect(listFolders(['src/a/b/1.ts', 'src/2.ts'])).toEqual(['src', 'src/a', 'src/a/b']);
  });
});
