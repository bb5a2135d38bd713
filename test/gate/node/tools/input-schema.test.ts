import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import type { InputDeclaration, JsonObject } from '../../../../src/index.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { InputSchemaError, toInputSchema } from '../../../doors/tools.ts';

const declarations: Record<string, InputDeclaration> = {
  Valibot: v.object({
    customer: v.string(),
    items: v.array(v.object({ quantity: v.number() })),
    note: v.optional(v.string(), 'none'),
  }),
  Zod: z.object({
    customer: z.string(),
    items: z.array(z.object({ quantity: z.number() })),
    note: z.string().default('none'),
  }),
  ArkType: type({ customer: 'string', items: type({ quantity: 'number' }).array(), note: "string = 'none'" }),
  'JSON Schema': jsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      customer: { type: 'string' },
      items: {
        type: 'array',
        items: { type: 'object', properties: { quantity: { type: 'number' } }, required: ['quantity'] },
      },
      note: { type: 'string', default: 'none' },
    },
    required: ['customer', 'items'],
  }),
};

const parse = (declared: InputDeclaration, input: JsonObject) => toInputSchema(declared).parse(input);

describe.each(Object.entries(declarations))('an input declared with %s', (library, declared) => {
  // The ArkType converter omits defaults.
  const note = library === 'ArkType' ? { type: 'string' } : { type: 'string', default: 'none' };

  it('appears to the model as the same JSON Schema, without a dialect (TOOL-08, TYP-08)', () => {
    expect(toInputSchema(declared).json).toEqual({
      type: 'object',
      properties: {
        customer: { type: 'string' },
        items: {
          type: 'array',
          items: { type: 'object', properties: { quantity: { type: 'number' } }, required: ['quantity'] },
        },
        note,
      },
      required: ['customer', 'items'],
    });
  });

  it('is validated, and defaults fill in missing fields (TYP-06)', async () => {
    const input = { customer: 'Ada', items: [{ quantity: 2 }] };
    const value = library === 'JSON Schema' ? input : { ...input, note: 'none' };
    expect(await parse(declared, input)).toEqual({ ok: true, value });
  });

  it('reports every problem at once, each with its path (TYP-10)', async () => {
    const problems = {
      Valibot: [
        'customer: Invalid type: Expected string but received 7',
        'items[0].quantity: Invalid type: Expected number but received "two"',
      ],
      Zod: [
        'customer: Invalid input: expected string, received number',
        'items[0].quantity: Invalid input: expected number, received string',
      ],
      ArkType: [
        'customer must be a string (was a number)',
        'items[0].quantity must be a number (was a string)',
      ],
      'JSON Schema': [
        'customer: Instance type "number" is invalid. Expected "string".',
        'items[0].quantity: Instance type "string" is invalid. Expected "number".',
      ],
    }[library];
    expect(await parse(declared, { customer: 7, items: [{ quantity: 'two' }] })).toEqual({
      ok: false,
      problems,
    });
  });
});

describe('an undeclared input (TOOL-07)', () => {
  it('is an object without properties', () => {
    expect(JSON.stringify(toInputSchema().json)).toBe('{"type":"object","properties":{}}');
  });

  it('drops the fields that a model sends anyway', async () => {
    expect(await parse(undefined, { junk: 1 })).toEqual({ ok: true, value: {} });
  });
});

describe('toInputSchema', () => {
  it('returns the JSON Schema of a schema’s input, not of its output', async () => {
    const declared = v.object({ top: v.pipe(v.string(), v.transform(Number), v.number()) });
    expect(toInputSchema(declared).json.properties).toEqual({ top: { type: 'string' } });
    expect(await parse(declared, { top: '3' })).toEqual({ ok: true, value: { top: 3 } });
  });

  it('supports asynchronous schemas', async () => {
    const declared = v.objectAsync({
      id: v.pipeAsync(
        v.string(),
        v.checkAsync(async (id) => id === '7', 'Unknown id'),
      ),
    });
    expect(toInputSchema(declared).json).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    });
    expect(await parse(declared, { id: '8' })).toEqual({ ok: false, problems: ['id: Unknown id'] });
  });

  it('omits an empty `required`, and adds missing `properties` (TOOL-07)', () => {
    expect(toInputSchema(v.object({ a: v.optional(v.number()) })).json).toEqual({
      type: 'object',
      properties: { a: { type: 'number' } },
    });
    expect(toInputSchema(jsonSchema({ type: 'object' })).json).toEqual({ type: 'object', properties: {} });
  });

  it('keeps the definitions of recursive schemas', async () => {
    type Node = { readonly label: string; readonly next?: Node | undefined };
    const node: v.GenericSchema<Node> = v.object({ label: v.string(), next: v.optional(v.lazy(() => node)) });
    expect(toInputSchema(node).json.$defs).toBeTypeOf('object');
    expect(await parse(jsonSchema(toInputSchema(node).json), { label: 'a', next: { label: 7 } })).toEqual({
      ok: false,
      problems: ['next.label: Instance type "number" is invalid. Expected "string".'],
    });
  });

  it('does not require a property with a default, at any depth, and fills in the default', async () => {
    const page = {
      type: 'object',
      properties: { size: { type: 'integer', default: 20 }, mode: { enum: ['a'], default: 'a' } },
      required: ['size', 'mode'],
    };
    const declared = jsonSchema({
      type: 'object',
      properties: {
        q: { type: 'string' },
        tags: { type: 'array', default: ['new'] },
        page,
        pages: { items: page },
      },
      required: ['q', 'tags'],
    });
    const { required: _, ...lenient } = page;
    const shown = toInputSchema(declared).json;
    expect(shown).toMatchObject({
      properties: { page: lenient, pages: { items: lenient } },
      required: ['q'],
    });
    expect(JSON.stringify(shown)).not.toContain('"required":["size"');
    expect(await parse(declared, { q: 'x', page: { size: 5 }, pages: [{}] })).toEqual({
      ok: true,
      value: {
        q: 'x',
        tags: ['new'],
        page: { size: 5, mode: 'a' },
        pages: [{ size: 20, mode: 'a' }],
      },
    });
    expect(await parse(declared, { tags: 7 })).toEqual({
      ok: false,
      problems: [
        'Instance does not have required property "q".',
        'tags: Instance type "number" is invalid. Expected "array".',
      ],
    });
  });

  it('does not change the declared JSON Schema, even a frozen one', () => {
    const declared = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({}) }) });
    toInputSchema(jsonSchema(declared));
    expect(Object.getOwnPropertyNames(declared.properties.a)).toEqual([]);
  });
});

describe('an invalid input declaration', () => {
  /** Untyped code can pass this. */
  const asInput = (declared: object): InputDeclaration => declared as InputDeclaration;
  const isDevelopment = process.env.NODE_ENV !== 'production';
  /** Production builds have shorter messages. */
  const pickByMode = (message: string, inProduction: string) => (isDevelopment ? message : inProduction);
  const OBJECT = pickByMode(
    'its input must be an object schema, since a model sends a JSON object: v.object({ ... }), z.object({ ... }), ' +
      "or jsonSchema({ type: 'object', ... }). Put anything else into a property.",
    'its input must be an object schema.',
  );

  it.each<[string, InputDeclaration, string]>([
    ['a string schema', v.string(), OBJECT],
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), OBJECT],
    ['fields without v.object', asInput({ query: v.string() }), OBJECT],
    [
      'plain JSON Schema',
      asInput({ type: 'object' }),
      pickByMode(
        "its input is a plain JSON Schema. Wrap it: jsonSchema({ ... }), with jsonSchema from 'holdfast/json-schema'.",
        'its input must be an object schema.',
      ),
    ],
    ['JSON Schema of an array', jsonSchema({ type: 'array' }), OBJECT],
    [
      'zod/mini',
      mini.object({ a: mini.string() }),
      pickByMode(
        "its input is a schema of 'zod' that cannot be converted to JSON Schema. " +
          "Use Valibot, Zod 4 (import from 'zod', not 'zod/mini'), ArkType, or jsonSchema() from 'holdfast/json-schema'.",
        "its input is a schema of 'zod' that cannot be converted to JSON Schema.",
      ),
    ],
    [
      'a Zod date',
      z.object({ at: z.date() }),
      'its input cannot be written as JSON Schema: Date cannot be represented in JSON Schema.',
    ],
    [
      'JSON Schema with code',
      jsonSchema({ type: 'object', properties: { a: { default: () => 1 } } }),
      'its input is not JSON: the value at `$.properties.a.default` is a function.',
    ],
    [
      'a dangling reference',
      jsonSchema({ type: 'object', properties: { a: { $ref: '#/$defs/lost' } } }),
      'its input is not valid JSON Schema: "$ref": "#/$defs/lost" does not resolve.',
    ],
  ])('is refused at its definition: %s', (_, declared, message) => {
    expect(() => toInputSchema(declared)).toThrow(new InputSchemaError(message.replace('its input ', '')));
  });

  it('is refused if a pattern is not a regular expression', () => {
    const declared = jsonSchema({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } });
    expect(() => toInputSchema(declared)).toThrow(
      /^its input is not valid JSON Schema: Invalid regular expression/,
    );
  });
});
