import { describe, expect, it } from 'vitest';
import { formatProblems } from '../../../doors/tools.ts';

describe('formatProblems', () => {
  it.each<[readonly PropertyKey[], string]>([
    [[], 'Wrong'],
    [['items', 0, 'quantity'], 'items[0].quantity: Wrong'],
    [[0, 'a'], '[0].a: Wrong'],
    [['a b', 'c"d', ''], '["a b"]["c\\"d"][""]: Wrong'],
    [['größe', 'x-1', '$ref'], 'größe.x-1.$ref: Wrong'],
    [['k'.repeat(41)], `${'k'.repeat(39)}…: Wrong`],
  ])('writes the path %j as in %j', (path, line) => {
    expect(formatProblems([{ path, message: 'Wrong' }])).toEqual([line]);
  });

  it('omits the path if the message already begins with the path, as in ArkType', () => {
    expect(formatProblems([{ path: ['items', 0], message: 'items[0] must be a number' }])).toEqual([
      'items[0] must be a number',
    ]);
    expect(formatProblems([{ path: ['a'], message: 'a number is missing' }])).toEqual([
      'a: a number is missing',
    ]);
  });

  it('returns one short line per problem, regardless of the input from the model', () => {
    const [line] = formatProblems([{ path: [], message: `received "one\n\n  two${'x'.repeat(1_000_000)}"` }]);
    expect(line).toBe(`received "one two${'x'.repeat(222)}…`);
    const deep = Array.from({ length: 1000 }, () => 'key');
    expect(formatProblems([{ path: deep, message: 'Wrong' }])[0]).toMatch(/^key(\.key)+.*…: Wrong$/);
  });

  it('cuts no character in half', () => {
    expect(
      formatProblems([{ path: [], message: `${'x'.repeat(238)}${'😀'.repeat(9)}` }])[0]?.isWellFormed(),
    ).toBe(true);
  });

  it('lists each problem once, and counts the problems after the twentieth', () => {
    const problems = Array.from({ length: 25 }, (_, index) => ({ path: [index], message: 'Wrong' }));
    const lines = formatProblems([...problems, ...problems]);
    expect(lines).toHaveLength(21);
    expect(lines.slice(19)).toEqual(['[19]: Wrong', 'and 5 more']);
    expect(formatProblems(problems.slice(0, 20))).toHaveLength(20);
  });
});
