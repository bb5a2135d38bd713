/**
 * Servers whose address, headers or sign-in depend on the context. Each context reaches another server, or
 * another account on it.
 */
import { describe, expect, it } from 'vitest';
import { defineAgent, type ToolProvider, toolProvider } from '../../../../../src/index.ts';
import { defineSubagent } from '../../../../../src/kinds/entry.ts';
import {
  createMcpToolFactory,
  defineMcpClient,
  type McpClient,
  mcpToolProvider,
} from '../../../../../src/mcp/tools/entry.ts';
import { createFakeServer, type FakeServer } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { getLastResults, getOfferedTools } from '../../unfolding/scenes.ts';
import { countMethods, createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

const createEast = () =>
  createFakeServer({ url: 'https://east.test/mcp', tools: [createSayingTool('pay', 'paid in the east')] });
const createWest = () =>
  createFakeServer({ url: 'https://west.test/mcp', tools: [createSayingTool('pay', 'paid in the west')] });

/** A `fetch` that reaches the server with the requested host. */
const fetchAmong =
  (...servers: readonly FakeServer[]): FakeServer['fetch'] =>
  (url, init) => {
    const server = servers.find((one) => new URL(one.url).host === new URL(url).host);
    if (!server) throw new TypeError(`no server has the address ${url}`);
    return server.fetch(url, init);
  };

const createSubagent = (name: string, client: McpClient, context: Record<string, string>) =>
  defineSubagent({
    agent: defineAgent({
      name,
      description: `Works in the ${name}.`,
      instructions: 'Work.',
      tools: [mcpToolProvider({ clients: [client] })],
      context,
    }),
  });

const listAccounts = ({ requests }: FakeServer): readonly unknown[] =>
  requests.filter(({ rpc }) => rpc === 'tools/call').map(({ headers }) => headers['x-account']);

describe('two loops of one turn', () => {
  const replies = [
    requestTool('east', { message: 'Pay.' }),
    requestTool('pay'),
    'Paid.',
    requestTool('west', { message: 'Pay.' }),
    requestTool('pay'),
    'Paid.',
    'Both are paid.',
  ];

  it('use separate addresses, headers and tools if their contexts yield two addresses', async () => {
    const [a, b] = [createEast(), createWest()];
    const client = defineMcpClient({
      name: 'bank',
      url: ({ context }) => String(context.get('endpoint')),
      headers: ({ context }) => ({ 'x-account': String(context.get('account')) }),
      fetch: fetchAmong(a, b),
    });
    const desk = createSession(
      [
        createSubagent('east', client, { endpoint: a.url, account: 'e-1' }),
        createSubagent('west', client, { endpoint: b.url, account: 'w-1' }),
      ],
      replies,
    );
    expect(await desk.send('Pay both')).toMatchObject({ text: 'Both are paid.' });
    expect([listAccounts(a), listAccounts(b)]).toEqual([['e-1'], ['w-1']]);
    expect([countMethods(a)['tools/list'], countMethods(b)['tools/list']]).toEqual([1, 1]);
  });

  it('have one connection each if only the headers depend on the contexts', async () => {
    const a = createEast();
    const client = defineMcpClient({
      name: 'bank',
      url: a.url,
      headers: ({ context }) => ({ 'x-account': String(context.get('account')) }),
      fetch: a.fetch,
    });
    const desk = createSession(
      [
        createSubagent('east', client, { account: 'e-1' }),
        createSubagent('west', client, { account: 'w-1' }),
      ],
      replies,
      { warm: true },
    );
    await desk.send('Pay both');
    expect(listAccounts(a)).toEqual(['e-1', 'w-1']);
    expect(countMethods(a).initialize).toBe(2);
  });

  it('share a connection if neither the address nor the headers depend on the context', async () => {
    const a = createEast();
    const client = defineMcpClient({ name: 'bank', url: a.url, fetch: a.fetch });
    const desk = createSession(
      [
        createSubagent('east', client, { account: 'e-1' }),
        createSubagent('west', client, { account: 'w-1' }),
      ],
      replies,
      { warm: true },
    );
    await desk.send('Pay both');
    expect(countMethods(a)).toMatchObject({ initialize: 1, 'tools/list': 1, 'tools/call': 2 });
  });
});

describe('a list of tools', () => {
  it('belongs to one address: another address has its own list, even if the session has stored the first one', async () => {
    const [a, b] = [createEast(), createWest()];
    let url = a.url;
    const client = defineMcpClient({ name: 'bank', url: () => url, fetch: fetchAmong(a, b) });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.']);
    await desk.send('One');
    url = b.url;
    await desk.send('Two');
    expect([countMethods(a)['tools/list'], countMethods(b)['tools/list']]).toEqual([1, 1]);
    const events = await desk.events();
    const keys = events.flatMap((event) => (event.type === 'tools-listed' ? event.facts : []));
    expect(keys.map(({ fact }) => fact)).toMatchObject([
      { key: JSON.stringify(['bank', a.url, null, 'tester']) },
      { key: JSON.stringify(['bank', b.url, null, 'tester']) },
    ]);
  });

  it('is not used to call a tool at another address, and the model must list the tools again', async () => {
    const [a, b] = [createEast(), createWest()];
    let url = a.url;
    const client = defineMcpClient({ name: 'bank', url: () => url, fetch: fetchAmong(a, b) });
    const listed = mcpToolProvider({ clients: [client] });
    const moving: ToolProvider = toolProvider({
      ...listed,
      toolsNow: (view) =>
        listed.toolsNow(view).map((tool) => ({
          ...tool,
          call(input, call) {
            url = b.url;
            return tool.call(input, call);
          },
        })),
    });
    const desk = createSession([moving], [requestTool('pay'), requestTool('pay'), 'Done.']);
    await desk.send('Pay');
    expect(getLastResults(desk)).toEqual([
      "Error: Tool 'pay' is not called: MCP server 'bank' has another URL than when it listed this tool. Its tools are " +
        'listed again before your next reply: call one of those.',
      'paid in the west',
    ]);
    expect(countMethods(a)['tools/call']).toBeUndefined();
  });
});

describe('a client without a valid address', () => {
  it('has no tools, which is logged once per invocation', async () => {
    const said = captureWarnings();
    const { client, server } = createScene([createSayingTool('look')], {
      url: ({ context }) => {
        if (!context.has('endpoint')) throw new Error('no endpoint');
        return 'https://mcp.test/mcp';
      },
    });
    const note = createSayingTool('note', 'noted');
    const other = createScene([note], { name: 'notes' });
    const desk = createSession(
      [mcpToolProvider({ clients: [client, other.client] })],
      [requestTool('note'), requestTool('note'), 'Done.'],
      { warm: true },
    );
    await desk.send('Note it');
    const names = ['note', 'shop_is_not_reachable'];
    expect(getOfferedTools(desk)).toEqual([names, names, names]);
    expect(said).toEqual([
      expect.stringMatching(
        /^holdfast: MCP server 'shop' cannot be reached: its URL could not be made\. What was thrown: Error: no endpoint at /,
      ),
    ]);
    expect(server.requests).toEqual([]);
  });

  it('leaves an unfolding tool closed, and the model reads the reason', async () => {
    captureWarnings();
    const { client } = createScene([createSayingTool('look')], { url: () => 'nowhere' });
    const facade = createMcpToolFactory({ clients: [client] }).unfolding('shop', 'The shop.', () => true);
    const desk = createSession([facade], [requestTool('shop'), 'Sorry.']);
    await desk.send('Open it');
    expect(getLastResults(desk)).toEqual([
      "Tool 'shop' cannot show its tools now. MCP server 'shop' cannot be reached: its URL is not an http(s) URL. " +
        'Go on without them.',
    ]);
  });
});
