import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import {
  defineMcpEndpoint,
  defineMcpResource,
  McpEndpointDefinitionError,
  type McpResource,
  type McpResourceAnswer,
  mcpContents,
} from '../../../../../src/mcp/server/entry.ts';
import { advanceTime } from '../../../../fixtures/held-time.ts';
import { askNewest, connectNewest, REVISIONS } from './both-revisions.ts';
import {
  connectClient,
  createEndpointApp,
  createRpcRequest,
  postMcp,
  readMessages,
  requestAnswer,
} from './talk.ts';

const ORDERS: Readonly<Record<string, readonly string[]>> = { corner: ['17', 'a b'], other: ['99'] };

const policy = defineMcpResource({
  name: 'policy',
  uri: 'shop://policy',
  title: 'Returns',
  description: 'What may be sent back.',
  mimeType: 'text/markdown',
  ttlMs: 60_000,
  cacheScope: 'public',
  read: () => '# Returns',
});

const logo = defineMcpResource({
  name: 'logo',
  uri: 'shop://logo.png',
  mimeType: 'image/png',
  read: () => new Uint8Array([104]),
});

const order = defineMcpResource({
  name: 'order',
  uri: 'shop://orders/{order}',
  description: 'An order.',
  read: ({ order: id }, { principal }) =>
    ORDERS[principal.id]?.includes(id) ? { id, of: principal.id } : undefined,
  list: ({ principal }) =>
    (ORDERS[principal.id] ?? []).map((id) => ({ values: { order: id }, title: `Order ${id}` })),
});

const line = defineMcpResource({
  name: 'line',
  uri: 'shop://orders/{order}/lines/{line}.json',
  read: ({ order: id, line: number }) => [id, number],
});

const auth = ({ headers }: Request): Caller => ({ id: headers.get('x-user') ?? 'corner' });
const via = createEndpointApp({ resources: [policy, logo, order, line] }, { auth });

const LISTED_RESOURCES = [
  {
    uri: 'shop://policy',
    name: 'policy',
    title: 'Returns',
    description: 'What may be sent back.',
    mimeType: 'text/markdown',
  },
  { uri: 'shop://logo.png', name: 'logo', mimeType: 'image/png' },
  { uri: 'shop://orders/17', name: 'shop://orders/17', title: 'Order 17' },
  { uri: 'shop://orders/a%20b', name: 'shop://orders/a%20b', title: 'Order a b' },
];
const LISTED_TEMPLATES = [
  { uriTemplate: 'shop://orders/{order}', name: 'order', description: 'An order.' },
  { uriTemplate: 'shop://orders/{order}/lines/{line}.json', name: 'line' },
];

/** Returns the response for a resource with this `read`. */
const readResource = (read: McpResource['read'], more: Partial<McpResource> = {}, config = {}) =>
  requestAnswer(
    createEndpointApp({ resources: [{ name: 'x', uri: 'x://y', read, ...more }] }, config),
    'resources/read',
    {
      uri: 'x://y',
    },
  );

const INTERNAL_ERROR = {
  error: {
    code: -32603,
    message: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
  },
};

describe('the resources of an endpoint', () => {
  it('are listed and read by the official client of the first SDK', async () => {
    const client = await connectClient(via);
    expect(client.getServerCapabilities()).toEqual({ logging: {}, resources: {} });
    expect((await client.listResources()).resources).toEqual(LISTED_RESOURCES);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual(LISTED_TEMPLATES);
    expect(await client.readResource({ uri: 'shop://policy' })).toEqual({
      contents: [{ uri: 'shop://policy', mimeType: 'text/markdown', text: '# Returns' }],
    });
    expect((await client.readResource({ uri: 'shop://logo.png' })).contents).toEqual([
      { uri: 'shop://logo.png', mimeType: 'image/png', blob: 'aA==' },
    ]);
    await client.close();
  });

  it('are listed and read by the second SDK’s client, with the lifetime of the content', async () => {
    const client = await connectNewest(via);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getServerCapabilities()).toEqual({ logging: {}, resources: {} });
    expect((await client.listResources()).resources).toEqual(LISTED_RESOURCES);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual(LISTED_TEMPLATES);
    expect(await client.readResource({ uri: 'shop://policy' })).toMatchObject({
      contents: [{ uri: 'shop://policy', mimeType: 'text/markdown', text: '# Returns' }],
      ttlMs: 60_000,
      cacheScope: 'public',
    });
    expect(await client.readResource({ uri: 'shop://orders/a%20b' })).toMatchObject({
      contents: [{ mimeType: 'application/json', text: '{"id":"a b","of":"corner"}' }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    await client.close();
  });

  it('have no cache hints for clients of earlier revisions', async () => {
    expect(await requestAnswer(via, 'resources/read', { uri: 'shop://policy' })).toEqual({
      contents: [{ uri: 'shop://policy', mimeType: 'text/markdown', text: '# Returns' }],
    });
  });

  it('are listed only for their caller', async () => {
    const asOther = { headers: { 'x-user': 'other' } };
    const [{ result }] = (await readMessages(
      await postMcp(via, createRpcRequest('resources/list'), asOther),
    )) as [{ result: { resources: { uri: string }[] } }];
    expect(result.resources.map(({ uri }) => uri).slice(2)).toEqual(['shop://orders/99']);
    const client = await connectClient(via, { 'x-user': 'other' });
    await expect(client.readResource({ uri: 'shop://orders/17' })).rejects.toThrow(
      "There is no resource 'shop://orders/17'.",
    );
    await client.close();
  });

  it('are read by the template that matches their uri, with each value up to the next literal', async () => {
    const fetchResource = (uri: string) => requestAnswer(via, 'resources/read', { uri });
    expect(await fetchResource('shop://orders/1%207/lines/2.json.json')).toMatchObject({
      contents: [{ text: '["1 7","2.json"]' }],
    });
    expect(await fetchResource('shop://orders/17/lines/2.xml')).toMatchObject({ error: { code: -32602 } });
  });

  it('fit on one page', async () => {
    const refused = {
      error: { code: -32602, message: 'There is no such page. The first page lists everything.' },
    };
    expect(await requestAnswer(via, 'resources/list', { cursor: 'x' })).toEqual(refused);
    expect(await requestAnswer(via, 'resources/templates/list', { cursor: 'x' })).toEqual(refused);
  });

  it('do not exist if no resource is published', async () => {
    const none = createEndpointApp({});
    for (const method of ['resources/list', 'resources/templates/list', 'resources/read'])
      expect(await requestAnswer(none, method)).toEqual({
        error: { code: -32601, message: 'Method not found' },
      });
  });

  it('cannot be subscribed to, since they only change with a deployment', async () => {
    expect(await requestAnswer(via, 'resources/subscribe', { uri: 'shop://policy' })).toEqual({
      error: { code: -32601, message: 'Method not found' },
    });
  });
});

describe.each(REVISIONS)('an unknown uri, in %s', (_, ask) => {
  it.each<[string, string]>([
    ['an unknown uri', 'shop://nothing'],
    ['another scheme', 'file:///etc/passwd'],
    ['a prefix of a uri', 'shop://polic'],
    ['a longer uri', 'shop://policy/'],
    ['a template itself', 'shop://orders/'],
    ['an additional slash', 'shop://orders//lines/1.json'],
    ['a query', 'shop://orders/17?all=1'],
    ['a uri with other capitalization', 'SHOP://policy'],
    ['an unknown order', 'shop://orders/constructor'],
  ])('is refused, and returned in the data of the error: %s', async (_what, uri) => {
    expect(await ask(via, 'resources/read', { uri })).toEqual({
      error: {
        code: -32602,
        message: `There is no resource '${uri}'. See resources/list and resources/templates/list.`,
        data: { uri },
      },
    });
  });

  it.each([
    ['an encoded slash', 'shop://orders/..%2F..%2Fsecrets'],
    ['an encoded backslash', 'shop://orders/a%5Cb'],
    ['a parent segment', 'shop://orders/..'],
    ['an encoded parent segment', 'shop://orders/%2e%2e'],
    ['a null character', 'shop://orders/17%00'],
    ['a line break', 'shop://orders/17%0Aset-cookie:x'],
    ['an invalid escape', 'shop://orders/%zz'],
    ['incomplete UTF-8', 'shop://orders/%C3'],
  ])('is refused if a value would lead elsewhere: %s', async (_what, uri) => {
    expect(await ask(via, 'resources/read', { uri })).toEqual({
      error: {
        code: -32602,
        message:
          'The uri is not valid: its {order} must be percent-encoded text without slashes, backslashes and control characters, ' +
          "and neither '.' nor '..'.",
        data: { uri },
      },
    });
  });
});

describe('a request for a resource', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['without a uri', {}, '`uri` must be the uri of a resource.'],
    ['by a number', { uri: 7 }, '`uri` must be the uri of a resource.'],
    ['by a list', { uri: ['shop://policy'] }, '`uri` must be the uri of a resource.'],
    [
      'by a huge uri',
      { uri: `shop://orders/${'a'.repeat(500_000)}` },
      'A uri can have at most 2048 characters, but this one has 500014.',
    ],
  ])('is refused %s', async (_, params, message) => {
    expect(await requestAnswer(via, 'resources/read', params)).toEqual({ error: { code: -32602, message } });
  });

  it('must be the only such request in its batch, and is otherwise refused without being read', async () => {
    const read = vi.fn(() => 'x');
    const counted = createEndpointApp({ resources: [{ name: 'x', uri: 'x://y', read }] });
    const createReadRequest = (id: number) => createRpcRequest('resources/read', { uri: 'x://y' }, id);
    const response = await postMcp(counted, [createReadRequest(1), createReadRequest(2)]);
    const message =
      'A batch can have only one of tools/call, resources/read, resources/list, prompts/get, completion/complete, but this one ' +
      'has 2. Send each in its own request.';
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: '2.0', error: { code: -32600, message }, id: null },
    ]);
    expect(read).not.toHaveBeenCalled();
    expect((await postMcp(counted, [createReadRequest(1), createRpcRequest('ping', {}, 2)])).status).toBe(
      200,
    );
  });

  it('takes time linear in the length of the uri, for any content', async () => {
    const uri = `x://{a}-{b}-{c}-{d}-{e}-{f}.end` as const;
    const many = createEndpointApp({ resources: [{ name: 'x', uri, read: () => 'x' }] });
    const dashes = `x://${'-a'.repeat(1_000)}`;
    expect(await requestAnswer(many, 'resources/read', { uri: dashes })).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe('the result of a resource', () => {
  it.each<[string, McpResourceAnswer, readonly unknown[]]>([
    ['a text', 'Words', [{ uri: 'x://y', mimeType: 'text/plain', text: 'Words' }]],
    ['an empty text', '', [{ uri: 'x://y', mimeType: 'text/plain', text: '' }]],
    ['bytes', new Uint8Array([255]), [{ uri: 'x://y', mimeType: 'application/octet-stream', blob: '/w==' }]],
    [
      'a buffer',
      new Uint8Array([255]).buffer,
      [{ uri: 'x://y', mimeType: 'application/octet-stream', blob: '/w==' }],
    ],
    [
      'a value',
      { at: new Date(0), rows: [1] },
      [{ uri: 'x://y', mimeType: 'application/json', text: '{"at":"1970-01-01T00:00:00.000Z","rows":[1]}' }],
    ],
    ['a list', [{ text: 'a' }], [{ uri: 'x://y', mimeType: 'application/json', text: '[{"text":"a"}]' }]],
    [
      'several contents',
      mcpContents([
        { text: 'a' },
        { uri: 'x://y/b', mimeType: 'text/csv', bytes: new TextEncoder().encode('b,c') },
        { mimeType: 'text/csv', bytes: new Uint8Array([255]) },
      ]),
      [
        { uri: 'x://y', mimeType: 'text/plain', text: 'a' },
        { uri: 'x://y/b', mimeType: 'text/csv', text: 'b,c' },
        { uri: 'x://y', mimeType: 'text/csv', blob: '/w==' },
      ],
    ],
  ])('is %s', async (_, answer, contents) => {
    expect(await readResource(async () => answer)).toEqual({ contents });
  });

  it('has the declared media type of the resource', async () => {
    expect(await readResource(() => ({ a: 1 }), { mimeType: 'application/ld+json' })).toEqual({
      contents: [{ uri: 'x://y', mimeType: 'application/ld+json', text: '{"a":1}' }],
    });
  });

  it.each([null, undefined])('is an error if it is %s', async (answer) => {
    expect(await readResource(() => answer)).toMatchObject({
      error: { code: -32602, data: { uri: 'x://y' } },
    });
  });

  it('is read with the caller’s context and secrets, and does not reveal the secrets', async () => {
    const asked: unknown[] = [];
    const secret = 'token-of-the-caller';
    const answer = await readResource(
      (values, { principal, context, env, secrets, signal }) => {
        asked.push([
          values,
          principal,
          context.toJSON(),
          Object.keys(env).includes('SESSIONS'),
          signal.aborted,
        ]);
        return mcpContents([
          { uri: `x://y?${secrets.require('TOKEN')}`, text: `with ${secrets.require('TOKEN')}` },
          { mimeType: 'text/csv', bytes: new TextEncoder().encode(secrets.require('TOKEN')) },
          { mimeType: 'text/csv', bytes: new Uint8Array([255, ...new TextEncoder().encode(secret)]) },
        ]);
      },
      {},
      {
        auth: () => ({ id: 'anna', tenant: 'corner', roles: ['seller'] }),
        context: { shop: 'Corner' },
        secrets: () => ({ TOKEN: secret }),
      },
    );
    expect(asked).toEqual([
      [{}, { id: 'anna', tenant: 'corner', roles: ['seller'] }, { shop: 'Corner' }, true, false],
    ]);
    expect(answer).toEqual({
      contents: [
        { uri: 'x://y?[secret TOKEN]', mimeType: 'text/plain', text: 'with [secret TOKEN]' },
        { uri: 'x://y', mimeType: 'text/csv', text: '[secret TOKEN]' },
        { uri: 'x://y', mimeType: 'text/csv', text: '\uFFFD[secret TOKEN]' },
      ],
    });
  });

  it.each<[string, () => McpResourceAnswer, string]>([
    [
      'throws',
      () => {
        throw new Error('401 for token-of-the-caller');
      },
      'Error: 401 for [secret TOKEN]',
    ],
    [
      'returns a value that is not JSON',
      () => ({ a: { b: 1n } }),
      'Error: Its value at $.a.b is a bigint, which is not JSON.',
    ],
    [
      'returns too much',
      () => 'a'.repeat(12 * 1024 * 1024 + 1),
      'Error: It has 12582913 bytes of contents, but can have at most 12582912.',
    ],
  ])('is hidden, and logged without secrets, if it %s', async (_, read, stack) => {
    const log = vi.fn();
    const config = { secrets: () => ({ TOKEN: 'token-of-the-caller' }), log };
    expect(await readResource(read, {}, config)).toEqual(INTERNAL_ERROR);
    expect(log).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        level: 'error',
        event: 'request-failed',
        message: expect.stringMatching(/^request [0-9a-f]{16} failed$/),
        stack: expect.stringContaining(stack),
      }),
    );
  });

  it('is abandoned after half a minute', async () => {
    const log = vi.fn();
    let signal: AbortSignal | undefined;
    const begun = Promise.withResolvers<void>();
    const answer = readResource(
      (_, asked) => {
        signal = asked.signal;
        begun.resolve();
        return new Promise(() => {});
      },
      {},
      { log },
    );
    await begun.promise;
    advanceTime(30_000);
    expect(await answer).toEqual(INTERNAL_ERROR);
    expect(signal?.aborted).toBe(true);
    expect(log.mock.calls[0]?.[0].stack ?? String(log.mock.calls[0]?.[0].thrown)).toContain(
      "resource 'x' did not answer within 30000 ms.",
    );
  });

  it.each([
    [
      'x://{y}',
      { y: '../z' },
      "{y} of a uri must be text without slashes, backslashes and control characters, and neither '.' nor '..'.",
    ],
    [
      'x://{y}-{z}',
      { y: '10-1', z: '2' },
      "{y} of a uri must not contain '-', which follows it, or end with the start of that text.",
    ],
  ])(
    'with the uri %s causes a logged error if its listed values cannot be read back',
    async (uri, values, told) => {
      const log = vi.fn();
      const listing = createEndpointApp(
        { resources: [{ name: 'x', uri, read: () => 'x', list: () => [{ values }] }] },
        { log },
      );
      expect(await requestAnswer(listing, 'resources/list')).toEqual(INTERNAL_ERROR);
      expect(JSON.stringify(String(log.mock.calls[0]?.[0].thrown))).toContain(told);
    },
  );
});

describe('defineMcpResource', () => {
  const base = { name: 'x', read: () => 'x' };
  const createResource = (uri: string, more = {}): McpResource => ({ ...base, uri, ...more });
  const operators =
    "which is not a variable. Use a name in braces, of letters, digits and _, and none of RFC 6570's operators.";

  it.each<[string, unknown, string]>([
    [
      'a value that is not an object',
      'x://y',
      "'' received 'x://y'. Pass one object, as in defineMcpResource({ ... }).",
    ],
    ['a missing name', { uri: 'x://y', read: base.read }, "'' has no 'name'. Use a string."],
    ['a blank name', createResource('x://y', { name: ' ' }), "' ' has a blank name."],
    [
      'a key of another library',
      { ...base, uriTemplate: 'x://y' },
      "'x' has 'uriTemplate' instead of 'uri'. Rename it.",
    ],
    [
      'a uri without a scheme',
      createResource('y'),
      "'x' has the uri 'y', which has no scheme. Use one, as in orders://{order}.",
    ],
    [
      'a variable as the scheme',
      createResource('{a}://y'),
      "'x' has the uri '{a}://y', which has no scheme. Use one, as in orders://{order}.",
    ],
    [
      'the scheme of Holdfast',
      createResource('Holdfast://y'),
      "'x' has the uri 'Holdfast://y'. Use another scheme, since Holdfast uses this one.",
    ],
    [
      'an operator',
      createResource('x://{+path}'),
      `'x' has the uri 'x://{+path}', which has {+path}, ${operators}`,
    ],
    ['an empty variable', createResource('x://{}'), `'x' has the uri 'x://{}', which has {}, ${operators}`],
    [
      'a repeated variable',
      createResource('x://{a}/{a}'),
      "'x' has the uri 'x://{a}/{a}', which has {a} twice. Use another name.",
    ],
    [
      'adjacent variables',
      createResource('x://{a}{b}'),
      "'x' has the uri 'x://{a}{b}', which has two variables with no text between them. Separate them.",
    ],
    [
      'a brace',
      createResource('x://{a'),
      "'x' has the uri 'x://{a', which has characters that a uri cannot contain, or a brace without a matching one. Percent-encode them.",
    ],
    [
      'a space',
      createResource('x://a b'),
      "'x' has the uri 'x://a b', which has characters that a uri cannot contain, or a brace without a matching one. Percent-encode them.",
    ],
    [
      'a fraction of a millisecond',
      createResource('x://y', { ttlMs: 0.5 }),
      "'x' has the ttlMs 0.5. Use a whole number of milliseconds.",
    ],
    [
      'a negative time',
      createResource('x://y', { ttlMs: -1 }),
      "'x' has the ttlMs -1. Use a whole number of milliseconds.",
    ],
    [
      'an unknown cache scope',
      createResource('x://y', { cacheScope: 'all' }),
      "'x' has the cacheScope 'all'. Use 'public' or 'private'.",
    ],
    [
      'a list without variables',
      createResource('x://y', { list: () => [] }),
      "'x' has 'list', but no variable in its uri.",
    ],
    [
      'completions without variables',
      createResource('x://y', { complete: {} }),
      "'x' has 'complete', but no variable in its uri.",
    ],
    [
      'a completion of an unknown variable',
      createResource('x://{order}', { complete: { oder: () => [] } }),
      "'x' completes 'oder', which is not one of its variables. Use 'order'.",
    ],
    [
      'a completion that is not a function',
      createResource('x://{order}', { complete: { order: ['1'] } }),
      "'x' completes 'order' by a list. Use a function.",
    ],
  ])('refuses %s, and so does the endpoint', (_, config, problem) => {
    const error = new McpEndpointDefinitionError('resources', `the resource ${problem}`);
    expect(() => defineMcpResource(config as never)).toThrow(error);
    expect(() => defineMcpEndpoint({ resources: [config as never] })).toThrow(error);
  });

  it('defines a resource for an endpoint, which refuses two resources with one uri', () => {
    const define = () =>
      defineMcpEndpoint({
        resources: [createResource('x://{a}'), createResource('x://a'), createResource('x://{b}')],
      });
    expect(define).toThrow(
      new McpEndpointDefinitionError(
        'resources[2]',
        "two resources have the uri 'x://{b}', ignoring variable names. Change one.",
      ),
    );
    expect(() =>
      defineMcpEndpoint({ resources: [createResource('x://{a}'), createResource('x://a')] }),
    ).not.toThrow();
  });

  it('defines a resource without variables, which takes precedence over a template', async () => {
    const both = createEndpointApp({
      resources: [
        createResource('x://{a}', { read: () => 'any' }),
        createResource('x://a', { read: () => 'one' }),
      ],
    });
    expect(await askNewest(both, 'resources/read', { uri: 'x://a' })).toMatchObject({
      contents: [{ text: 'one' }],
    });
    expect(await askNewest(both, 'resources/read', { uri: 'x://b' })).toMatchObject({
      contents: [{ text: 'any' }],
    });
  });
});
