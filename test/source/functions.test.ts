import { describe, expect, it } from 'vitest';
import { collectFunctions, findFunctions } from './functions.ts';
import { parseSource } from './parse-source.ts';

const parseText = (text: string) => parseSource('src/a.ts', text);

/** Returns the texts of the functions with this name. */
const findTexts = (text: string, name: string): string[] =>
  findFunctions(parseText(text), name).map(({ start, end }) => text.slice(start, end));

describe('`findFunctions` finds a function', () => {
  it.each([
    ['that is declared', 'function f() { g({}); }'],
    [
      'that is exported, and asynchronous',
      'export async function f<T extends { a: 1 }>(a: T = {}): Promise<T> { }',
    ],
    ['that is a generator', 'async function* f(): AsyncGenerator<{ a: 1 }> { yield 1; }'],
    [
      'that returns an object type',
      'function f(a: () => {}): { readonly b: { c: 1 } } | null { return null; }',
    ],
    ['that returns a function type', 'function f(): (a: { b: 1 }) => { c: 1 } { return g; }'],
    ['that returns a union of literals', "function f(): 'a' | 'b' { return 'a'; }"],
    ['that returns a mapped type', 'function f(): Readonly<Record<string, { a: 1 }>> { return {}; }'],
    ['that is a type guard', 'function f(a: unknown): a is { b: 1 } { return true; }'],
    ['that is a constant', 'const f = (a: string): { b: 1 } => ({ b: 1 });'],
    ['that is a constant with a body', 'export const f = async (a) => { const b = () => {}; };'],
    ['that is a constant with a type', 'const f: (a: string) => void = (a) => g(a);'],
    ['that is a constant with type parameters', 'const f = <T>(a: T) => a;'],
    ['that is a constant with one parameter', 'const f = a => b => c;'],
    ['that is a constant with `satisfies`', 'const f = ((a) => g(a)) satisfies G;'],
    ['that has a bracket in a string', "function f() { return '}'; }"],
  ])('%s', (_, text) => {
    const all = `function g() { return f({}); }\n${text}\nfunction h() { f(); }`;
    expect(findTexts(all, 'f')).toEqual([text.slice(text.search(/\bf\b/)).replace(/;$/, '')]);
  });

  it.each([
    ['a method', 'f(a: { b: 1 }): void { this.g(); }'],
    ['an asynchronous method', 'async f<T>(): Promise<T> { }'],
    ['an accessor', 'get f(): boolean { return f(1) ? { a: 1 } : { b: 2 }; }'],
    ['an overriding method', 'static override async f() { }'],
    ['a field with a function', 'readonly f = (a: string) => g(a)'],
  ])('that is %s of a class, without its calls', (_, text) => {
    const all = `class A {\n  #a = f();\n\n  /** It's the one. */\n  ${text}\n  g() { f(); if (f()) { } }\n}`;
    expect(findTexts(all, 'f')).toEqual([text.slice(text.search(/\bf\b/))]);
  });

  it('that is a private method', () => {
    expect(findTexts('class A { #f() { this.#f(); } f() {} }', '#f')).toEqual(['#f() { this.#f(); }']);
  });

  it('inside its named owner: a class, a constant or a function', () => {
    const text = `class A { f() { 1; } }
      const B = { g: 1, f(a) { 2; } };
      function c() { const f = () => 3; return g({ d, f() { 4; } }); }`;
    expect(findTexts(text, 'A.f')).toEqual(['f() { 1; }']);
    expect(findTexts(text, 'B.f')).toEqual(['f(a) { 2; }']);
    expect(findTexts(text, 'c.f')).toEqual(['f = () => 3', 'f() { 4; }']);
    expect(findTexts(text, 'f')).toHaveLength(4);
    expect(findTexts(text, 'B.c.f')).toEqual([]);
  });

  it('that is a property of an argument', () => {
    const text = "const A = make({ name: 'a', f: (b) => c(b), [f]: () => 2, 'g': function () {} });";
    expect(findTexts(text, 'A.f')).toEqual(['f: (b) => c(b)']);
    expect(findTexts(text, 'A.g')).toEqual(["'g': function () {}"]);
  });
});

it.each([
  ['a member of an interface', 'interface A { f(a: string): void; g(): void }'],
  ['an overload', 'function f(a: string): void;'],
  ['a type', 'type f = () => void;'],
  ['a constant without a function', 'const f = g(() => 1);'],
  ['a constant in parentheses', 'const f = (a) + (b);'],
  ['a computed property', 'const a = { [f]: () => 1 };'],
  ['a loop variable', 'for (const f of [() => 1]) { g(f); }'],
  ['a function with a longer name', 'function f1() {} function $f() {} class A { if() {} }'],
  ['a comment', '// function f() {}\n/* const f = () => 1; */'],
  ['a call in a value', 'g(a, f({}), { b: f() ? f(1) : { c: 1 } });'],
])('%s is not a function', (_, text) => {
  expect(findTexts(text, 'f')).toEqual([]);
});

it('`collectFunctions` returns each function with its owners and its numbers of parameters and lines', () => {
  const text = `// It’s before.
class A {
  constructor(readonly a: string, b = 1) {}
  m({ a, b }: C, ...rest: D[]): void;
  m({ a, b }: C) {
    return [1].map((one, at) => one);
  }
}`;
  expect(
    collectFunctions(parseText(text)).map(({ start, end, ...rest }) => ({
      ...rest,
      is: text.slice(start, end),
    })),
  ).toEqual([
    {
      name: 'constructor',
      owners: ['A'],
      parameters: 2,
      lines: 1,
      is: 'constructor(readonly a: string, b = 1) {}',
    },
    {
      name: 'm',
      owners: ['A'],
      parameters: 1,
      lines: 3,
      is: 'm({ a, b }: C) {\n    return [1].map((one, at) => one);\n  }',
    },
    { name: null, owners: ['A', 'm'], parameters: 2, lines: 1, is: '(one, at) => one' },
  ]);
});

it('invalid TypeScript is refused with its position', () => {
  expect(() => parseText('const a = ;')).toThrow(
    /^src\/a\.ts cannot be parsed: [\s\S]*Unexpected token[\s\S]*src\/a\.ts:1:11/,
  );
});
