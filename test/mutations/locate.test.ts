import { expect, it } from 'vitest';
import type { Mutation } from '../mutations.ts';
import { parseSource as source } from '../source/parse-source.ts';
import { applyReplacements, locateMutation } from './locate.ts';

const createMutation = (change: Partial<Mutation>): Mutation => ({
  name: 'guard',
  effect: 'It breaks.',
  in: 'pay',
  text: 'if (paid) return;',
  replacement: '',
  tests: ['a.test.ts'],
  ...change,
});

const PAY_CODE =
  'function owe() { if (paid) return; }\nfunction pay() {\n  if (paid)\n    return;\n  send();\n}\n';

it('`locate` finds the replaced code inside the function, regardless of line breaks', () => {
  const place = locateMutation(
    [source('src/a.ts', 'function a() {}'), source('src/pay.ts', PAY_CODE)],
    createMutation({}),
  );
  expect(place).toMatchObject({ file: 'src/pay.ts' });
  expect(applyReplacements(PAY_CODE, [{ place, becomes: 'log();' }])).toBe(
    'function owe() { if (paid) return; }\nfunction pay() {\n  log();\n  send();\n}\n',
  );
});

it('`replaced` replaces several places of one file, in any order', () => {
  const changes = [
    { place: { start: 0, end: 1 }, becomes: 'xyz' },
    { place: { start: 3, end: 5 }, becomes: '' },
  ];
  expect(applyReplacements('abcdef', changes)).toBe('xyzbcf');
  expect(applyReplacements('abcdef', changes.toReversed())).toBe('xyzbcf');
});

it.each<[string, Partial<Mutation>, string]>([
  [
    'a missing function',
    { in: 'Till.pay' },
    "guard: the function 'Till.pay' does not exist. Update its entry in test/mutations.ts.",
  ],
  [
    'two functions with the same name',
    { in: 'open' },
    "guard: 2 functions are named 'open': in src/a.ts, src/b.ts. Add the owner to the name in test/mutations.ts, as " +
      "in 'Owner.open', or name another function.",
  ],
  [
    'a function without the text',
    { text: 'if (owed)' },
    "guard: 'pay' in src/pay.ts must contain `if (owed)` exactly once, not 0 times. Update its entry in test/mutations.ts.",
  ],
  [
    'a function that contains the text several times',
    { in: 'count', text: 'n += 1' },
    "guard: 'count' in src/b.ts must contain `n += 1` exactly once, not 2 times. Update its entry in test/mutations.ts.",
  ],
])('`locate` reports %s and how to fix the entry', (_, change, message) => {
  const sources = [
    source('src/a.ts', 'const open = () => 1;'),
    source('src/b.ts', 'class A { open() {} }\nfunction count() { n += 1; n += 1; }'),
    source('src/pay.ts', PAY_CODE),
  ];
  expect(() => locateMutation(sources, createMutation(change))).toThrow(new Error(message));
});
