import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/index.ts';
import { jsonSchemaCheck, problemLines } from '../../../doors/tools.ts';

const check = (schema: JsonObject, input: JsonObject) =>
  problemLines(jsonSchemaCheck(JSON.parse(JSON.stringify({ type: 'object', ...schema })))(input));

describe('jsonSchemaCheck', () => {
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
      'a value that is none of an enum',
      { properties: { size: { enum: ['s', 'm'] } } },
      { size: 'xl' },
      ['size: Instance does not match any of ["s","m"].'],
    ],
    [
      'an alternative: what is wrong with each',
      { properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 1 }] } } },
      { id: 0 },
      [
        'id: Instance does not match any subschemas.',
        'id: Instance type "number" is invalid. Expected "string".',
        'id: 0 is less than 1.',
      ],
    ],
    [
      'a reference, items and a condition: only the leaves',
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
  ])('answers each problem where it is: %s', (_, schema, input, lines) => {
    expect(check(schema, input)).toEqual(lines);
  });

  it('reads the dialect of the schema: in draft 7 nothing counts beside a $ref', () => {
    const schema = { $defs: { any: {} }, properties: { a: { $ref: '#/$defs/any', type: 'string' } } };
    expect(check({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' }, { a: 1 })).toEqual([]);
    expect(check(schema, { a: 1 })).toEqual(['a: Instance type "number" is invalid. Expected "string".']);
  });

  it('does not take inherited names for properties', () => {
    const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    expect(check(schema, {})).toEqual(['Instance does not have required property "toString".']);
    expect(check({ additionalProperties: false }, JSON.parse('{"__proto__":1}'))).toEqual([
      '__proto__: Not allowed.',
    ]);
  });
});
