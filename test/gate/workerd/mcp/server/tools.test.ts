import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  artifact,
  type CallContext,
  content,
  defineDomainType,
  defineTool,
  error,
  file,
  image,
  text,
} from '../../../../../src/index.ts';
import { mcpResult } from '../../../../../src/mcp/server/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import { toResult } from '../../../../doors/mcp.ts';
import { createListedTool } from '../../../node/mcp/tools/listing-fixtures.ts';
import { callTool, connectClient, createEndpointApp, IDEMPOTENCY_META, requestAnswer } from './talk.ts';

const createTextResult = (words: string) => ({ content: [{ type: 'text', text: words }] });
const createErrorResult = (words: string) => ({ ...createTextResult(words), isError: true });

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: v.object({ name: v.pipe(v.string(), v.minLength(2)), times: v.optional(v.number()) }),
  effect: 'read',
  metadata: { title: 'A greeting' },
  run: ({ name }) => `Hello, ${name}.`,
});

const USAGE_ADVICE =
  'Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code ' +
  'or search results are not callable.';

/** A tool that returns the result of `run`. */
const createTool = (run: (call: CallContext) => unknown, effect: 'read' | 'idempotent' | 'once' = 'read') =>
  defineTool({ name: 'it', description: 'Does it.', effect, run: (_, call) => run(call) });

const HELLO_BYTES = new TextEncoder().encode('hello');
const HELLO_ID = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const callPublished = (run: (call: CallContext) => unknown) =>
  callTool(createEndpointApp({ tools: [createTool(run)] }, { use: [files()] }), 'it');

const $schema = 'https://json-schema.org/draft/2020-12/schema';

describe('tools/list', () => {
  it('shows each tool with its schema, and its effect as hints', async () => {
    const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' });
    const set = defineTool({ name: 'set', description: 'Sets.', effect: 'idempotent', run: () => 'Set.' });
    const client = await connectClient(createEndpointApp({ tools: [greet, pay, set] }));
    expect((await client.listTools()).tools).toEqual([
      {
        name: 'greet',
        title: 'A greeting',
        description: 'Greets.',
        inputSchema: {
          $schema,
          type: 'object',
          properties: { name: { type: 'string', minLength: 2 }, times: { type: 'number' } },
          required: ['name'],
        },
        annotations: { readOnlyHint: true },
      },
      {
        name: 'pay',
        description: 'Pays.',
        inputSchema: { $schema, type: 'object', properties: {} },
        annotations: { readOnlyHint: false, idempotentHint: false },
      },
      {
        name: 'set',
        description: 'Sets.',
        inputSchema: { $schema, type: 'object', properties: {} },
        annotations: { readOnlyHint: false, idempotentHint: true },
      },
    ]);
    await client.close();
  });

  it('fits on one page', async () => {
    expect(await requestAnswer(createEndpointApp({ tools: [greet] }), 'tools/list', { cursor: 'x' })).toEqual(
      {
        error: { code: -32602, message: 'There is no such page. The first page lists everything.' },
      },
    );
  });

  it('is an unknown method if the endpoint publishes only prompts', async () => {
    const client = await connectClient(
      createEndpointApp({ prompts: [{ name: 'p', description: 'P.', messages: () => 'Hi' }] }),
    );
    expect(client.getServerCapabilities()).toEqual({ logging: {}, prompts: {} });
    await client.close();
  });
});

describe('tools/call', () => {
  const via = createEndpointApp({ tools: [greet] });

  it('runs the tool, through the official client', async () => {
    const client = await connectClient(via);
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toEqual(
      createTextResult('Hello, Ada.'),
    );
    await client.close();
  });

  it('returns every problem of an input in one error, with the tool’s texts', async () => {
    expect(await callTool(via, 'greet', { name: 'A', times: 'many' })).toEqual(
      createErrorResult(
        "The input of tool 'greet' is not valid:\n- name: Invalid length: Expected >=2 but received 1\n" +
          '- times: Invalid type: Expected number but received "many"\nCall it again with a corrected input.',
      ),
    );
  });

  it.each([
    [{ name: 'gret' }, `Tool 'gret' does not exist. Available tools: [greet]. ${USAGE_ADVICE}`],
    [
      { name: 'GREET' },
      `Tool 'GREET' does not exist. Did you mean 'greet'? Available tools: [greet]. ${USAGE_ADVICE}`,
    ],
    [{ name: 'constructor' }, `Tool 'constructor' does not exist. Available tools: [greet]. ${USAGE_ADVICE}`],
    [{}, '`name` must be the name of a tool.'],
    [{ name: 7 }, '`name` must be the name of a tool.'],
    [{ name: 'greet', arguments: [] }, '`arguments` must be an object.'],
    [{ name: 'greet', arguments: 'Ada' }, '`arguments` must be an object.'],
    [
      { name: 'greet', _meta: { [IDEMPOTENCY_META]: '' } },
      `\`_meta["${IDEMPOTENCY_META}"]\` must be 1 to 255 visible ASCII characters.`,
    ],
    [
      { name: 'greet', _meta: { [IDEMPOTENCY_META]: 'a b' } },
      `\`_meta["${IDEMPOTENCY_META}"]\` must be 1 to 255 visible ASCII characters.`,
    ],
  ])('refuses an invalid call: %j', async (params, message) => {
    expect(await requestAnswer(via, 'tools/call', params)).toEqual({ error: { code: -32602, message } });
  });

  it.each<[string, unknown, unknown]>([
    ['a text', text('Words.'), createTextResult('Words.')],
    ['undefined', undefined, createTextResult('Done')],
    ['null', null, createTextResult('')],
    ['a number', 7, createTextResult('7')],
    ['an object', { a: 1 }, { ...createTextResult('{"a":1}'), structuredContent: { a: 1 } }],
    [
      'an object with a text',
      artifact('One a.', { a: 1 }),
      { ...createTextResult('One a.'), structuredContent: { a: 1 } },
    ],
    ['a list', [1, 2], createTextResult('[1,2]')],
    ['an error', error('No such order.'), createErrorResult('No such order.')],
  ])('returns the result %s', async (_, value, expected) => {
    expect(await callPublished(() => value)).toEqual(expected);
  });

  it('returns the message of a thrown error as an error result (MCP-12)', async () => {
    const answer = await callPublished(() => {
      throw new Error('The shop is closed.');
    });
    expect(answer).toEqual(createErrorResult('The shop is closed.'));
  });

  it('returns images, audio, resources and links unchanged', async () => {
    const blocks = [
      { type: 'text', text: 'Look:' },
      { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'test://a', mimeType: 'text/plain', text: 'A.' } },
      { type: 'resource_link', uri: 'test://b', name: 'b' },
    ] as const;
    expect(await callPublished(() => mcpResult(blocks))).toEqual({ content: blocks });
  });

  it('returns files of a tool with their bytes, in order: images, audio, and resources under their ids', async () => {
    const answer = await callPublished(() =>
      content([
        'Look:',
        image(HELLO_BYTES, 'image/png', 'a.png'),
        file(HELLO_BYTES, 'audio/wav'),
        'Read:',
        file(HELLO_BYTES, 'text/html', 'a b/c.html'),
        file(HELLO_BYTES, 'application/pdf'),
        file(new URL('https://a.example/b/plan.pdf?c=d'), 'application/pdf'),
        file(new URL('https://a.example/e'), 'image/png', 'The plan'),
      ]),
    );
    const getFileUri = (path: string) => `holdfast://files/${HELLO_ID}${path}`;
    expect(answer).toEqual({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' },
        { type: 'text', text: 'Read:' },
        {
          type: 'resource',
          resource: { uri: getFileUri('/a%20b%2Fc.html'), mimeType: 'text/html', blob: 'aGVsbG8=' },
        },
        {
          type: 'resource',
          resource: { uri: getFileUri(''), mimeType: 'application/pdf', blob: 'aGVsbG8=' },
        },
        {
          type: 'resource_link',
          uri: 'https://a.example/b/plan.pdf?c=d',
          name: 'https://a.example/b/plan.pdf?c=d',
          mimeType: 'application/pdf',
        },
        { type: 'resource_link', uri: 'https://a.example/e', name: 'The plan', mimeType: 'image/png' },
      ],
    });
  });

  it('returns files with an artifact’s value, and explains why a file was not stored', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const large = new Uint8Array(8 * 1024 * 1024 + 1);
    const parts = content(['A chart.', image(HELLO_BYTES, 'image/png'), image(large, 'image/png')]);
    expect(await callPublished(() => artifact(parts, { a: 1 }))).toEqual({
      content: [
        { type: 'text', text: 'A chart.' },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        {
          type: 'text',
          text: '[file not kept: image/png, 8,388,609 bytes] (It is larger than 8388608 bytes.)',
        },
      ],
      structuredContent: { a: 1 },
    });
  });

  it('returns another server’s content with its bytes, including in its data, and keeps similar data unchanged', async () => {
    const blob = btoa('x'.repeat(300));
    const forUser = {
      type: 'image',
      data: 'aGVsbG8=',
      mimeType: 'image/png',
      annotations: { audience: ['user'] },
    };
    const blocks = [
      { type: 'text', text: 'Look:', _meta: { a: 1 } },
      { type: 'image', data: 'aA==', mimeType: 'image/png; a=b', annotations: { priority: 1 } },
      forUser,
      { type: 'resource', resource: { uri: 'test://a', mimeType: 'application/pdf', blob } },
      { type: 'resource_link', uri: 'test://b', name: 'b' },
    ];
    const other = { sha256: HELLO_ID, size: 5 };
    const structuredContent = { content: blocks, repeats: [blob, 'x'], other };
    const answer = CallToolResultSchema.parse({ content: blocks, structuredContent });
    expect(await callPublished(() => toResult(createListedTool(), answer))).toEqual(answer);
  });

  it('reports bytes of another server’s result that are no longer available', async () => {
    const value = {
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: { sha256: HELLO_ID, size: 5 }, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: { uri: 'test://a', mimeType: 'application/pdf', blob: { sha256: HELLO_ID, size: 5 } },
        },
      ],
    };
    expect(await callPublished(() => artifact('A picture.', { name: 'McpContent' }, value))).toEqual({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'text', text: '[image image/png, 5 bytes] (its bytes are missing)' },
        { type: 'text', text: '[resource test://a, application/pdf, 5 bytes] (its bytes are missing)' },
      ],
    });
  });

  it('returns another server’s content, with its data', async () => {
    const value = {
      content: [{ type: 'image', data: 'aA==', mimeType: 'image/png' }],
      structuredContent: { a: 1 },
    };
    expect(await callPublished(() => artifact('A picture.', { name: 'McpContent' }, value))).toEqual(value);
  });

  it('returns the text of invalid content', async () => {
    const value = { content: [{ type: 'image', data: 'no base64!', mimeType: 7 }] };
    expect(await callPublished(() => artifact('A picture.', { name: 'McpContent' }, value))).toEqual(
      createTextResult('A picture.'),
    );
  });

  it('returns an artifact of any other type as structured content', async () => {
    const Customer = defineDomainType({ name: 'Customer', schema: v.object({ id: v.string() }) });
    expect(await callPublished(() => artifact('Ada.', Customer, { id: 'c1' }))).toEqual({
      ...createTextResult('Ada.'),
      structuredContent: { id: 'c1' },
    });
  });
});
