import { describe, expect, it } from 'vitest';
import {
  listOperations,
  type OpenApiDocument,
  type Operation,
} from '../../../../src/examples/catalog/openapi.ts';
import { toToolSchema } from '../../../../src/examples/catalog/to-tool-schema.ts';
import { createToolNames } from '../../../../src/examples/catalog/tool-names.ts';
import type { JsonObject } from '../../../../src/index.ts';

/** Returns a document with one operation. */
const createDocument = (
  operation: JsonObject,
  { path = '/things', ...more }: { path?: string } & JsonObject = {},
) => ({
  paths: { [path]: { post: operation } },
  ...more,
});

function getOnlyOperation(declared: OpenApiDocument): Operation {
  const [operation, ...others] = listOperations(declared);
  if (!operation || others.length > 0) throw new Error('The document must have one operation.');
  return operation;
}

describe('listOperations', () => {
  it('returns one operation for each method of each path, with the shared parts of the path', () => {
    const declared: OpenApiDocument = {
      paths: {
        '/pots/{pot}': {
          parameters: [{ name: 'pot', in: 'path', required: true, schema: { type: 'string' } }],
          get: { operationId: 'pots/get', tags: ['pots', 'kitchen'], summary: 'Get a pot' },
          delete: { tags: ['pots'], description: 'Breaks a pot.\n\nFor good.' },
          summary: 'Pots',
        },
      },
    };
    expect(listOperations(declared)).toMatchObject([
      { method: 'get', path: '/pots/{pot}', tag: 'pots', id: 'pots/get', summary: 'Get a pot' },
      { method: 'delete', tag: 'pots', id: 'delete /pots/{pot}', summary: 'Breaks a pot.' },
    ]);
    expect(listOperations(declared).map(({ parameters }) => parameters.map(({ name }) => name))).toEqual([
      ['pot'],
      ['pot'],
    ]);
  });

  it('prefers a parameter of the operation to one of the path, and resolves references to parameters', () => {
    const shared = { name: 'page', in: 'query', schema: { type: 'string' } };
    const declared = {
      paths: {
        '/pots': { parameters: [shared], get: { parameters: [{ $ref: '#/components/parameters/page' }] } },
      },
      components: {
        parameters: { page: { name: 'page', in: 'query', required: true, schema: { type: 'integer' } } },
      },
    };
    expect(getOnlyOperation(declared).parameters).toMatchObject([
      { name: 'page', required: true, schema: { type: 'integer' } },
    ]);
  });

  it('omits cookies, and describes placeholders that are not documented', () => {
    const cookie = { name: 'sid', in: 'cookie', schema: { type: 'string' } };
    const operation = getOnlyOperation(
      createDocument({ parameters: [cookie] }, { path: '/pots/{pot}/lids/{pot}' }),
    );
    expect(operation.parameters).toEqual([
      { name: 'pot', in: 'path', required: true, multiSegment: false, schema: { type: 'string' } },
    ]);
    expect(operation.tag).toBe('other');
  });

  it('returns an empty list for an invalid document', () => {
    const broken = { paths: { '/a': null, '/b': 'text', '/c': { get: [], post: null }, '/d': { get: {} } } };
    expect(listOperations(broken).map(({ id }) => id)).toEqual(['get /d']);
    expect(listOperations({})).toEqual([]);
  });
});

describe('the JSON Schema of an OpenAPI schema', () => {
  const components = {
    schemas: {
      Pot: { type: 'object', properties: { size: { $ref: '#/components/schemas/Size' } } },
      Size: { type: 'integer', minimum: 1, exclusiveMinimum: true, description: 'In liters' },
      Box: {
        type: 'object',
        properties: { inside: { type: 'array', items: { $ref: '#/components/schemas/Box' } } },
      },
      'a/b~c': { const: 1 },
    },
  };
  const writeSchema = (schema: JsonObject) => toToolSchema(schema, { components });

  it.each([
    [
      'replaces a reference with its target',
      '#/components/schemas/Pot',
      {
        type: 'object',
        properties: { size: { type: 'integer', minimum: 1, exclusiveMinimum: 1, description: 'In liters' } },
      },
    ],
    [
      'cuts a cycle at the repeated reference',
      '#/components/schemas/Box',
      {
        type: 'object',
        properties: { inside: { type: 'array', items: { description: 'Any Box.' } } },
      },
    ],
    ['resolves an escaped name', '#/components/schemas/a~1b~0c', { const: 1 }],
    ['accepts any value for a reference without a target', '#/components/schemas/Nothing', {}],
    ['does not follow an external reference', 'https://example.com/schema', {}],
  ])('%s', (_, $ref, expected) => {
    expect(writeSchema({ $ref })).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['expresses nullable as a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'expresses nullable in an enum',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'expresses nullable in a union',
      { oneOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ oneOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [
      'omits read-only properties',
      {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' } },
      },
      { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    ],
    [
      'omits annotations that models do not need',
      { type: 'string', example: 'a', xml: {}, 'x-more': 1, title: 'T', deprecated: true },
      { type: 'string' },
    ],
    ['omits a pattern in another regex dialect', { type: 'string', pattern: '(?i)a\\_' }, { type: 'string' }],
    ['keeps a pattern', { type: 'string', pattern: '^[a-z]+$' }, { type: 'string', pattern: '^[a-z]+$' }],
    [
      'keeps a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'keeps a closed object',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
  ])('%s', (_, schema, expected) => {
    expect(writeSchema(schema)).toEqual(expected);
  });

  it('has the first paragraph of a description on one line, with at most 300 characters', () => {
    expect(writeSchema({ description: ' One\n  line.\n\nMore.' })).toEqual({ description: 'One line.' });
    expect(String(writeSchema({ description: 'a'.repeat(500) }).description)).toHaveLength(300);
  });

  it('is cut at a limit of depth and width', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 50; level += 1) deep = { type: 'array', items: deep };
    expect(JSON.stringify(writeSchema(deep)).match(/array/g)).toHaveLength(9);
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    expect(JSON.stringify(writeSchema({ type: 'object', properties: wide })).match(/string/g)).toHaveLength(
      299,
    );
  });
});

describe('the tool names of operations', () => {
  it('are valid for every provider: at most 64 letters, digits, `_` and `-`', () => {
    const { take } = createToolNames();
    const long = `repos/${'a'.repeat(100)}`;
    expect([take('repos/get-a pot'), take('get /pots/{pot}'), take('/'), take('...')]).toEqual([
      'repos_get-a_pot',
      'get_pots_pot',
      'tool',
      expect.stringMatching(/^tool_[a-z0-9]+$/),
    ]);
    expect(take(long)).toMatch(/^repos_a{50,52}_[a-z0-9]{5,7}$/);
    expect(take(`${long}b`)).toHaveLength(64);
  });

  it('are unique, and do not depend on other long names', () => {
    const ids = ['a/b', 'a b', 'a_b', `x${'a'.repeat(80)}`, `x${'a'.repeat(80)}`, `x${'a'.repeat(80)}c`];
    const { take } = createToolNames();
    const names = ids.map((id) => take(id));
    expect(new Set(names).size).toBe(ids.length);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(createToolNames().take(`x${'a'.repeat(80)}c`)).toBe(names.at(-1));
    expect([take('a b', 'c/d'), take('a b', 'c/d')]).toEqual([
      'c_d',
      expect.stringMatching(/^a_b_[a-z0-9]+$/),
    ]);
  });
});

it('the tool of an operation checks known formats, and leaves other formats to the service', () => {
  const schema = {
    type: 'object',
    properties: { at: { type: 'string', format: 'date' }, n: { type: 'integer', format: 'int32' } },
  };
  expect(toToolSchema(schema, {})).toEqual({
    type: 'object',
    properties: { at: { type: 'string', format: 'date' }, n: { type: 'integer' } },
  });
});
