import { describe, expect, it } from 'vitest';
import { defineCatalogue } from '../../src/examples/catalogue/catalogue.ts';
import { groupByPath } from '../../src/examples/catalogue/group-by-path.ts';
import { type OpenApiDocument, type Operation, operationsOf } from '../../src/examples/catalogue/openapi.ts';
import { type ApiRequest, operationTool } from '../../src/examples/catalogue/operation-tool.ts';
import { toToolSchema } from '../../src/examples/catalogue/to-tool-schema.ts';
import { toolNames } from '../../src/examples/catalogue/tool-names.ts';
import { defineAgent, type JsonObject } from '../../src/index.ts';
import { createTestSession } from '../../src/testing/test-session.ts';
import { modelText } from '../../src/tools/tool-result.ts';

/** A document with one operation. */
const document = (
  operation: JsonObject,
  { path = '/things', ...more }: { path?: string } & JsonObject = {},
) => ({
  paths: { [path]: { post: operation } },
  ...more,
});

function only(declared: OpenApiDocument): Operation {
  const [operation, ...others] = operationsOf(declared);
  if (!operation || others.length > 0) throw new Error('There must be one operation.');
  return operation;
}

describe('the operations of a document', () => {
  it('has one for each method of each path, with what the path says about all of them', () => {
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
    expect(operationsOf(declared)).toMatchObject([
      { method: 'get', path: '/pots/{pot}', tag: 'pots', id: 'pots/get', summary: 'Get a pot' },
      { method: 'delete', tag: 'pots', id: 'delete /pots/{pot}', summary: 'Breaks a pot.' },
    ]);
    expect(operationsOf(declared).map(({ parameters }) => parameters.map(({ name }) => name))).toEqual([
      ['pot'],
      ['pot'],
    ]);
  });

  it('takes the parameter of the operation over one of the path, and follows references to them', () => {
    const shared = { name: 'page', in: 'query', schema: { type: 'string' } };
    const declared = {
      paths: {
        '/pots': { parameters: [shared], get: { parameters: [{ $ref: '#/components/parameters/page' }] } },
      },
      components: {
        parameters: { page: { name: 'page', in: 'query', required: true, schema: { type: 'integer' } } },
      },
    };
    expect(only(declared).parameters).toMatchObject([
      { name: 'page', required: true, schema: { type: 'integer' } },
    ]);
  });

  it('leaves out cookies, and explains placeholders that nothing else explains', () => {
    const cookie = { name: 'sid', in: 'cookie', schema: { type: 'string' } };
    const operation = only(document({ parameters: [cookie] }, { path: '/pots/{pot}/lids/{pot}' }));
    expect(operation.parameters).toEqual([
      { name: 'pot', in: 'path', required: true, multiSegment: false, schema: { type: 'string' } },
    ]);
    expect(operation.tag).toBe('other');
  });

  it('survives a document that is none', () => {
    const broken = { paths: { '/a': null, '/b': 'text', '/c': { get: [], post: null }, '/d': { get: {} } } };
    expect(operationsOf(broken).map(({ id }) => id)).toEqual(['get /d']);
    expect(operationsOf({})).toEqual([]);
  });
});

describe('a schema of a document', () => {
  const components = {
    schemas: {
      Pot: { type: 'object', properties: { size: { $ref: '#/components/schemas/Size' } } },
      Size: { type: 'integer', minimum: 1, exclusiveMinimum: true, description: 'In litres' },
      Box: {
        type: 'object',
        properties: { inside: { type: 'array', items: { $ref: '#/components/schemas/Box' } } },
      },
      'a/b~c': { const: 1 },
    },
  };
  const written = (schema: JsonObject) => toToolSchema(schema, { components });

  it.each([
    [
      'replaces a reference by what it leads to',
      '#/components/schemas/Pot',
      {
        type: 'object',
        properties: { size: { type: 'integer', minimum: 1, exclusiveMinimum: 1, description: 'In litres' } },
      },
    ],
    [
      'cuts a cycle where it closes',
      '#/components/schemas/Box',
      {
        type: 'object',
        properties: { inside: { type: 'array', items: { description: 'Any Box.' } } },
      },
    ],
    ['reads an escaped name', '#/components/schemas/a~1b~0c', { const: 1 }],
    ['takes anything where a reference leads nowhere', '#/components/schemas/Nothing', {}],
    ['follows no reference to elsewhere', 'https://example.com/schema', {}],
  ])('%s', (_, $ref, expected) => {
    expect(written({ $ref })).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['null by a flag', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'null by a flag, of a choice',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'null by a flag, of a union',
      { oneOf: [{ type: 'string' }], nullable: true },
      { anyOf: [{ oneOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [
      'what only a response holds',
      {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' } },
      },
      { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    ],
    [
      'what is not for models',
      { type: 'string', example: 'a', xml: {}, 'x-more': 1, title: 'T', deprecated: true },
      { type: 'string' },
    ],
    ['a pattern of another dialect', { type: 'string', pattern: '(?i)a\\_' }, { type: 'string' }],
    ['a pattern', { type: 'string', pattern: '^[a-z]+$' }, { type: 'string', pattern: '^[a-z]+$' }],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', additionalProperties: { type: 'integer' } },
    ],
    [
      'a closed object',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
  ])('writes %s as JSON Schema does', (_, schema, expected) => {
    expect(written(schema)).toEqual(expected);
  });

  it('keeps the first paragraph of a description, on one line, at most 300 characters of it', () => {
    expect(written({ description: ' One\n  line.\n\nMore.' })).toEqual({ description: 'One line.' });
    expect(String(written({ description: 'a'.repeat(500) }).description)).toHaveLength(300);
  });

  it('stops at a bound, however deep or wide a schema is', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 50; level += 1) deep = { type: 'array', items: deep };
    expect(JSON.stringify(written(deep)).match(/array/g)).toHaveLength(9);
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    expect(JSON.stringify(written({ type: 'object', properties: wide })).match(/string/g)).toHaveLength(299);
  });
});

describe('the names of tools', () => {
  it('suit every provider: at most 64 letters, digits, `_` and `-`', () => {
    const { take } = toolNames();
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

  it('are unique, and do not depend on what else is long', () => {
    const ids = ['a/b', 'a b', 'a_b', `x${'a'.repeat(80)}`, `x${'a'.repeat(80)}`, `x${'a'.repeat(80)}c`];
    const { take } = toolNames();
    const names = ids.map((id) => take(id));
    expect(new Set(names).size).toBe(ids.length);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    expect(toolNames().take(`x${'a'.repeat(80)}c`)).toBe(names.at(-1));
    expect([take('a b', 'c/d'), take('a b', 'c/d')]).toEqual([
      'c_d',
      expect.stringMatching(/^a_b_[a-z0-9]+$/),
    ]);
  });
});

/** Calls the tool of an operation with an input, through a session; what was sent, and what the model reads. */
async function call(declared: OpenApiDocument, input: JsonObject) {
  const requests: ApiRequest[] = [];
  const api = (request: ApiRequest) => {
    requests.push(request);
    return { done: true };
  };
  const tool = operationTool('act', only(declared), { document: declared, api });
  const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools: [tool] });
  const session = createTestSession(agent, { replies: [{ calls: [{ name: 'act', input }] }, 'Done.'] });
  await session.send('Act.');
  const shown = session.requests[1]?.messages.at(-1)?.text;
  return { tool, requests, shown };
}

describe('the tool of an operation', () => {
  const operation = {
    summary: 'Put a pot away',
    parameters: [
      { name: 'shelf', in: 'path', required: true, description: 'Which shelf', schema: { type: 'string' } },
      { name: 'place', in: 'path', 'x-multi-segment': true, schema: { type: 'string' } },
      { name: 'size', in: 'query', schema: { type: 'integer' } },
      { name: 'filter[new]', in: 'query', schema: { type: 'boolean' } },
      { name: 'shelf', in: 'query', schema: { type: 'string' } },
      { name: 'body', in: 'header', schema: { type: 'string' } },
    ],
    requestBody: {
      required: true,
      content: {
        'text/plain': { schema: { type: 'string' } },
        'application/json': { schema: { type: 'object', properties: { lid: { type: 'boolean' } } } },
      },
    },
  };
  const declared = document(operation, { path: '/shelves/{shelf}/at/{place}' });

  it('has its parameters and its JSON body as its input, under names that tell them apart', async () => {
    const { tool } = await call(declared, {});
    expect(tool.description).toBe('Put a pot away (POST /shelves/{shelf}/at/{place})');
    expect(tool.effect).toBe('once');
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        shelf: { type: 'string', description: 'Which shelf' },
        place: { type: 'string' },
        size: { type: 'integer' },
        filter_new_: { type: 'boolean' },
        query_shelf: { type: 'string' },
        header_body: { type: 'string' },
        body: { type: 'object', properties: { lid: { type: 'boolean' } } },
      },
      required: ['shelf', 'place', 'body'],
      additionalProperties: false,
    });
  });

  it('sends each value where it belongs, escaped', async () => {
    const input = {
      shelf: 'a/b {place}',
      place: 'x y/z',
      size: 3,
      filter_new_: true,
      query_shelf: 'q',
      header_body: 'h',
      body: { lid: true },
    };
    const { requests, shown } = await call(declared, input);
    expect(requests).toEqual([
      {
        method: 'post',
        path: '/shelves/a%2Fb%20%7Bplace%7D/at/x%20y/z',
        query: { size: 3, 'filter[new]': true, shelf: 'q' },
        headers: { body: 'h', 'content-type': 'application/json' },
        body: { lid: true },
      },
    ]);
    expect(shown).toBe('{"done":true}');
  });

  it.each(['', '.', '..'])('never lets %j lead to another path', async (shelf) => {
    const { requests, shown } = await call(declared, { shelf, place: 'x', body: {} });
    expect(requests).toEqual([]);
    expect(shown).toBe("Error: 'shelf' is a part of a path: it may not be empty, '.' or '..'.");
  });

  it('refuses a climb inside of a path of several segments', async () => {
    const { shown } = await call(declared, { shelf: 's', place: 'x/../y', body: {} });
    expect(shown).toBe("Error: 'place' is a part of a path: it may not be empty, '.' or '..'.");
  });

  it('takes a text where there is no JSON body', async () => {
    const upload = document({ requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } });
    const { tool, requests } = await call(upload, { body: 'Hello' });
    expect(tool.inputSchema.properties).toEqual({
      body: { type: 'string', description: 'Sent as text/plain.' },
    });
    expect(requests).toMatchObject([{ headers: { 'content-type': 'text/plain' }, body: 'Hello' }]);
  });

  it.each([
    ['get', 'read'],
    ['head', 'read'],
    ['put', 'idempotent'],
    ['delete', 'idempotent'],
    ['post', 'once'],
    ['patch', 'once'],
  ])('has for %s the effect %s', (method, effect) => {
    const one = { paths: { '/a': { [method]: {} } } };
    expect(operationTool('act', only(one), { document: one, api: () => null }).effect).toBe(effect);
  });
});

describe('groups by path', () => {
  /** Prefixes and how many entries are inside, or the paths. */
  const outline = (entries: ReturnType<typeof groupByPath<{ path: string }>>): readonly unknown[] =>
    entries.map((entry) =>
      entry.type === 'leaf' ? entry.item.path : [`${entry.prefix} ${entry.segment}`, entry.entries.length],
    );
  const many = (count: number, path: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ path: path(at) }));

  it('leaves few as they are', () => {
    expect(outline(groupByPath([{ path: '/b/1' }, { path: '/a' }]))).toEqual(['/b/1', '/a']);
  });

  it('groups more than 16 by the first segment in which they differ, where it is worth a group', () => {
    const items = [
      ...many(12, (at) => `/v1/pots/${at}`),
      ...many(5, (at) => `/v1/lids/{lid}/${at}`),
      { path: '/v1/shelves/1' },
      { path: '/v1' },
    ];
    expect(outline(groupByPath(items))).toEqual([
      '/v1',
      ['/v1/lids/{lid} lids', 5],
      ['/v1/pots pots', 12],
      '/v1/shelves/1',
    ]);
  });

  it('groups neighbours by stretches of the alphabet where there are more than 16', () => {
    const letters = many(20, (at) => `/${String.fromCharCode(97 + at)}/x`);
    expect(outline(groupByPath(letters))).toEqual([
      ['/ a-to-j', 10],
      ['/ k-to-t', 10],
    ]);
  });

  it('never has more than 16 entries on a level', () => {
    const sizes = (entries: ReturnType<typeof groupByPath<{ path: string }>>): number[] => [
      entries.length,
      ...entries.flatMap((entry) => (entry.type === 'group' ? sizes(entry.entries) : [])),
    ];
    const same = groupByPath(many(700, () => '/a/{b}'));
    expect(Math.max(...sizes(same), ...sizes(groupByPath(many(700, (at) => `/${at % 40}/${at}`))))).toBe(16);
  });
});

describe('a catalogue', () => {
  const tags = [{ name: 'pots', description: 'Pots and pans.\n\nAnd more.' }];
  const pots = Object.fromEntries(
    ['lids', 'handles', 'rims'].flatMap((part) =>
      Array.from({ length: 6 }, (_, at) => [`/pots/{pot}/${part}/${at}`, { get: { tags: ['pots'] } }]),
    ),
  );
  const paths = {
    ...pots,
    '/ping': { get: { operationId: 'ping' } },
    '/pots': { get: { operationId: 'pots', tags: ['pots'] } },
  };
  const catalogue = defineCatalogue({ paths, tags }, ({ path }) => path);

  it('is a tree of unfolding tools by tag and path, whose names are unique', () => {
    expect(catalogue.tools.map(({ name, description }) => [name, description])).toEqual([
      ['pots', 'Pots and pans. 19 operations.'],
      ['other', 'Everything about other. 1 operation.'],
    ]);
    const inner = catalogue.tools[0]?.inner ?? [];
    expect(inner.map(({ name, description }) => [name, description])).toEqual([
      [expect.stringMatching(/^pots_[a-z0-9]+$/), 'pots (GET /pots)'],
      ['pots_pot', '18 operations under /pots/{pot}: handles, lids, rims.'],
    ]);
    expect(inner[1]?.inner?.map(({ name, description }) => [name, description])).toEqual([
      ['pots_handles', '6 operations under /pots/{pot}/handles: 0, 1, 2, 3, 4, 5.'],
      ['pots_lids', '6 operations under /pots/{pot}/lids: 0, 1, 2, 3, 4, 5.'],
      ['pots_rims', '6 operations under /pots/{pot}/rims: 0, 1, 2, 3, 4, 5.'],
    ]);
    const names = [
      ...catalogue.leaves.map(({ tool }) => tool.name),
      ...catalogue.tools.map(({ name }) => name),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('leads a model to every operation', async () => {
    const leaf = catalogue.leaves.find(({ operation }) => operation.path === '/pots/{pot}/rims/3');
    expect(leaf?.way).toEqual(['pots', 'pots_pot', 'pots_rims']);
    const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools: catalogue.tools });
    const session = createTestSession(agent, {
      replies: [
        { calls: [{ name: 'pots' }] },
        { calls: [{ name: 'pots_pot' }] },
        { calls: [{ name: 'pots_rims' }] },
        { calls: [{ name: 'get_pots_pot_rims_3', input: { pot: '7' } }] },
        'Done.',
      ],
    });
    await session.send('Rim 3 of pot 7.');
    const { messages } = await session.state();
    const last = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : [])).at(-1);
    expect(last?.ended && modelText(last.ended.result)).toBe('/pots/7/rims/3');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['other', 'pots']);
  });
});
