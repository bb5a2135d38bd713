import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool, type Json, type JsonSchema } from '../../../../../src/index.ts';
import { withCoercion } from '../../../../../src/modules/decorators/entry.ts';
import { coerceInput } from '../../../../doors/tools.ts';
import { createFakeInvocation } from '../fake-invocation.ts';

const NUMBER: JsonSchema = { type: 'number' };
const INTEGER: JsonSchema = { type: 'integer' };
const BOOLEAN: JsonSchema = { type: 'boolean' };
const coerceValue = (schema: JsonSchema, value: Json): Json | undefined =>
  coerceInput({ value }, { type: 'object', properties: { value: schema } }).value;

describe('an input with values in quotes', () => {
  it.each<[JsonSchema, Json, Json]>([
    [INTEGER, '42', 42],
    [INTEGER, '-7', -7],
    [NUMBER, '4.5', 4.5],
    [NUMBER, '1e3', 1000],
    [NUMBER, '0', 0],
    [{ type: ['number', 'null'] }, '4', 4],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, '4', 4],
    [{ oneOf: [{ type: 'boolean' }, { type: 'integer' }] }, '4', 4],
    [{ enum: [1, 2] }, '2', 2],
    [{ const: 3 }, '3', 3],
  ])('is converted for the schema %j from %j to %j (ANN-07)', (schema, value, expected) => {
    expect(coerceValue(schema, value)).toBe(expected);
  });

  it.each<[JsonSchema, Json]>([
    [INTEGER, 'seven'],
    [INTEGER, ''],
    [INTEGER, ' 7'],
    [INTEGER, '0x10'],
    [INTEGER, '007'],
    [INTEGER, '1,000'],
    [INTEGER, '9007199254740993'],
    [NUMBER, '1e999'],
    [NUMBER, 'NaN'],
    [NUMBER, 'Infinity'],
    [NUMBER, true],
    [{ type: ['string', 'number'] }, '4'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '4'],
    [{ enum: ['1', 2] }, '1'],
    [{}, '4'],
    [{ type: 'object' }, '{"a":1}'],
  ])('is left unchanged for the schema %j if the value is %j (ANN-07)', (schema, value) => {
    expect(coerceValue(schema, value)).toBe(value);
  });

  it.each<[Json, Json]>([
    ['true', true],
    ['false', false],
    ['yes', 'yes'],
    ['no', 'no'],
    ['True', 'True'],
    ['1', '1'],
    [1, 1],
    ['', ''],
  ])('is converted from %j to %j for a boolean (ANN-09)', (value, expected) => {
    expect(coerceValue(BOOLEAN, value)).toBe(expected);
  });

  it('is coerced in lists, in objects and in unions of objects (ANN-07)', () => {
    const item = { type: 'object', properties: { quantity: INTEGER, note: { type: 'string' } } };
    const schema = { type: 'array', items: { anyOf: [item, { type: 'null' }] } };
    const sent = [{ quantity: '2', note: '3', other: '4' }, null, { quantity: 5 }];
    expect(coerceValue(schema, sent)).toEqual([
      { quantity: 2, note: '3', other: '4' },
      null,
      { quantity: 5 },
    ]);
    expect(coerceValue({ type: 'array' }, ['1'])).toEqual(['1']);
  });

  it('is copied, and the original is unchanged', () => {
    const sent = { value: ['1'] };
    coerceInput(sent, { properties: { value: { items: INTEGER } } });
    expect(sent).toEqual({ value: ['1'] });
  });

  it('can have keys with hostile names', () => {
    const schema = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"}}') };
    const sent = coerceInput(JSON.parse('{"__proto__":"1","constructor":"2"}'), schema);
    expect(JSON.stringify(sent)).toBe('{"__proto__":1,"constructor":"2"}');
  });
});

describe('a tool that coerces its input', () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: v.object({ a: v.number(), b: v.optional(v.number(), 1) }),
    run: ({ a, b }) => a + b,
  });

  it('calls and checks its tool with the coerced values (ANN-07)', async () => {
    const tool = withCoercion(add);
    expect((await tool.call({ a: '2' }, createFakeInvocation('add').call)).text()).toBe('3');
    expect(await tool.check({ a: '2', b: '3' })).toEqual({ ok: true, value: { a: 2, b: 3 } });
    expect(tool).toMatchObject({ name: 'add', inputSchema: add.inputSchema, delegate: add });
  });

  it('returns an error for a value that is not a number (ANN-07)', async () => {
    const answer = await withCoercion(add).call({ a: 'two' }, createFakeInvocation('add').call);
    expect(answer.text()).toBe(
      'The input of tool \'add\' is not valid:\n- a: Invalid type: Expected number but received "two"\n' +
        'Call it again with a corrected input.',
    );
  });
});
