import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson } from '../../src/tools/copy-json.ts';

class Invoice {
  readonly total = 1;
}

const cyclic: { self?: unknown } = {};
cyclic.self = { back: cyclic };

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe('copyJson', () => {
  it('copies every JSON value, names of prototypes included', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        expect(copyJson(json)).toEqual({ ok: true, value: json });
      }),
      { seed: 20_261_117 },
    );
    const hostile = copyJson(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(JSON.stringify(hostile)).toBe('{"ok":true,"value":{"__proto__":{"admin":true}}}');
  });

  it('drops undefined properties and symbol keys, such as those of an object that came over RPC', () => {
    const received = { a: 1, b: undefined, [Symbol.for('dispose')]: () => undefined };
    expect(copyJson(received)).toEqual({ ok: true, value: { a: 1 } });
  });

  it('takes objects without a prototype, and one object in two places', () => {
    const shared = Object.assign(Object.create(null), { a: 1 });
    expect(copyJson([shared, shared])).toEqual({ ok: true, value: [{ a: 1 }, { a: 1 }] });
  });

  it.each<[string, unknown, string, string]>([
    ['a date', { a: { b: new Date(0) } }, '$.a.b', 'a Date'],
    ['a map', { a: [new Map()] }, '$.a[0]', 'a Map'],
    ['an instance', new Invoice(), '$', 'an Invoice'],
    ['an instance of a class without a name', new (class {})(), '$', 'an instance of a class'],
    ['bytes', { bytes: new Uint8Array(1) }, '$.bytes', 'an Uint8Array'],
    ['a function', { 'a b': () => 1 }, '$["a b"]', 'a function'],
    ['toJSON of a plain object', { toJSON: () => 1 }, '$.toJSON', 'a function'],
    ['a symbol', [Symbol('s')], '$[0]', 'a symbol'],
    ['a bigint', 10n, '$', 'a bigint'],
    ['NaN', { n: Number.NaN }, '$.n', 'NaN'],
    ['infinity', [[Number.NEGATIVE_INFINITY]], '$[0][0]', '-Infinity'],
    ['undefined in an array', ['a', undefined], '$[1]', 'undefined'],
    ['a hole in an array', Array(1), '$[0]', 'undefined'],
    ['undefined', undefined, '$', 'undefined'],
    ['a cycle', cyclic, '$.self.back', 'one of its own parents'],
    ['a promise', { later: Promise.resolve(1) }, '$.later', 'a Promise'],
  ])('names the place of %s', (_, value, path, what) => {
    expect(copyJson(value)).toEqual({ ok: false, problem: { path, what } });
  });

  it('never throws: not for a getter that does, not for endless nesting', () => {
    const fragile = {
      get a() {
        throw new Error('no');
      },
    };
    expect(copyJson(fragile)).toEqual({ ok: false, problem: { path: '$', what: 'unreadable' } });
    expect(copyJson(deep(500))).toMatchObject({ ok: true });
    expect(copyJson(deep(501))).toMatchObject({ problem: { what: 'nested more than 500 levels deep' } });
    expect(copyJson(deep(5000))).toMatchObject({ ok: false });
  });
});
