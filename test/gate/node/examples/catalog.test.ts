import { describe, expect, it } from 'vitest';
import { defineCatalog } from '../../../../src/examples/catalog/catalog.ts';
import { groupByPath } from '../../../../src/examples/catalog/group-by-path.ts';
import {
  listOperations,
  type OpenApiDocument,
  type Operation,
} from '../../../../src/examples/catalog/openapi.ts';
import { type ApiRequest, createOperationTool } from '../../../../src/examples/catalog/operation-tool.ts';
import { defineAgent, type JsonObject } from '../../../../src/index.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { getModelText } from '../../../doors/tools.ts';

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

/** Calls the tool of an operation in a session. Returns the sent requests and the text for the model. */
async function callOperation(declared: OpenApiDocument, input: JsonObject) {
  const requests: ApiRequest[] = [];
  const callApi = (request: ApiRequest) => {
    requests.push(request);
    return { done: true };
  };
  const tool = createOperationTool('act', getOnlyOperation(declared), { document: declared, api: callApi });
  const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools: [tool] });
  const session = createTestSession(agent, { replies: [{ calls: [{ name: 'act', input }] }, 'Done.'] });
  await session.send('Act.');
  const shown = session.requests[1]?.messages.at(-1)?.text;
  return { tool, requests, shown };
}

describe('the tool of an OpenAPI operation', () => {
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
  const declared = createDocument(operation, { path: '/shelves/{shelf}/at/{place}' });

  it('combines the parameters and the JSON body in one input, under distinct names', async () => {
    const { tool } = await callOperation(declared, {});
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

  it('sends each value in the place that the document declares, escaped', async () => {
    const input = {
      shelf: 'a/b {place}',
      place: 'x y/z',
      size: 3,
      filter_new_: true,
      query_shelf: 'q',
      header_body: 'h',
      body: { lid: true },
    };
    const { requests, shown } = await callOperation(declared, input);
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

  it.each(['', '.', '..'])(
    'refuses %j as a path parameter, which would lead to another path',
    async (shelf) => {
      const { requests, shown } = await callOperation(declared, { shelf, place: 'x', body: {} });
      expect(requests).toEqual([]);
      expect(shown).toBe("Error: 'shelf' is a part of a path: it may not be empty, '.' or '..'.");
    },
  );

  it('refuses a path traversal in a parameter with several segments', async () => {
    const { shown } = await callOperation(declared, { shelf: 's', place: 'x/../y', body: {} });
    expect(shown).toBe("Error: 'place' is a part of a path: it may not be empty, '.' or '..'.");
  });

  it('accepts text if the operation has no JSON body', async () => {
    const upload = createDocument({
      requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } },
    });
    const { tool, requests } = await callOperation(upload, { body: 'Hello' });
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
  ])('with the method %s has the effect %s', (method, effect) => {
    const one = { paths: { '/a': { [method]: {} } } };
    expect(createOperationTool('act', getOnlyOperation(one), { document: one, api: () => null }).effect).toBe(
      effect,
    );
  });
});

describe('groupByPath', () => {
  /** Returns the prefix and the number of entries of each group, and the path of each single operation. */
  const formatOutline = (entries: ReturnType<typeof groupByPath<{ path: string }>>): readonly unknown[] =>
    entries.map((entry) =>
      entry.type === 'leaf' ? entry.item.path : [`${entry.prefix} ${entry.segment}`, entry.entries.length],
    );
  const createOperations = (count: number, path: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => ({ path: path(at) }));

  it('does not group a few operations', () => {
    expect(formatOutline(groupByPath([{ path: '/b/1' }, { path: '/a' }]))).toEqual(['/b/1', '/a']);
  });

  it('groups more than 16 operations by the first segment that differs, if a group is large enough', () => {
    const items = [
      ...createOperations(12, (at) => `/v1/pots/${at}`),
      ...createOperations(5, (at) => `/v1/lids/{lid}/${at}`),
      { path: '/v1/shelves/1' },
      { path: '/v1' },
    ];
    expect(formatOutline(groupByPath(items))).toEqual([
      '/v1',
      ['/v1/lids/{lid} lids', 5],
      ['/v1/pots pots', 12],
      '/v1/shelves/1',
    ]);
  });

  it('groups more than 16 other operations alphabetically', () => {
    const letters = createOperations(20, (at) => `/${String.fromCharCode(97 + at)}/x`);
    expect(formatOutline(groupByPath(letters))).toEqual([
      ['/ a-to-j', 10],
      ['/ k-to-t', 10],
    ]);
  });

  it('returns at most 16 entries per level', () => {
    const getGroupSizes = (entries: ReturnType<typeof groupByPath<{ path: string }>>): number[] => [
      entries.length,
      ...entries.flatMap((entry) => (entry.type === 'group' ? getGroupSizes(entry.entries) : [])),
    ];
    const same = groupByPath(createOperations(700, () => '/a/{b}'));
    expect(
      Math.max(
        ...getGroupSizes(same),
        ...getGroupSizes(groupByPath(createOperations(700, (at) => `/${at % 40}/${at}`))),
      ),
    ).toBe(16);
  });
});

describe('a catalog of operations', () => {
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
  const catalog = defineCatalog({ paths, tags }, ({ path }) => path);

  it('is a tree of unfolding tools by tag and path, whose names are unique', () => {
    expect(catalog.tools.map(({ name, description }) => [name, description])).toEqual([
      ['pots', 'Pots and pans. 19 operations.'],
      ['other', 'Everything about other. 1 operation.'],
    ]);
    const inner = catalog.tools[0]?.inner ?? [];
    expect(inner.map(({ name, description }) => [name, description])).toEqual([
      [expect.stringMatching(/^pots_[a-z0-9]+$/), 'pots (GET /pots)'],
      ['pots_pot', '18 operations under /pots/{pot}: handles, lids, rims.'],
    ]);
    expect(inner[1]?.inner?.map(({ name, description }) => [name, description])).toEqual([
      ['pots_handles', '6 operations under /pots/{pot}/handles: 0, 1, 2, 3, 4, 5.'],
      ['pots_lids', '6 operations under /pots/{pot}/lids: 0, 1, 2, 3, 4, 5.'],
      ['pots_rims', '6 operations under /pots/{pot}/rims: 0, 1, 2, 3, 4, 5.'],
    ]);
    const names = [...catalog.leaves.map(({ tool }) => tool.name), ...catalog.tools.map(({ name }) => name)];
    expect(new Set(names).size).toBe(names.length);
  });

  it('lets a model reach every operation', async () => {
    const leaf = catalog.leaves.find(({ operation }) => operation.path === '/pots/{pot}/rims/3');
    expect(leaf?.way).toEqual(['pots', 'pots_pot', 'pots_rims']);
    const agent = defineAgent({ name: 'a', description: 'a', instructions: 'a', tools: catalog.tools });
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
    expect(last?.ended && getModelText(last.ended.result)).toBe('/pots/7/rims/3');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['other', 'pots']);
  });
});
