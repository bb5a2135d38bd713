import { type Schema, validate } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage, OutputFormat } from '../../../../src/model/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createWorldTool, type WorldTool } from './offline-world.ts';

const notice =
  "(Answered by Holdfast's offline planner, which is not a language model. To use one, set MODEL to its name, and OPENAI_API_KEY or OPENAI_BASE_URL.)";
const options = { signal: new AbortController().signal };

const flomp = {
  flomp_id: 12,
  state: 'late',
  total: 40,
  paid: true,
  mail: 'ada@example.com',
  tags: ['red', 'big'],
};
const call = { id: 'a', name: 'get_flomp', input: '{"flomp_id":12}' };
const lookUpMessages: readonly ModelMessage[] = [
  { role: 'user', text: 'Show flomp 12.' },
  { role: 'assistant', text: '', toolCalls: [call] },
  { role: 'tool', id: 'a', name: 'get_flomp', text: JSON.stringify(flomp) },
];
const unaskedMessages: readonly ModelMessage[] = [{ role: 'user', text: 'Hello!' }];

const createForm = (schema: object, name = 'flomp_report'): OutputFormat => ({ name, schema: { ...schema } });
const createObjectForm = (properties: object, required = Object.keys(properties)) =>
  createForm({ type: 'object', properties, required });

/** Returns the model's parsed answer to this form. */
const fillForm = async (
  output: OutputFormat,
  messages: readonly ModelMessage[] = lookUpMessages,
): Promise<unknown> => {
  const { text, toolCalls, finish } = await offlineModel().ask({ messages, tools: [], output }, options);
  expect([toolCalls, finish]).toEqual([[], 'stop']);
  return JSON.parse(text);
};

describe('a structured answer of the offline model', () => {
  it('contains the found values with the names and types of the schema', async () => {
    const output = createObjectForm({
      flompId: { type: 'integer' },
      state: { type: 'string', enum: ['early', 'late'] },
      total: { type: 'number' },
      paid: { type: 'boolean' },
      mail: { type: 'string', format: 'email' },
      tags: { type: 'array', items: { type: 'string' } },
    });
    expect(await fillForm(output)).toEqual({
      flompId: 12,
      state: 'late',
      total: 40,
      paid: true,
      mail: 'ada@example.com',
      tags: ['red', 'big'],
    });
  });

  it('omits optional values that were not found', async () => {
    const string = { type: 'string' };
    expect(await fillForm(createObjectForm({ state: string, carrier: string }, []))).toEqual({
      state: 'late',
    });
  });

  it('contains the values of nested objects, even through references', async () => {
    const schema = {
      $ref: '#/$defs/report',
      $defs: {
        report: { type: 'object', properties: { flomp: { $ref: '#/$defs/flomp' } }, required: ['flomp'] },
        flomp: {
          allOf: [
            { properties: { id: { type: 'integer' } }, required: ['id'] },
            { type: 'object', properties: { lost: { type: 'boolean' } }, required: ['lost'] },
          ],
        },
      },
    };
    expect(await fillForm(createForm(schema))).toEqual({ flomp: { id: 12, lost: false } });
  });

  it('contains values of an earlier turn if the current turn made no calls', async () => {
    const messages: ModelMessage[] = [
      ...lookUpMessages,
      { role: 'assistant', text: 'Late.', toolCalls: [] },
      { role: 'user', text: 'Thanks!' },
    ];
    expect(await fillForm(createObjectForm({ state: { type: 'string' } }), messages)).toEqual({
      state: 'late',
    });
  });

  it('contains the answer as text, with the notice, if the schema has a text property', async () => {
    const output = createObjectForm({
      summary: { type: 'string' },
      answer: { type: 'string', maxLength: 20 },
    });
    const words = `Nothing here fits this message.\n${notice}`;
    expect(await fillForm(output, unaskedMessages)).toEqual({ summary: words, answer: words.slice(0, 20) });
  });

  it('is sent only after the tools have been called', async () => {
    const tools: readonly WorldTool[] = [
      createWorldTool('get_flomp', 'One flomp, by its id.', ['flomp_id'], () => flomp),
    ];
    const output = createObjectForm({ state: { type: 'string' } });
    const reply = await offlineModel().ask({ messages: lookUpMessages.slice(0, 1), tools, output }, options);
    expect(reply).toMatchObject({ text: '', toolCalls: [{ name: 'get_flomp' }] });
  });

  it('is streamed in pieces that add up to its text', async () => {
    const pieces: string[] = [];
    const onText = (piece: string) => void pieces.push(piece);
    const request = {
      messages: unaskedMessages,
      tools: [],
      output: createObjectForm({ summary: { type: 'string' } }),
    };
    const reply = await offlineModel().ask(request, { ...options, onText });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(reply.text);
  });
});

const names = [...'abcdefghij'];
const manifoldSchema = {
  $ref: '#/$defs/a',
  $defs: {
    a: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/a' }])),
      required: names,
    },
  },
};

describe('a structured answer without any values', () => {
  it.each<[string, object, unknown]>([
    ['text', { type: 'string' }, 'unknown'],
    ['text with a minimum length', { type: 'string', minLength: 9 }, 'unknown--'],
    ['text with a maximum length', { type: 'string', maxLength: 3 }, 'unk'],
    ['an email', { type: 'string', format: 'email' }, 'nobody@example.com'],
    ['a date', { type: 'string', format: 'date' }, '1970-01-01'],
    ['a date and time', { type: 'string', format: 'date-time' }, '1970-01-01T00:00:00Z'],
    ['a UUID', { type: 'string', format: 'uuid' }, '00000000-0000-0000-0000-000000000000'],
    ['digits', { type: 'string', pattern: '^[0-9]+$' }, '0'],
    ['a number', { type: 'number' }, 0],
    ['a number of at least 3', { type: 'number', minimum: 3 }, 3],
    ['a number above 3', { type: 'integer', exclusiveMinimum: 3 }, 4],
    ['a number below 0', { type: 'number', exclusiveMaximum: 0 }, -1],
    ['a number between 0 and 1', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ['a multiple of 5 of at least 7', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
    ['a boolean', { type: 'boolean' }, false],
    ['null', { type: 'null' }, null],
    ['any value', {}, null],
    ['an enum', { enum: ['b', 'a'] }, 'b'],
    ['a constant', { const: 7 }, 7],
    ['a default', { type: 'string', default: 'x' }, 'x'],
    ['a list', { type: 'array', items: { type: 'string' } }, []],
    [
      'a list of at least two items',
      { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 2 },
      [1, 1],
    ],
    ['a nullable object', { type: ['null', 'object'], properties: { a: {} }, required: ['a'] }, { a: null }],
    ['a union', { anyOf: [{ type: 'null' }, { type: 'boolean' }, { type: 'string' }] }, false],
    [
      'a required property that is not declared',
      { type: 'object', required: ['a'], additionalProperties: { type: 'number' } },
      { a: 0 },
    ],
  ])('contains the smallest valid value for %s', async (_, schema, expected) => {
    const value = await fillForm(createForm(schema), unaskedMessages);
    expect(value).toEqual(expected);
    // The validator writes to the schema, so it receives a copy.
    expect(validate(value, structuredClone(schema) as Schema).errors).toEqual([]);
  });

  it('is the same each time', async () => {
    const output = createObjectForm({ a: { type: 'string' }, b: { type: 'array', items: {}, minItems: 3 } });
    expect(await fillForm(output, unaskedMessages)).toEqual(await fillForm(output, unaskedMessages));
  });

  it.each<[string, object]>([
    [
      'that requires itself endlessly',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        required: ['a'],
        $defs: {
          a: {
            type: 'object',
            properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } },
            required: ['a', 'b'],
          },
        },
      },
    ],
    ['that requires itself ten times', manifoldSchema],
    ['that only refers to itself', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
    ['with a reference without a target', { $ref: 'https://a.test/schema' }],
    [
      'that requires a million items',
      { type: 'array', minItems: 1e6, items: { type: 'string', minLength: 1e9 } },
    ],
    ['that contradicts itself', { type: 'integer', minimum: 2, maximum: 1 }],
    ['with an invalid pattern', { type: 'string', pattern: '(' }],
    [
      'with names of prototypes',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__","constructor"]}',
      ),
    ],
    [
      'with invalid keywords',
      { type: 7, properties: [], required: 'a', enum: 'b', items: 3, allOf: {}, anyOf: [null] },
    ],
  ])('is valid JSON even for a schema %s', async (_, schema) => {
    const { text } = await offlineModel().ask(
      { messages: unaskedMessages, tools: [], output: createForm(schema) },
      options,
    );
    expect(text.length).toBeLessThan(1_000_000);
    JSON.parse(text);
  });

  it('is valid JSON for any schema and any results', async () => {
    const keys = [
      'type',
      'properties',
      'required',
      'items',
      'enum',
      'const',
      'default',
      'anyOf',
      'allOf',
      '$ref',
      'minimum',
      'maximum',
      'multipleOf',
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'format',
      'pattern',
      'state',
      'total',
      '__proto__',
      'additionalProperties',
    ];
    const schema = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(
          'object',
          'string',
          'array',
          'number',
          'integer',
          'state',
          '#/a',
          0,
          -1,
          1e9,
          null,
          true,
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
      ),
    })).value;
    // `String()` throws for this value, which is used in place of a name or a format.
    const nameless: unknown = JSON.parse('{"toString":null,"valueOf":null}');
    const examples: [Record<string, unknown>, string][] = [
      [{ required: [nameless], properties: {} }, '[]'],
      [{ properties: { state: { type: 'string', format: nameless } } }, '[]'],
      [{ properties: {}, required: ['state', nameless] }, '[]'],
    ];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), schema), fc.json(), async (given, text) => {
        const messages = [...lookUpMessages.slice(0, 2), { ...lookUpMessages[2], text } as ModelMessage];
        const reply = await offlineModel().ask({ messages, tools: [], output: createForm(given) }, options);
        JSON.parse(reply.text);
      }),
      { seed: 20_261_117, numRuns: 300, examples },
    );
  });
});
