import { validate } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/index.ts';
import { createJsonSchemaCheck, formatProblems } from '../../../doors/tools.ts';

const formatInputProblems = (schema: JsonObject, input: JsonObject) =>
  formatProblems(createJsonSchemaCheck(JSON.parse(JSON.stringify({ type: 'object', ...schema })))(input));

describe('createJsonSchemaCheck', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['a valid input', { properties: { a: { type: 'string' } }, required: ['a'] }, { a: 'b' }, []],
    [
      'a missing property',
      { properties: { order: { required: ['id', 'at'] } } },
      { order: { at: 1 } },
      ['order: Instance does not have required property "id".'],
    ],
    [
      'an unknown property',
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, 'b/~c': 2 },
      ['["b/~c"]: Not allowed.'],
    ],
    [
      'a value outside an enum',
      { properties: { size: { enum: ['s', 'm'] } } },
      { size: 'xl' },
      ['size: Instance does not match any of ["s","m"].'],
    ],
    [
      'alternatives, with the problems of each branch',
      { properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 1 }] } } },
      { id: 0 },
      [
        'id: Instance does not match any subschemas.',
        'id: Instance type "number" is invalid. Expected "string".',
        'id: 0 is less than 1.',
      ],
    ],
    [
      'the innermost problems behind a reference, items and a condition',
      {
        $defs: { row: { properties: { n: { type: 'integer' } } } },
        properties: { rows: { items: { $ref: '#/$defs/row' } } },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
        allOf: [{ if: { required: ['rows'] }, then: { required: ['title'] } }],
      },
      { rows: [{ n: 1 }, { n: 1.5 }] },
      [
        'Instance does not have required property "title".',
        'rows[1].n: Instance type "number" is invalid. Expected "integer".',
      ],
    ],
  ])('returns each problem with its path: %s', (_, schema, input, lines) => {
    expect(formatInputProblems(schema, input)).toEqual(lines);
  });

  it("applies the rules of the schema's draft: draft 7 ignores keywords beside a $ref", () => {
    const schema = { $defs: { any: {} }, properties: { a: { $ref: '#/$defs/any', type: 'string' } } };
    expect(
      formatInputProblems({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }, { a: 1 }),
    ).toEqual([]);
    expect(formatInputProblems(schema, { a: 1 })).toEqual([
      'a: Instance type "number" is invalid. Expected "string".',
    ]);
  });

  it('does not treat inherited names as properties', () => {
    const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    expect(formatInputProblems(schema, {})).toEqual(['Instance does not have required property "toString".']);
    expect(formatInputProblems({ additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toEqual([
      '__proto__: Not allowed.',
    ]);
  });
});

/** A list schema with unique items, which is nested in each kind of keyword. */
const LIST = { type: 'array', uniqueItems: true };

/** Schemas of `{ a, b }` that require, or forbid, a list of unique items. */
const PLACES: readonly JsonObject[] = [
  { properties: { a: LIST } },
  { properties: { a: LIST, b: { not: LIST } } },
  { additionalProperties: LIST },
  { patternProperties: { '^a': LIST, '^[ab]$': { minItems: 1 } }, additionalProperties: LIST },
  { properties: { a: { anyOf: [{ type: 'null' }, LIST] }, b: { oneOf: [LIST, { maxItems: 2 }] } } },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  { properties: { a: { if: LIST, then: { maxItems: 3 }, else: { minItems: 3 } } } },
  {
    $defs: { list: LIST },
    properties: { a: { $ref: '#/$defs/list', maxItems: 3 } },
    additionalProperties: { $ref: '#/$defs/list' },
  },
  { properties: { a: { items: LIST } }, additionalProperties: { prefixItems: [LIST], items: { not: LIST } } },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { items: [LIST, {}], additionalItems: LIST } },
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { list: LIST },
    properties: { a: { $ref: '#/definitions/list', maxItems: 1 } },
  },
  { dependentSchemas: { a: { properties: { b: LIST } } }, unevaluatedProperties: { maxItems: 2 } },
  { allOf: [{ properties: { a: LIST } }], unevaluatedProperties: false },
  { properties: { a: { contains: LIST } }, unevaluatedProperties: LIST },
  {
    $defs: { tree: { items: { $ref: '#/$defs/tree' }, uniqueItems: true } },
    additionalProperties: { $ref: '#/$defs/tree' },
  },
];

const LISTS: readonly Json[] = [
  null,
  [],
  [1],
  [1, 1],
  [1, 2, 1],
  ['1', 1, true, null],
  [[1, 1], [2]],
  [
    [1, 1],
    [1, 1],
  ],
  [[1], 2, [1]],
  [
    { a: 1, b: [] },
    { b: [], a: 1 },
  ],
  [{ a: 1 }, { a: 1, b: 1 }, {}],
];

describe('uniqueItems', () => {
  it.each<[string, string, readonly string[]]>([
    ['different items', '[1, "1", true, "true", null, "null", [], {}, [[]], {"a": 1}]', []],
    ['different spellings of a number', '[1, 2, 1.0]', ['list: Duplicate items at indexes 0 and 2.']],
    ['zeros with and without a sign', '[0, -0]', ['list: Duplicate items at indexes 0 and 1.']],
    [
      'objects with different orders of keys',
      '[{"a":1,"b":[2]}, 3, {"b":[2],"a":1}]',
      ['list: Duplicate items at indexes 0 and 2.'],
    ],
    ['texts that look like parts of JSON', '["a,b", "a", "b", "[1]", [1], "{}", {}]', []],
    [
      'objects with an inherited name as key',
      '[{"__proto__": 1}, {}, {"__proto__": 1}]',
      ['list: Duplicate items at indexes 0 and 2.'],
    ],
    [
      'several duplicates, but reports only the first',
      '[1, 2, 2, 1, 1]',
      ['list: Duplicate items at indexes 0 and 3.'],
    ],
  ])('finds the duplicates among %s', (_, list, lines) => {
    expect(formatInputProblems({ properties: { list: LIST } }, JSON.parse(`{"list":${list}}`))).toEqual(
      lines,
    );
  });

  it.each(PLACES.map((schema) => [JSON.stringify(schema), schema] as const))(
    'has its standard meaning in %s',
    (_, schema) => {
      const draft = String(schema.$schema ?? '').includes('draft-07') ? '7' : '2020-12';
      for (const a of LISTS) {
        for (const b of LISTS) {
          const input = { a, b };
          const { valid } = validate(input, JSON.parse(JSON.stringify(schema)), draft, undefined, false);
          expect([input, formatInputProblems(schema, input).length === 0]).toEqual([input, valid]);
        }
      }
    },
  );

  it('is checked in linear time on a long list, even if another list has a duplicate', () => {
    const items = Array.from({ length: 80_000 }, (_, index) => (index % 2 === 0 ? index : { index }));
    const schema = { properties: { all: LIST, some: LIST, none: { anyOf: [{ type: 'null' }, LIST] } } };
    expect(formatInputProblems(schema, { all: items, some: [...items, 0] })).toEqual([
      'some: Duplicate items at indexes 0 and 80000.',
    ]);
    expect(formatInputProblems(schema, { all: items, some: [1, 1], none: items })).toEqual([
      'some: Duplicate items at indexes 0 and 1.',
    ]);
  });
});
