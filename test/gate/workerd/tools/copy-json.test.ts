import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson } from '../../../doors/tools.ts';

class Price {
  readonly #euros: number;
  constructor(euros: number) {
    this.#euros = euros;
  }
  toJSON() {
    return `${this.#euros} EUR`;
  }
}

class Invoice {
  readonly total = 1;
}

class EndlessValue {
  toJSON() {
    return { deeper: this };
  }
}
const TOO_DEEP_PROBLEM = 'nested more than 500 levels deep';

/** Defines its own JSON content, which JSON.stringify ignores. */
class Page extends Array<number> {
  override entries() {
    return Array.of<[number, number]>().values();
  }
}

function fail(thrown: unknown = 'no'): never {
  throw thrown;
}

const cyclic: { self?: unknown } = {};
cyclic.self = { back: cyclic };

const createNestedArrays = (levels: number): unknown => (levels === 0 ? 1 : [createNestedArrays(levels - 1)]);

describe('copyJson', () => {
  it('copies every JSON value, including names of prototypes', () => {
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

  it('drops undefined properties and symbol keys, such as those of an object received over RPC', () => {
    const received = { a: 1, b: undefined, [Symbol.for('dispose')]: () => undefined };
    expect(copyJson(received)).toEqual({ ok: true, value: { a: 1 } });
  });

  it('accepts objects without a prototype, and the same object in two places', () => {
    const shared = Object.assign(Object.create(null), { a: 1 });
    expect(copyJson([shared, shared])).toEqual({ ok: true, value: [{ a: 1 }, { a: 1 }] });
  });

  it.each<[string, unknown, unknown]>([
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['an invalid date', [new Date(Number.NaN)], [null]],
    ['a URL', new URL('https://example.com/a?b=c'), 'https://example.com/a?b=c'],
    ['an instance with toJSON', { total: new Price(7) }, { total: '7 EUR' }],
    [
      'a plain object with toJSON',
      { toJSON: () => ({ a: [new Date(0)] }) },
      { a: ['1970-01-01T00:00:00.000Z'] },
    ],
    ['a function with toJSON', [Object.assign(() => 1, { toJSON: () => 'f' })], ['f']],
    ['a property whose toJSON returns undefined', { a: { toJSON: () => undefined }, b: 1 }, { b: 1 }],
    ['a list with custom methods', Page.of(1, 2), [1, 2]],
    ['an instance of a class', new Invoice(), { total: 1 }],
    ['undefined and holes in a list', ['a', undefined, ...Array(1)], ['a', null, null]],
    ['a toJSON without a result, in a list', [{ toJSON: () => undefined }], [null]],
    ['objects of plain values', [Object(1), Object('a'), Object(false)], [1, 'a', false]],
    ['bytes with toJSON', Buffer.from('a'), { type: 'Buffer', data: [97] }],
  ])('copies %s by its toJSON, like JSON.stringify', (_, value, expected) => {
    expect(copyJson(value)).toEqual({ ok: true, value: expected });
    expect(JSON.parse(JSON.stringify(value))).toEqual(expected);
  });

  it('copies maps and sets, which JSON.stringify turns into empty objects', () => {
    const value = {
      stock: new Map([['a', new Set([1, 2])]]),
      pairs: new Map([[1, new Date(0)]]),
      none: [new Map(), new Set()],
      levels: new Float32Array([0.5, 2]),
    };
    expect(copyJson(value)).toEqual({
      ok: true,
      value: {
        stock: { a: [1, 2] },
        pairs: [[1, '1970-01-01T00:00:00.000Z']],
        none: [{}, []],
        levels: [0.5, 2],
      },
    });
  });

  it('calls toJSON once, with its key, as JSON.stringify does', () => {
    const asked: unknown[] = [];
    const createKeyRecorder = () => ({
      toJSON(key: unknown) {
        asked.push(key);
        return asked.length;
      },
    });
    expect(copyJson({ a: createKeyRecorder(), b: [createKeyRecorder()] })).toEqual({
      ok: true,
      value: { a: 1, b: [2] },
    });
    expect(asked).toEqual(['a', '0']);
    JSON.stringify({ a: createKeyRecorder(), b: [createKeyRecorder()] });
    expect(asked).toEqual(['a', '0', 'a', '0']);
  });

  it('does not call another Worker through a stub, which seems to have every method, including toJSON', () => {
    const asked: PropertyKey[] = [];
    const stub = new Proxy(new Invoice(), {
      has: () => true,
      get: (target, name) => (name in target ? Reflect.get(target, name) : () => asked.push(name)),
    });
    expect(copyJson({ stub })).toEqual({ ok: false, problem: { path: '$.stub', what: 'an Invoice' } });
    const session = env.SESSIONS.get(env.SESSIONS.idFromName('a stub'));
    expect(copyJson(session)).toEqual({ ok: false, problem: { path: '$', what: 'a DurableObject' } });
    expect(asked).toEqual([]);
  });

  it('returns no negative zero, because the journal would not preserve it', () => {
    expect(copyJson([-0])).toStrictEqual({ ok: true, value: [0] });
  });

  it.each<[string, unknown, string, string]>([
    ['a weak set', { a: { b: new WeakSet() } }, '$.a.b', 'a WeakSet'],
    ['an error', [new RangeError('no')], '$[0]', 'a RangeError'],
    ['a pattern', { a: /a/ }, '$.a', 'a RegExp'],
    ['a value in a map', { a: [new Map([['b', 1n]])] }, '$.a[0].b', 'a bigint'],
    ['a fetched response', { a: new Response('a') }, '$.a', 'a Response'],
    ['bytes', { bytes: new Uint8Array(1) }, '$.bytes', 'a Uint8Array'],
    ['a function', { 'a b': () => 1 }, '$["a b"]', 'a function'],
    ['a symbol', [Symbol('s')], '$[0]', 'a symbol'],
    ['a bigint', 10n, '$', 'a bigint'],
    ['NaN', { n: Number.NaN }, '$.n', 'NaN'],
    ['infinity', [[Number.NEGATIVE_INFINITY]], '$[0][0]', '-Infinity'],
    ['undefined', undefined, '$', 'undefined'],
    ['a cycle', cyclic, '$.self.back', 'one of its own parents'],
    ['a promise', { later: Promise.resolve(1) }, '$.later', 'a Promise: an `await` is missing'],
    ['a toJSON result that is not JSON', { a: { toJSON: () => [1n] } }, '$.a[0]', 'a bigint'],
    ['an asynchronous toJSON', [{ toJSON: async () => 1 }], '$[0]', 'a Promise: an `await` is missing'],
    [
      'a toJSON that returns its own object again',
      new EndlessValue(),
      `$${'.deeper'.repeat(500)}`,
      TOO_DEEP_PROBLEM,
    ],
  ])('reports the place of %s', (_, value, path, what) => {
    expect(copyJson(value)).toEqual({ ok: false, problem: { path, what } });
  });

  it('never throws, even for a throwing getter or endless nesting', () => {
    const fragile = {
      get a() {
        throw new Error('no');
      },
    };
    expect(copyJson(fragile)).toEqual({ ok: false, problem: { path: '$', what: 'unreadable (no)' } });
    const speechless = {
      at: {
        toJSON() {
          throw 'no';
        },
      },
    };
    expect(copyJson(speechless)).toEqual({ ok: false, problem: { path: '$.at', what: 'unreadable' } });
    const unspeakable: readonly unknown[] = [
      Object.assign(new Error(), { message: { code: 1 } }),
      Object.defineProperty(new Error(), 'message', { get: fail }),
      new Proxy({}, { getPrototypeOf: fail }),
    ];
    expect(unspeakable.map((thrown) => copyJson({ toJSON: () => fail(thrown) }))).toEqual([
      { ok: false, problem: { path: '$', what: 'unreadable ([object Object])' } },
      { ok: false, problem: { path: '$', what: 'unreadable' } },
      { ok: false, problem: { path: '$', what: 'unreadable' } },
    ]);
    expect(copyJson(createNestedArrays(500))).toMatchObject({ ok: true });
    expect(copyJson(createNestedArrays(501))).toMatchObject({
      problem: { what: 'nested more than 500 levels deep' },
    });
    expect(copyJson(createNestedArrays(5000))).toMatchObject({ ok: false });
  });
});
