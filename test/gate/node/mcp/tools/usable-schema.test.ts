/**
 * Schemas of servers, as `createJsonSchemaCheck` alone may check a value by them, such as for a decision about a
 * call.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/index.ts';
import { toUsableSchema } from '../../../../doors/mcp.ts';
import { createJsonSchemaCheck } from '../../../../doors/tools.ts';

/** Definitions that each use the previous definition twice. */
function createDoublingSchema(depth: number, twice: (ref: JsonObject) => JsonObject): JsonObject {
  const $defs: Record<string, JsonObject> = { x0: {} };
  for (let at = 1; at <= depth; at += 1) $defs[`x${at}`] = twice({ $ref: `#/$defs/x${at - 1}` });
  return { type: 'object', properties: { b: { $ref: `#/$defs/x${depth}` } }, $defs };
}

/** The ways in which a schema applies other schemas to the same part of a value. */
const doublingWays: readonly (readonly [string, (ref: JsonObject) => JsonObject])[] = [
  ['allOf', (ref) => ({ allOf: [ref, ref] })],
  ['anyOf', (ref) => ({ anyOf: [{ not: ref }, { not: ref }] })],
  ['oneOf', (ref) => ({ oneOf: [ref, ref] })],
  ['not', (ref) => ({ not: ref, ...ref })],
  ['if, then and else', (ref) => Object.fromEntries(['if', 'then', 'else'].map((word) => [word, ref]))],
  ['dependentSchemas', (ref) => ({ dependentSchemas: { a: ref, b: ref } })],
  ['dependencies', (ref) => ({ dependencies: { a: ref, b: ref } })],
];

describe('a schema whose check doubles with each definition', () => {
  it.each(doublingWays)('cannot be used with %s', (_, by) => {
    expect(toUsableSchema(createDoublingSchema(30, by))).toBeUndefined();
  });

  it.each(doublingWays)('can be used with %s if it is small', (_, by) => {
    expect(toUsableSchema(createDoublingSchema(5, by))).toEqual(createDoublingSchema(5, by));
  });
});

describe('a recursive schema', () => {
  it.each<[string, JsonObject]>([
    ['a reference to itself', { type: 'object', $ref: '#' }],
    ['two references', { type: 'object', $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#' }] } } }],
    ['an unused definition', { type: 'object', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }],
    ['a $recursiveRef without an anchor', { type: 'object', properties: { a: { $recursiveRef: '#' } } }],
  ])('cannot be used if a reference consumes no part of the value: %s', (_, schema) => {
    expect(toUsableSchema(schema)).toBeUndefined();
  });

  it('can be used if it describes nested values', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { left: { $ref: '#' }, right: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    };
    expect(toUsableSchema(tree)).toEqual(tree);
  });
});

describe('a schema with costly keywords', () => {
  it('is shown without these keywords, and checked quickly', () => {
    const schema = toUsableSchema({
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(a+)+$', maxLength: 100 },
        link: { type: 'string', format: 'url' },
        many: { type: 'array', uniqueItems: true },
      },
      not: { required: ['c'] },
      additionalProperties: false,
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', maxLength: 100 },
        link: { type: 'string' },
        many: { type: 'array' },
      },
      additionalProperties: false,
    });
    const check = createJsonSchemaCheck(schema ?? {});
    const began = performance.now();
    expect(check({ a: `${'a'.repeat(60)}!`, many: Array.from({ length: 5_000 }, (_, at) => at) })).toEqual(
      [],
    );
    expect(performance.now() - began).toBeLessThan(10_000); // Slow code would take minutes.
  });

  it('keeps its references, except those to removed parts, so it does not refuse valid values', () => {
    const kinds = [{ const: 'a' }, { type: 'string', pattern: 'b' }];
    const schema = toUsableSchema({
      type: 'object',
      properties: {
        one: { oneOf: kinds },
        same: { $ref: '#/properties/one/oneOf/1' },
        other: { $ref: '#/properties/one' },
      },
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        one: { allOf: [{ anyOf: [{ const: 'a' }, { type: 'string' }] }] },
        same: {},
        other: { $ref: '#/properties/one' },
      },
    });
  });
});
