import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/index.ts';
import { createSchemaCheck, toListedInput, toUsableSchema } from '../../../../doors/mcp.ts';
import { attempt, checkInput, createJsonSchemaCheck } from '../../../../doors/tools.ts';
import { createListedTool } from './listing-fixtures.ts';

const findProblems = (schema: JsonObject, value: Json): readonly string[] =>
  createSchemaCheck({ type: 'object', ...schema })(value, 'all');
const findPropertyProblems = (schema: Json, value: Json): readonly string[] =>
  findProblems({ properties: { a: schema } }, { a: value });

describe('`createSchemaCheck`', () => {
  it('returns all problems, or only the first', () => {
    const check = createSchemaCheck({
      type: 'object',
      properties: { n: { type: 'integer' }, s: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    });
    const value = { n: 1.5, s: 2, x: 3 };
    const first = 'Instance does not have required property "id".';
    const second = 'n: Instance type "number" is invalid. Expected "integer".';
    expect(check(value, 'first')).toEqual([first, second]);
    const all = [
      first,
      second,
      's: Instance type "number" is invalid. Expected "string".',
      'x: Not allowed.',
    ];
    expect(check(value, 'all')).toEqual(all);
    expect(check(value, 'all')).toEqual(all);
    expect(check({ id: 1 }, 'first')).toEqual(['id: Not allowed.']);
    expect(check(JSON.parse('{"__proto__":1}'), 'all')).toEqual([first, '__proto__: Not allowed.']);
  });

  it('does not change the given schema', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: 'x' } },
      additionalProperties: false,
    };
    const before = JSON.stringify(schema);
    createSchemaCheck(schema)({ a: 'y' }, 'all');
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', 'properties', 'additionalProperties']);
  });

  it('follows the dialect that the schema declares', () => {
    const schema = { $defs: { any: {} }, properties: { a: { $ref: '#/$defs/any', type: 'string' } } };
    expect(findProblems({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, { a: 1 })).toEqual(
      [],
    );
    expect(findProblems(schema, { a: 1 })).toEqual([
      'a: Instance type "number" is invalid. Expected "string".',
    ]);
  });

  it('can check another value after a value that takes too long', () => {
    const check = createSchemaCheck({ type: 'object', properties: { a: { items: { type: 'number' } } } });
    expect(() => check({ a: Array.from({ length: 100_001 }, () => 1) }, 'first')).toThrow(
      new RangeError('it takes more than 100000 steps to check'),
    );
    expect(check({ a: [1] }, 'first')).toEqual([]);
    expect(check({ a: Array.from({ length: 99_000 }, () => 1) }, 'first')).toEqual([]);
  });
});

describe('`createSchemaCheck` of a schema with regular expressions', () => {
  const email = { type: 'string', pattern: '@' };

  it.each<[string, Json, Json]>([
    ['a value that only a pattern refuses', email, 'x'],
    [
      'a value that matches two schemas of oneOf without their patterns',
      { oneOf: [email, { type: 'string', pattern: '^x' }] },
      'x',
    ],
    ['a value that `not` with a pattern refuses', { not: email }, 'x'],
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    ['a value whose condition has a pattern', { if: email, then: { maxLength: 1 }, else: {} }, 'xyz'],
    [
      'a property that patternProperties may allow',
      { patternProperties: { '^x-': {} }, additionalProperties: false },
      { 'x-a': 1 },
    ],
    [
      'a property that may be unevaluated',
      { allOf: [{ patternProperties: { '^x-': {} } }], unevaluatedProperties: false },
      { 'x-a': 1 },
    ],
    ['a list whose maxContains depends on a pattern', { contains: email, maxContains: 1 }, ['x', 'y', '@']],
    ['repeated items', { uniqueItems: true }, [1, 1]],
    ['a URL that would take long to check', { format: 'url' }, 'x'],
  ])('leaves %s to the server', (_, schema, value) => {
    expect(findPropertyProblems(schema, value)).toEqual([]);
  });

  it('still checks all other keywords', () => {
    const schema = { type: 'string', pattern: '@', maxLength: 3 };
    expect(findPropertyProblems(schema, 7)).toEqual([
      'a: Instance type "number" is invalid. Expected "string".',
    ]);
    expect(findPropertyProblems(schema, 'abcd')).toEqual(['a: String is too long (4 > 3).']);
    expect(findPropertyProblems({ oneOf: [email, { type: 'number' }] }, true)).toHaveLength(3);
    expect(findPropertyProblems({ oneOf: [{ type: 'string' }, { maxLength: 3 }] }, 'a')).toEqual([
      'a: Instance does not match exactly one subschema (2 matches).',
    ]);
  });

  it('refuses no value that the whole schema accepts', () => {
    const { schema } = fc.letrec<{ schema: Json }>((tie) => {
      const inner = tie('schema');
      return {
        schema: fc.oneof(
          { maxDepth: 4 },
          fc.boolean(),
          fc.constantFrom<Json>(
            { pattern: 'a' },
            { type: 'string', pattern: '^b' },
            { type: 'number' },
            { minLength: 2 },
          ),
          fc.constantFrom<Json>(
            { uniqueItems: true },
            { type: 'object', required: ['a'] },
            { enum: ['a', 1] },
          ),
          inner.map((not): Json => ({ not })),
          inner.map((contains): Json => ({ contains, maxContains: 1 })),
          fc.array(inner, { minLength: 1, maxLength: 3 }).map((oneOf): Json => ({ oneOf })),
          fc
            .array(inner, { minLength: 1, maxLength: 3 })
            .map((anyOf): Json => ({ anyOf, unevaluatedProperties: false })),
          // biome-ignore lint/suspicious/noThenProperty: as above
          fc.tuple(inner, inner, inner).map(([a, b, c]): Json => ({ if: a, then: b, else: c })),
          fc.tuple(inner, inner, inner).map(
            ([a, b, c]): Json => ({
              properties: { a },
              patternProperties: { '^b': b },
              additionalProperties: c,
            }),
          ),
          inner.map((items): Json => ({ items, unevaluatedItems: false })),
        ),
      };
    });
    const leaf = fc.constantFrom<Json>('a', 'ab', 'b', 1, null, true);
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'bb', 'c'), leaf, { maxKeys: 3 }),
    );
    let taken = 0;
    fc.assert(
      fc.property(schema, value, (inner, given) => {
        const whole = { type: 'object', properties: { a: inner } };
        if (createJsonSchemaCheck(JSON.parse(JSON.stringify(whole)))({ a: given }).length > 0) return;
        taken += 1;
        expect(createSchemaCheck(whole)({ a: given }, 'all')).toEqual([]);
      }),
      { numRuns: 2_000, seed: 20_261_122 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});

describe('a schema that takes forever to check', () => {
  const createDoublingSchema = (wrap: (ref: JsonObject) => JsonObject): JsonObject => ({
    $ref: '#/$defs/d0',
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`d${index}`, wrap({ $ref: `#/$defs/d${index + 1}` })]),
      ),
      d60: {},
    },
  });
  let nested: Json = [];
  for (let level = 0; level < 60; level += 1) nested = [nested];

  it.each<[string, JsonObject, Json]>([
    ['two references at each step', createDoublingSchema((ref) => ({ allOf: [ref, ref] })), {}],
    ['alternatives', createDoublingSchema((ref) => ({ anyOf: [ref, ref] })), {}],
    [
      'two references to the same items at each level',
      {
        properties: { a: { $ref: '#/$defs/x' } },
        $defs: { x: { allOf: [{ items: { $ref: '#/$defs/x' } }, { items: { $ref: '#/$defs/x' } }] } },
      },
      { a: nested },
    ],
    ['a reference to itself', { allOf: [{ $ref: '#' }] }, {}],
    [
      'additionalProperties for many properties',
      { additionalProperties: false },
      Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`k${index}`, 1])),
    ],
    [
      'many alternatives for each of many items',
      { properties: { a: { items: { anyOf: Array.from({ length: 500 }, () => ({ type: 'string' })) } } } },
      { a: Array.from({ length: 5_000 }, () => 1) },
    ],
    [
      'many required properties for each of many items',
      {
        properties: { a: { items: { required: Array.from({ length: 3_000 }, (_, index) => `r${index}`) } } },
      },
      { a: Array.from({ length: 50_000 }, () => ({})) },
    ],
  ])('is abandoned: %s', (_, schema, value) => {
    const check = createSchemaCheck({ type: 'object', ...schema });
    expect(() => check(value, 'all')).toThrow(RangeError);
    // The first problem may be found before the check takes too long.
    const first = attempt(() => check(value, 'first'));
    expect(first.ok ? first.value.length : first.thrown).not.toBe(0);
  });

  it.each<[string, JsonObject, Json]>([
    ['a costly pattern', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(60)}!` }],
    [
      'a costly pattern for property names',
      { patternProperties: { '^(a+)+$': {} } },
      { [`${'a'.repeat(60)}!`]: 1 },
    ],
    [
      'uniqueItems for many items',
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 300_000 }, (_, index) => index) },
    ],
  ])('has keywords that are not run: %s', (_, schema, value) => {
    expect(findProblems(schema, value)).toEqual([]);
  });

  it('cannot be used if even reading it takes forever', () => {
    let inner: JsonObject = { type: 'object' };
    for (let level = 0; level < 60; level += 1)
      inner = { $id: `https://x.example/${level}`, type: 'object', properties: { a: inner } };
    expect(toUsableSchema(inner)).toBeUndefined();
    expect(() => createSchemaCheck(inner)).toThrow('too many schemas with an "$id" are nested');
    const usual = {
      $id: 'https://x.example/0',
      type: 'object',
      properties: { id: { type: 'string' } },
      $defs: { a: { $id: 'a' } },
    };
    expect(toUsableSchema(usual)).toEqual(usual);
    const nest = (ids: number): JsonObject =>
      ids === 0 ? {} : { $id: `https://x.example/${ids}`, type: 'object', $defs: { a: nest(ids - 1) } };
    expect(toUsableSchema(nest(4))).toEqual(nest(4));
    expect(toUsableSchema(nest(5))).toBeUndefined();
  });
});

describe('`listedInput`', () => {
  const input = toListedInput(
    createListedTool({
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { path: { type: 'string', pattern: '^(a+)+$' } },
        required: ['path'],
      },
    }),
  );

  it('shows the schema in the same form as the app’s own tools', () => {
    expect(input.json).toEqual({
      type: 'object',
      properties: { path: { type: 'string', pattern: '^(a+)+$' } },
      required: ['path'],
    });
  });

  it('accepts a valid input, and an input that only a pattern refuses', async () => {
    const hard = { path: `${'a'.repeat(60)}!` };
    expect(await input.parse({ path: 'a' })).toEqual({ ok: true, value: { path: 'a' } });
    expect(await input.parse(hard)).toEqual({ ok: true, value: hard });
  });

  it('reports every problem of an input', async () => {
    expect(await input.parse({})).toEqual({
      ok: false,
      problems: ['Instance does not have required property "path".'],
    });
  });

  it('reports a schema that takes forever, and the tool does not run', async () => {
    const loop = toListedInput(createListedTool({ inputSchema: { type: 'object', allOf: [{ $ref: '#' }] } }));
    const checked = await checkInput(loop, {}, 'fs_read');
    expect(checked.ok ? '' : checked.answer.content).toBe(
      "Tool 'fs_read' did not run: its input could not be checked: Maximum call stack size exceeded",
    );
  });
});
