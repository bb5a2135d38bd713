import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type JsonObject, ToolCallContext, ToolCallContextError } from '../../../../src/index.ts';

const acme = ToolCallContext.of({ tenantId: 'acme', token: 's3cret' });

const catchProblem = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (error instanceof ToolCallContextError)
      return { ...error, message: error.message, cause: error.cause };
  }
  return 'nothing was thrown';
};

describe('a tool-call context', () => {
  it('is EMPTY itself if it has no entries (CTX-02)', () => {
    expect(ToolCallContext.of({})).toBe(ToolCallContext.EMPTY);
    expect(ToolCallContext.of([])).toBe(ToolCallContext.EMPTY);
    expect(ToolCallContext.of(new Map())).toBe(ToolCallContext.EMPTY);
  });

  it('is made from an object, a map or pairs, where the last value of a repeated key wins', () => {
    const expected = { a: 1, b: [true] };
    expect(ToolCallContext.of({ a: 1, b: [true] }).toJSON()).toEqual(expected);
    expect(ToolCallContext.of(new Map(Object.entries(expected))).toJSON()).toEqual(expected);
    expect(
      ToolCallContext.of([
        ['a', 0],
        ['b', [true]],
        ['a', 1],
      ]).toJSON(),
    ).toEqual(expected);
  });

  it('copies its source, and is immutable (CTX-01, CTX-02)', () => {
    const user = { roles: ['reader'] };
    const context = ToolCallContext.of({ user });
    user.roles.push('admin');
    expect(context.get('user')).toEqual({ roles: ['reader'] });
    expect(() => Object.assign(Object(context.get('user')), { roles: ['admin'] })).toThrow(TypeError);
    Object.assign(context.toJSON(), { user: 'other' });
    expect(context.get('user')).toEqual({ roles: ['reader'] });
  });

  it('lists its keys, and returns undefined for an unknown key (CTX-03)', () => {
    expect(acme.keys()).toEqual(['tenantId', 'token']);
    expect([acme.has('token'), acme.has('other')]).toEqual([true, false]);
    expect([acme.get('tenantId'), acme.get('other')]).toEqual(['acme', undefined]);
  });

  it('returns the default of a schema for a missing key, and for null if the schema allows it (CTX-03)', () => {
    const context = ToolCallContext.of({ locale: null });
    const locale = v.nullish(v.string(), 'en');
    expect([context.get('locale', locale), context.get('other', locale)]).toEqual(['en', 'en']);
    expect([context.get('locale'), context.has('locale')]).toEqual([null, true]);
  });

  it('equals only a context with the same entries, in any order (CTX-03)', () => {
    const createContext = (values: JsonObject) => ToolCallContext.of(values);
    const nested = createContext({ a: 1, b: { c: [1, { d: null }], e: 'x' } });
    expect(nested.equals(createContext({ b: { e: 'x', c: [1, { d: null }] }, a: 1 }))).toBe(true);
    expect(ToolCallContext.EMPTY.equals(createContext({}))).toBe(true);
    const others: JsonObject[] = [
      {},
      { a: 1 },
      { a: 1, b: { c: [1, { d: null }] } },
      { a: 1, b: { c: [{ d: null }, 1], e: 'x' } },
      { a: 1, b: { c: [1, { d: null }, 2], e: 'x' } },
      { a: '1', b: { c: [1, { d: null }], e: 'x' } },
      { a: 1, z: { c: [1, { d: null }], e: 'x' } },
      { a: 1, b: { c: { 0: 1, 1: { d: null } }, e: 'x' } },
    ];
    for (const other of others) {
      expect([nested.equals(createContext(other)), createContext(other).equals(nested)]).toEqual([
        false,
        false,
      ]);
    }
    expect(createContext(JSON.parse('{"__proto__":{}}')).equals(createContext({ x: {} }))).toBe(false);
  });

  it('is the same context if it is made from another context (CTX-06)', () => {
    expect(ToolCallContext.of(acme)).toBe(acme);
  });

  it('treats property names of prototypes like any other key', () => {
    expect([acme.get('__proto__'), acme.get('constructor'), acme.has('toString')]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const hostile = ToolCallContext.of(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(hostile.keys()).toEqual(['__proto__']);
    expect(hostile.get('admin')).toBe(undefined);
    expect(JSON.stringify(hostile)).toBe('{"__proto__":{"admin":true}}');
    expect(Object.hasOwn(hostile.toJSON(), '__proto__')).toBe(true);
  });

  it('prints its keys, never its values (CTX-03)', () => {
    expect(String(acme)).toBe('ToolCallContext(tenantId, token)');
    const inspect: () => string = Reflect.get(acme, Symbol.for('nodejs.util.inspect.custom'));
    expect(inspect.call(acme)).toBe('ToolCallContext(tenantId, token)');
    expect(Object.keys(acme)).toEqual([]);
  });

  it('is restored from its JSON', () => {
    const again = ToolCallContext.of(JSON.parse(JSON.stringify(acme)));
    expect(again.toJSON()).toEqual({ tenantId: 'acme', token: 's3cret' });
  });

  it('throws an error with the path of a value that is not JSON', () => {
    const createInvalidContext = () =>
      ToolCallContext.of({ user: JSON.parse('{}'), since: Object({ at: new WeakMap() }) });
    expect(catchProblem(createInvalidContext)).toEqual({
      name: 'ToolCallContextError',
      key: 'since',
      problem: 'not-json',
      message: "The tool-call context's 'since' is not JSON: at `$.at` it is a WeakMap.",
      cause: undefined,
    });
  });
});

describe('merging contexts (CTX-04)', () => {
  const request = ToolCallContext.of({ tenantId: 'other', locale: 'en' });

  it('lets the second context win for a shared key', () => {
    expect(acme.merge(request).toJSON()).toEqual({ tenantId: 'other', token: 's3cret', locale: 'en' });
    expect(request.merge(acme).toJSON()).toEqual({ tenantId: 'acme', locale: 'en', token: 's3cret' });
  });

  it('changes neither context', () => {
    acme.merge(request);
    expect(acme.toJSON()).toEqual({ tenantId: 'acme', token: 's3cret' });
    expect(request.toJSON()).toEqual({ tenantId: 'other', locale: 'en' });
  });

  it('returns the same object if the other one is EMPTY', () => {
    expect(acme.merge(ToolCallContext.EMPTY)).toBe(acme);
    expect(ToolCallContext.EMPTY.merge(acme)).toBe(acme);
    expect(ToolCallContext.EMPTY.merge(ToolCallContext.EMPTY)).toBe(ToolCallContext.EMPTY);
  });
});

describe('reading a context through a schema', () => {
  it("returns the schema's output, and defaults for a missing key", () => {
    expect(acme.get('tenantId', v.pipe(v.string(), v.toUpperCase()))).toBe('ACME');
    expect(acme.get('locale', v.optional(v.string(), 'en'))).toBe('en');
  });

  it('throws an error that includes the missing key', () => {
    expect(catchProblem(() => acme.get('userId', v.string()))).toEqual({
      name: 'ToolCallContextError',
      key: 'userId',
      problem: 'missing',
      message: "The tool-call context's 'userId' is missing.",
      cause: undefined,
    });
  });

  it('throws an error that includes the key of an invalid value, never the value (CTX-03)', () => {
    expect(catchProblem(() => acme.get('token', v.number()))).toEqual({
      name: 'ToolCallContextError',
      key: 'token',
      problem: 'invalid',
      message: "The tool-call context's 'token' does not match the schema it is read with.",
      cause: undefined,
    });
  });

  it('refuses the value if the schema throws', () => {
    const fragile = v.pipe(
      v.string(),
      v.transform((token): string => {
        throw new Error(`cannot read ${token}`);
      }),
    );
    expect(catchProblem(() => acme.get('token', fragile))).toMatchObject({
      problem: 'invalid',
      cause: undefined,
    });
  });

  it('refuses an asynchronous schema', () => {
    expect(
      catchProblem(() =>
        acme.get(
          'token',
          v.pipeAsync(
            v.string(),
            v.checkAsync(async () => true),
          ),
        ),
      ),
    ).toMatchObject({
      problem: 'asynchronous-schema',
      message:
        "The tool-call context's 'token' is read through an asynchronous schema. Use a synchronous one.",
    });
  });
});
