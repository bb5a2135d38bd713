import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../../../src/index.ts';
import { createRedactor, hideHeaders } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeTool,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { isCall } from './calls.ts';
import {
  callOptions,
  createCaller,
  createNeverSignal,
  createRemoteCall,
  getRejection,
  type OpenOptions,
  open,
} from './open.ts';

const isList = ({ rpc }: RecordedRequest) => rpc === 'tools/list';
const BASIC_CREDENTIALS = btoa('ada:opensesame');

/**
 * The credentials that a server can repeat: a label, the client options, the credential, and its replacement.
 */
const CREDENTIALS: readonly [string, OpenOptions, string, string][] = [
  [
    'a bearer',
    { bearer: 'TOKEN', as: createCaller({ TOKEN: 'bearer-1234' }) },
    'bearer-1234',
    '[secret TOKEN]',
  ],
  ['a secret that is not sent', { as: createCaller({ OTHER: 'kept-1234' }) }, 'kept-1234', '[secret OTHER]'],
  ['a header', { headers: () => ({ 'X-Key': 'key-1234' }) }, 'key-1234', '[secret x-key]'],
  [
    'Basic',
    { headers: () => ({ authorization: `Basic ${BASIC_CREDENTIALS}` }) },
    BASIC_CREDENTIALS,
    '[secret authorization]',
  ],
  [
    'a password',
    { headers: () => ({ authorization: `Basic ${BASIC_CREDENTIALS}` }) },
    'opensesame',
    '[secret password]',
  ],
];

describe.each(CREDENTIALS)('%s', (_, opening, planted, instead) => {
  const createSayingTool = (run: FakeTool['run']): FakeTool => ({ name: 'write', description: planted, run });

  it('is redacted in a response', async () => {
    const tool = createSayingTool(() => ({
      content: [{ type: 'text', text: `It is ${planted}.` }],
      structuredContent: { [planted]: [planted] },
      _meta: { a: planted },
    }));
    const connection = await open(createFakeServer({ tools: [tool] }), opening);
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual({
      content: [{ type: 'text', text: `It is ${instead}.` }],
      structuredContent: { [instead]: [instead] },
      _meta: { a: instead },
    });
  });

  it('is redacted in an error, even if the message is cut in the middle of it', async () => {
    const message = `${'x'.repeat(495)}${planted}`;
    const misbehave = misbehaveFor(isCall, ({ body }) =>
      Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, error: { code: -32603, message } }),
    );
    const connection = await open(createFakeServer({ misbehave }), opening);
    const error = await getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
    const words = `${'x'.repeat(495)}${instead.slice(0, 4)}…`;
    expect(error).toMatchObject({
      message: `The call of 'write' of MCP server 'files' failed: it answered with error -32603: ${words}.`,
    });
  });

  it('is redacted in progress, logs and elicitations', async () => {
    const told: unknown[] = [];
    const tool = createSayingTool(async (_, { _meta, sendNotification, sendRequest }) => {
      const progressToken = _meta?.progressToken ?? '';
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, message: planted },
      });
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data: [planted] } });
      const { ElicitResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const requestedSchema = { type: 'object' as const, properties: {} };
      await sendRequest(
        { method: 'elicitation/create', params: { message: planted, requestedSchema } },
        ElicitResultSchema,
      );
      return { content: [] };
    });
    const connection = await open(createFakeServer({ tools: [tool] }), opening);
    const recordMessage = (what: unknown) => void told.push(what);
    const elicit = async ({ message }: { readonly message: string }) => {
      told.push(message);
      return { action: 'decline' as const };
    };
    await connection.callTool(
      createRemoteCall('write'),
      callOptions({ progress: recordMessage, log: recordMessage, elicit }),
    );
    expect(told).toEqual([{ progress: 1, message: instead }, { level: 'info', data: [instead] }, instead]);
  });

  it('is redacted in the listed tools', async () => {
    const connection = await open(
      createFakeServer({ tools: [createSayingTool(() => ({ content: [] }))] }),
      opening,
    );
    expect((await connection.listTools(createNeverSignal())).tools).toEqual([
      { name: 'write', description: instead, inputSchema: { type: 'object' } },
    ]);
  });
});

describe('an error about a server', () => {
  it('contains no URL with a credential', async () => {
    const misbehave = misbehaveFor(
      isList,
      respondWith(307, { headers: { location: 'https://key-1234.evil.test/' } }),
    );
    const connection = await open(createFakeServer({ misbehave }), {
      headers: () => ({ 'x-key': 'key-1234' }),
    });
    expect(await getRejection(connection.listTools(createNeverSignal()))).toMatchObject({
      message:
        "MCP server 'files' could not list its tools: it redirects to https://[secret x-key].evil.test.",
    });
  });

  it('is on one line for any message from the server', async () => {
    const message = 'No.\nholdfast: FORGED \u001b[31m\u202e\u2028x\u0000y';
    const misbehave = misbehaveFor(isList, ({ body }) =>
      Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, error: { code: 1, message } }),
    );
    const connection = await open(createFakeServer({ misbehave }));
    expect(await getRejection(connection.listTools(createNeverSignal()))).toMatchObject({
      message:
        "MCP server 'files' could not list its tools: it answered with error 1: No. holdfast: FORGED [31m x y.",
    });
    const named = await getRejection(connection.callTool(createRemoteCall('a\nb\u202e'), callOptions()));
    expect(named).toMatchObject({
      message: "MCP server 'files' did not run 'a b': it answered with error -32602: Tool a b not found.",
    });
  });
});

describe('a redactor', () => {
  const createTestRedactor = (secrets = {}) => createRedactor(Secrets.of(secrets));

  it('redacts every value that a name has had', () => {
    const { hide, redact } = createTestRedactor();
    for (const token of ['first-token', 'second-token', 'first-token', '']) hide('access token', token);
    hide('refresh token', 'refreshing');
    expect(redact(['first-token second-token', { refreshing: 1 }])).toEqual([
      '[secret access token] [secret access token]',
      { '[secret refresh token]': 1 },
    ]);
  });

  it('keeps values that are too short to distinguish from words', () => {
    const one = createTestRedactor();
    hideHeaders(one, { 'x-lang': 'en-US', authorization: `Basic ${btoa('ada:abc')}` });
    expect(one.redact('en-US abc ada:abc')).toBe('en-US abc [secret password]');
  });

  it('treats a header that is not an authorization as plain text', () => {
    const one = createTestRedactor();
    hideHeaders(one, {
      authorization: 'Basic ***',
      'x-plan': 'Basic plan',
      'proxy-authorization': 'Key abcdef',
    });
    expect(one.redact('Basic plan, Basic abcdef')).toBe(
      '[secret x-plan], Basic [secret proxy-authorization]',
    );
  });

  it('handles four million characters quickly, in one text and in many', () => {
    const one = createTestRedactor({ A: 'a-secret', B: 'another-secret' });
    hideHeaders(one, { authorization: `Basic ${BASIC_CREDENTIALS}`, 'x-key': 'key-1234' });
    const long = `${'lorem ipsum '.repeat(350_000)}key-1234`;
    const many = Array.from({ length: 100_000 }, (_, at) => `text ${at}`);
    const began = performance.now();
    expect(one.redact(long).endsWith('[secret x-key]')).toBe(true);
    expect(one.redact(many)).toHaveLength(100_000);
    expect(performance.now() - began).toBeLessThan(10_000); // Slow code would take minutes.
  });
});
