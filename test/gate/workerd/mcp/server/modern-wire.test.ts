/** The messages between a 2026-07-28 client and the endpoint, and the refusals in either revision. */
import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { readJournal, readJson } from '../../http/client.ts';
import { createEndpointApp, createRpcRequest, createSessionId, postMcp, readMessages } from './talk.ts';
import { sendRequest } from './task-talk.ts';

const hello = defineTool({
  name: 'hello',
  description: 'Greets.',
  effect: 'read',
  run(_, call) {
    call.say('It looks.');
    call.progress('half of it');
    return 'Hello.';
  },
});
const via = createEndpointApp({ tools: [hello], agents: ['scripted'], name: 'greeter', version: '2.1' });

const capabilities = {};
const LEVEL = 'io.modelcontextprotocol/logLevel';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const listMethods = async (response: Response): Promise<unknown[]> =>
  (await readMessages(response)).map(({ method }) => method ?? 'answer');

const createRpcRefusal = (code: number, message: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  error: expect.objectContaining({ code, message }),
  id,
});

const MISMATCH_TEXT = 'Bad Request: the request headers and body disagree: the body ';

describe('a client of the revision 2026-07-28', () => {
  it('discovers the endpoint, and can cache the result', async () => {
    const response = await sendRequest(via, 'server/discover', {}, { capabilities });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect((await readJson(response)).result).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        ...{ logging: {}, tools: {}, resources: {}, completions: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'greeter', version: '2.1' } },
    });
  });

  it.each(['tools/list', 'prompts/list', 'resources/templates/list'])(
    'can cache the response of %s for five minutes, for every caller',
    async (method) => {
      const { result } = await readJson(await sendRequest(via, method, {}, { capabilities }));
      expect(result).toMatchObject({ ttlMs: 300_000, cacheScope: 'public' });
      // Clients of the earlier revision do not use this field.
      const [before] = await readMessages(await postMcp(via, createRpcRequest(method)));
      expect(before?.result).not.toHaveProperty('ttlMs');
    },
  );

  it.each([
    ['nothing', {}, ['answer']],
    ['progress', { progressToken: 1 }, ['notifications/progress', 'answer']],
    ['log messages', { [LEVEL]: 'info' }, ['notifications/message', 'answer']],
    ['log messages of a higher level', { [LEVEL]: 'warning' }, ['answer']],
    [
      'both',
      { [LEVEL]: 'debug', progressToken: 1 },
      ['notifications/message', 'notifications/progress', 'answer'],
    ],
  ])('receives only the messages that it requests: %s', async (_, meta, heard) => {
    const response = await sendRequest(via, 'tools/call', { name: 'hello' }, { capabilities, meta });
    expect((await listMethods(response)).toSorted()).toEqual(heard.toSorted());
  });

  it.each(['resources/nothing', 'toString', 'initialize', 'ping', 'logging/setLevel'])(
    'gets a 404 for the unknown method %s',
    async (method) => {
      const response = await sendRequest(via, method, {}, { capabilities });
      const error = { code: -32601, message: 'Method not found' };
      expect([response.status, await readJson(response)]).toEqual([404, { jsonrpc: '2.0', id: 1, error }]);
    },
  );

  it('is notified immediately that an agent runs, and hands the turn over if it disconnects', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const params = { name: 'scripted', arguments: { message: message(), session: id } };
    const response = await sendRequest(via, 'tools/call', params, { capabilities });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await answer.asked();
    await response.body?.cancel();
    answer.release();
    const listEventTypes = async () =>
      (await readJournal(`/agents/scripted/sessions/${id}`)).map(({ type }) => type);
    await expect.poll(listEventTypes).toContain('turn-ended');
    expect(await listEventTypes()).toContain('turn-yielded');
  });

  it('is notified that no subscription is supported, and the stream ends', async () => {
    const notifications = { toolsListChanged: true };
    const messages = await readMessages(
      await sendRequest(via, 'subscriptions/listen', { notifications }, { capabilities }),
    );
    expect(
      messages.map(({ method, params, result }) => [
        method,
        Object(params).notifications,
        Object(result).resultType,
      ]),
    ).toEqual([
      ['notifications/subscriptions/acknowledged', {}, undefined],
      [undefined, undefined, 'complete'],
    ]);
  });
});

describe('a mismatch between headers and body', () => {
  it.each<[string, string, Record<string, string>, string]>([
    [
      'a header without the method',
      'tools/list',
      { 'mcp-method': '' },
      'names method tools/list but the Mcp-Method header names ',
    ],
    [
      'another method',
      'tools/list',
      { 'mcp-method': 'tools/call' },
      'names method tools/list but the Mcp-Method header names tools/call',
    ],
    [
      'the method twice',
      'tools/list',
      { 'mcp-method': 'tools/list, tools/list' },
      'names method tools/list but the Mcp-Method header names tools/list, tools/list',
    ],
    [
      'another name',
      'tools/call',
      { 'mcp-name': 'other' },
      'carries params.name="hello" but the Mcp-Name header names "other"',
    ],
    [
      'another version',
      'tools/list',
      { 'mcp-protocol-version': '2099-01-01' },
      'envelope names protocol version 2026-07-28 but the MCP-Protocol-Version header names 2099-01-01',
    ],
  ])('is refused: %s', async (_, method, headers, told) => {
    const params = method === 'tools/call' ? { name: 'hello' } : {};
    const response = await sendRequest(via, method, params, { capabilities, headers });
    expect([response.status, await readJson(response)]).toEqual([
      400,
      createRpcRefusal(-32020, MISMATCH_TEXT + told),
    ]);
  });

  it('is refused if the version is unsupported', async () => {
    const response = await sendRequest(
      via,
      'tools/list',
      {},
      { meta: { [VERSION]: '2099-01-01' }, headers: { 'mcp-protocol-version': '2099-01-01' } },
    );
    const error = {
      code: -32022,
      message: 'Unsupported protocol version: 2099-01-01',
      data: { supported: ['2026-07-28'], requested: '2099-01-01' },
    };
    expect([response.status, await readJson(response)]).toEqual([400, { jsonrpc: '2.0', error, id: 1 }]);
  });
});

const INVALID_ENVELOPE_PREFIX = 'Invalid _meta envelope for protocol revision 2026-07-28: ';
const MODERN_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

describe('an envelope', () => {
  it.each([
    [
      'capabilities that are a list',
      { [CAPABILITIES]: [] },
      `${CAPABILITIES}: Invalid input: expected object, received array`,
    ],
    [
      'capabilities that are text',
      { [CAPABILITIES]: 'all' },
      `${CAPABILITIES}: Invalid input: expected object, received string`,
    ],
    [
      'a version that is a number',
      { [VERSION]: 20260728 },
      `${VERSION}: Invalid input: expected string, received number`,
    ],
    [
      'an invalid level',
      { [LEVEL]: 'loud' },
      `${LEVEL}: Invalid option: expected one of "debug"|"info"|"notice"|"warning"|"error"|"critical"|"alert"|"emergency"`,
    ],
  ])('with %s is refused', async (_, meta, told) => {
    const response = await sendRequest(via, 'tools/list', {}, { capabilities, meta });
    expect([response.status, await readJson(response)]).toEqual([
      400,
      createRpcRefusal(-32602, INVALID_ENVELOPE_PREFIX + told),
    ]);
  });

  it('is requested if it is missing', async () => {
    const response = await postMcp(via, createRpcRequest('tools/list'), { headers: MODERN_HEADERS });
    const message =
      'Invalid params: the MCP-Protocol-Version header names protocol revision 2026-07-28, but the request is missing the ' +
      'required per-request envelope key(s): _meta';
    expect([response.status, await readJson(response)]).toEqual([400, createRpcRefusal(-32602, message)]);
  });

  it.each(['[]', '"x"', '1'])('with the body %s is not a message', async (meta) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`;
    const response = await postMcp(via, body, { headers: MODERN_HEADERS });
    const message = 'Bad Request: the request body is not a valid JSON-RPC message';
    expect([response.status, await readJson(response)]).toEqual([400, createRpcRefusal(-32600, message)]);
  });

  it('in a batch is refused', async () => {
    const message =
      'Bad Request: JSON-RPC batches may not contain requests for protocol revision 2026-07-28 or later';
    const _meta = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} };
    const response = await postMcp(
      via,
      [createRpcRequest('tools/list', { _meta }), createRpcRequest('ping')],
      {
        headers: MODERN_HEADERS,
      },
    );
    expect([response.status, await readJson(response)]).toEqual([
      400,
      createRpcRefusal(-32600, message, null),
    ]);
  });
});

describe('a message that is nested endlessly', () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const envelope = `"${VERSION}":"2026-07-28","${CAPABILITIES}":{"experimental":${deep}}`;

  it.each([
    [
      'the envelope',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${envelope}}}}`,
      MODERN_HEADERS,
    ],
    [
      'the client info',
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":${deep}}}`,
      {},
    ],
    [
      'arguments',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":${deep}}}`,
      {},
    ],
    ['a batch', '['.repeat(20_000) + ']'.repeat(20_000), {}],
  ])('in %s is refused, and not logged', async (_, body, headers) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await postMcp(via, body, { headers });
    const message = 'Bad Request: the message is nested more than 500 levels deep';
    expect([response.status, await readJson(response)]).toEqual([
      400,
      createRpcRefusal(-32600, message, null),
    ]);
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });
});

describe('the Accept header of a client', () => {
  it.each<[string | undefined, string, string]>([
    [undefined, 'text/event-stream', 'text/event-stream'],
    ['*/*', 'text/event-stream', 'text/event-stream'],
    ['application/*, text/*;q=0.5', 'text/event-stream', 'text/event-stream'],
    ['Application/JSON , Text/Event-Stream', 'text/event-stream', 'text/event-stream'],
    ['application/*', 'application/json', 'application/json'],
    ['application/json', 'application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream', 'text/event-stream'],
  ])('with the value "%s" is supported in either revision', async (accept, before, now) => {
    const params = { name: 'hello', _meta: { progressToken: 1 } };
    const headers = { accept: accept ?? '' };
    const legacy = await postMcp(via, createRpcRequest('tools/call', params), { headers });
    const modern = await sendRequest(
      via,
      'tools/call',
      { name: 'hello' },
      { capabilities, meta: { progressToken: 1 }, headers },
    );
    expect([legacy.headers.get('content-type'), modern.headers.get('content-type')]).toEqual([before, now]);
    for (const response of [legacy, modern]) {
      expect((await readMessages(response)).at(-1)).toMatchObject({
        id: 1,
        result: { content: [{ text: 'Hello.' }] },
      });
    }
  });

  it.each(['text/html', 'application/xml, image/*', 'application', 'application/jsonp'])(
    'with only "%s" is refused',
    async (accept) => {
      const message =
        'Not Acceptable: the response is application/json or text/event-stream. Send Accept: application/json, ' +
        'text/event-stream.';
      for (const response of [
        await postMcp(via, createRpcRequest('tools/list'), { headers: { accept } }),
        await sendRequest(via, 'tools/list', {}, { capabilities, headers: { accept } }),
      ]) {
        expect([response.status, await readJson(response)]).toEqual([
          406,
          createRpcRefusal(-32000, message, null),
        ]);
      }
    },
  );
});
