import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, LOOP_ID_KEY, ToolCallContext } from '../../../../../src/index.ts';
import {
  allowKeys,
  denyKeys,
  type MetaConverter,
  noOp,
  passThrough,
} from '../../../../../src/mcp/tools/entry.ts';

const context = ToolCallContext.of({ locale: 'de', tenant: { id: 7 }, token: 'planted' });

describe('MetaConverter (MCP-06, S0-018, S0-019)', () => {
  it.each<[string, MetaConverter, JsonObject]>([
    [
      'passThrough sends everything, for a trusted server (S0-021)',
      passThrough,
      { locale: 'de', tenant: { id: 7 }, token: 'planted' },
    ],
    ['noOp sends nothing', noOp, {}],
    [
      'allowKeys sends the keys that it names',
      allowKeys('locale', 'tenant'),
      { locale: 'de', tenant: { id: 7 } },
    ],
    [
      'allowKeys omits named keys that the context does not have',
      allowKeys('locale', 'region'),
      { locale: 'de' },
    ],
    ['allowKeys sends nothing if the context has none of the keys', allowKeys('region'), {}],
    ['allowKeys without keys sends nothing', allowKeys(), {}],
    [
      'denyKeys sends all keys except those that it names',
      denyKeys('token'),
      { locale: 'de', tenant: { id: 7 } },
    ],
    [
      'denyKeys without keys sends everything',
      denyKeys(),
      { locale: 'de', tenant: { id: 7 }, token: 'planted' },
    ],
    ['denyKeys of every key sends nothing', denyKeys('locale', 'tenant', 'token'), {}],
    ['allowKeys does not search nested values for keys', allowKeys('id'), {}],
    [
      'a custom function can change the values that it sends (S0-020)',
      (held) => ({ user: { lang: held.get('locale') ?? null } }),
      { user: { lang: 'de' } },
    ],
  ])('%s', (_, convert, sent) => {
    expect(convert(context)).toEqual(sent);
  });

  it.each<[string, MetaConverter]>([
    ['passThrough', passThrough],
    ['noOp', noOp],
    ['allowKeys', allowKeys('locale')],
    ['denyKeys', denyKeys('locale')],
  ])('%s sends no metadata for the empty context', (_, convert) => {
    expect(convert(ToolCallContext.EMPTY)).toEqual({});
  });

  it('`allowKeys` and `denyKeys` with the same keys together send the whole context', () => {
    const keys = fc.constantFrom('a', 'b', 'token', '__proto__', 'constructor', 'toString', '');
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.jsonValue())), fc.array(keys), (entries, named) => {
        const held = ToolCallContext.of(toJson(entries));
        const [allowed, denied] = [allowKeys(...named)(held), denyKeys(...named)(held)];
        expect([...Object.keys(allowed), ...Object.keys(denied)].sort()).toEqual([...held.keys()].sort());
        expect(new Map([...Object.entries(allowed), ...Object.entries(denied)])).toEqual(
          new Map(Object.entries(held.toJSON())),
        );
        const isNamed = new Set<string>(named);
        expect(Object.keys(allowed).every((key) => isNamed.has(key))).toBe(true);
      }),
      { seed: 20_261_122 },
    );
  });

  it.each<[string, MetaConverter]>([
    ['passThrough', passThrough],
    ['allowKeys', allowKeys('__proto__')],
    ['denyKeys', denyKeys('other')],
  ])('%s sends the key `__proto__` like any other key', (_, convert) => {
    const sent = convert(ToolCallContext.of(JSON.parse('{"__proto__":{"isAdmin":true}}')));
    expect(JSON.stringify(sent)).toBe('{"__proto__":{"isAdmin":true}}');
    expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
  });

  it.each<[string, MetaConverter, JsonObject]>([
    ['passThrough', passThrough, { locale: 'de' }],
    ['denyKeys', denyKeys('token'), { locale: 'de' }],
    ['allowKeys, which names one,', allowKeys('locale', LOOP_ID_KEY), { locale: 'de', [LOOP_ID_KEY]: 'l1' }],
  ])('%s sends Holdfast’s own keys only if they are listed', (_, convert, sent) => {
    const stamped = { locale: 'de', [LOOP_ID_KEY]: 'l1', 'holdfast.other': { a: 1 } };
    expect(convert(ToolCallContext.of(stamped))).toEqual(sent);
  });

  it('allowKeys ignores inherited property names', () => {
    expect(allowKeys('constructor', 'toString', '__proto__')(context)).toEqual({});
  });
});

/** As a parsed JSON body of a caller, which can have a key `__proto__`. */
const toJson = (entries: readonly (readonly [string, unknown])[]): JsonObject =>
  JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
  );
