/** Tools of MCP servers in agents' lists and inside unfolding tools (MCP-01 to MCP-04, MCP-08, MCP-09). */
import { describe, expect, it } from 'vitest';
import type { ToolSource } from '../../../../../src/index.ts';
import { defineUnfolding } from '../../../../../src/kinds/entry.ts';
import {
  createMcpToolFactory,
  defineMcpToolGroup,
  type McpClient,
  McpClientDefinitionError,
  mcpResources,
  mcpToolProvider,
} from '../../../../../src/mcp/tools/entry.ts';
import { withUsageNote } from '../../../../../src/modules/decorators/entry.ts';
import { createManualClock } from '../../../../../src/testing/entry.ts';
import { respondWith } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { formatOpenedText, getLastResults, getOfferedTools } from '../../unfolding/scenes.ts';
import { countMethods, createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

const search = createSayingTool('search_wikipedia');
const article = createSayingTool('get_article');
const weather = createSayingTool('weather');

describe('two clients with the same name', () => {
  const createTwoClients = () => [
    createScene([search]).client,
    createScene([weather], { url: () => 'https://b.example/mcp' }).client,
  ];

  it.each<[string, (clients: readonly McpClient[]) => unknown]>([
    ['a factory', (clients) => createMcpToolFactory({ clients })],
    ['a provider', (clients) => mcpToolProvider({ clients })],
    ['a tool group', (clients) => defineMcpToolGroup({ role: 'web', description: 'The web.', clients })],
  ])('are refused by %s, because they would share stored data', (_, define) => {
    expect(() => define(createTwoClients())).toThrow(McpClientDefinitionError);
    expect(() => define(createTwoClients())).toThrow(
      expect.objectContaining({
        client: 'shop',
        field: 'name',
        message: "MCP client 'shop': another client in the list has the same name. Rename one.",
      }),
    );
  });

  it('are accepted if they are the same client', async () => {
    const { server, client } = createScene([search]);
    const wiki = createSession([mcpToolProvider({ clients: [client, client] })], ['Done.']);
    await wiki.send('Search');
    expect([getOfferedTools(wiki), countMethods(server)['tools/list']]).toEqual([[['search_wikipedia']], 1]);
  });
});

describe('tools with the same name from two servers', () => {
  it('are distinguished by a prefix; a missing prefix is logged once', async () => {
    const warned = captureWarnings();
    const [one, other] = [createScene([search]), createScene([search], { name: 'notes' })];
    const clients = [one.client, other.client];
    const wiki = createSession([mcpToolProvider({ clients })], ['Done.', 'Done.']);
    await wiki.send('Search');
    await wiki.send('Search');
    expect(getOfferedTools(wiki)).toEqual([['search_wikipedia'], ['search_wikipedia']]);
    expect(warned).toEqual([
      "holdfast: 'clerk' has a tool 'search_wikipedia' already: a provider's tool of that name is left out. Give the MCP client " +
        "'notes' a `prefix` to have both.",
    ]);
  });

  it('are refused when they are listed, with an error that shows the fix', () => {
    const [one, other] = [createScene([]).client, createScene([], { name: 'notes' }).client];
    const openListedSession = () => createSession([mcpResources(one), mcpResources(other)], []);
    expect(openListedSession).toThrow(
      "Duplicate tool name: 'resources', at index 0 and 1. Give the MCP client 'notes' a `prefix` to have both",
    );
    const { client } = createScene([], { name: 'notes', prefix: 'notes_' });
    expect(() => createSession([mcpResources(one), mcpResources(client)], [])).not.toThrow();
  });
});

describe('a tool that is requested by name', () => {
  it('is offered from the first model call on, and runs on its server (MCP-01)', async () => {
    const { server, client } = createScene([search, article]);
    const factory = createMcpToolFactory({ clients: [client] });
    const wiki = createSession([factory.toolByName('get_article')], [requestTool('get_article'), 'Read.'], {
      warm: true,
    });
    expect(await wiki.send('Read it')).toMatchObject({ outcome: 'completed', text: 'Read.' });
    expect(getOfferedTools(wiki)).toEqual([['get_article'], ['get_article']]);
    expect(getLastResults(wiki)).toEqual(['get_article done']);
    expect(countMethods(server)).toEqual({
      'server/discover': 1,
      initialize: 1,
      'notifications/initialized': 1,
      'tools/list': 1,
      'tools/call': 1,
    });
  });

  it('is missing if no server has it, and the agent runs without it (MCP-01, MCP-04, S0-129)', async () => {
    const { client } = createScene([search]);
    const factory = createMcpToolFactory({ clients: [client] });
    const wiki = createSession([factory.toolByName('brave_web_search')], ['I cannot search.']);
    expect(await wiki.send('Search')).toMatchObject({ outcome: 'completed', text: 'I cannot search.' });
    expect(getOfferedTools(wiki)).toEqual([[]]);
  });

  it('is found under the name that models see, with its prefix, on the first server that has it', async () => {
    const first = createScene([createSayingTool('look', 'first')], { prefix: 'a_' });
    const second = createScene([createSayingTool('look', 'second')], { name: 'other', prefix: 'b_' });
    const factory = createMcpToolFactory({ clients: [first.client, second.client] });
    const tools = [factory.toolByName('look'), factory.toolByName('b_look')];
    const both = createSession(tools, [requestTool('a_look'), requestTool('b_look'), 'Done.']);
    await both.send('Look');
    expect(getOfferedTools(both)[0]).toEqual(['a_look', 'b_look']);
    expect(getLastResults(both)).toEqual(['first', 'second']);
  });

  it('can be adapted before it is offered', async () => {
    const { client } = createScene([search]);
    const adapt = (tool: Parameters<typeof withUsageNote>[0]) =>
      withUsageNote(tool, 'Only after the local sources.');
    const factory = createMcpToolFactory({ clients: [client], adapt });
    const wiki = createSession([factory.toolByName('search_wikipedia')], ['Done.']);
    await wiki.send('Search');
    expect(wiki.requests[0]?.tools[0]?.description).toContain('Only after the local sources.');
  });
});

describe('a required tool', () => {
  it('is the tool itself if a server has it', async () => {
    const { client } = createScene([search]);
    const factory = createMcpToolFactory({ clients: [client] });
    const tools = [factory.requiredToolByName('search_wikipedia')];
    const wiki = createSession(tools, [requestTool('search_wikipedia'), 'Done.']);
    await wiki.send('Search');
    expect(getLastResults(wiki)).toEqual(['search_wikipedia done']);
  });

  it('reports the missing tool and the available tools in sorted order (MCP-02)', async () => {
    captureWarnings();
    const { client } = createScene([weather, article]);
    const factory = createMcpToolFactory({ clients: [client] });
    const tools = [factory.requiredToolByName('brave_web_search')];
    const wiki = createSession(tools, [requestTool('brave_web_search'), 'Sorry.']);
    expect(await wiki.send('Search')).toMatchObject({ outcome: 'completed', text: 'Sorry.' });
    expect(getLastResults(wiki)).toEqual([
      "Error: MCP tool 'brave_web_search' not found. Available tools: get_article, weather",
    ]);
  });

  it('reports that no tools are available if no server responds (MCP-02, MCP-04)', async () => {
    captureWarnings();
    const { client } = createScene([], { server: { misbehave: respondWith(503) } });
    const factory = createMcpToolFactory({ clients: [client] });
    const tools = [factory.requiredToolByName('brave_web_search')];
    const wiki = createSession(tools, [requestTool('brave_web_search'), 'Sorry.']);
    expect(await wiki.send('Search')).toMatchObject({ outcome: 'completed', text: 'Sorry.' });
    expect(getLastResults(wiki)).toEqual([
      "Error: MCP tool 'brave_web_search' not found. No MCP tools are available - check MCP client connections.",
    ]);
  });

  it('is replaced by the tool once its server responds again (MCP-09)', async () => {
    captureWarnings();
    const { server, client } = createScene([search], { server: { misbehave: respondWith(503) } });
    const factory = createMcpToolFactory({ clients: [client] });
    const tools = [factory.requiredToolByName('search_wikipedia')];
    const wiki = createSession(tools, ['Sorry.', requestTool('search_wikipedia'), 'Found.']);
    await wiki.send('Search');
    server.misbehave = undefined;
    await wiki.send('Search again');
    expect(getLastResults(wiki)).toEqual(['search_wikipedia done']);
  });
});

describe('an unfolding tool over MCP', () => {
  it('contacts no server before it is called, and then shows the tools with the configured names (MCP-01, MCP-08)', async () => {
    const { server, client } = createScene([search, weather, article]);
    const factory = createMcpToolFactory({ clients: [client] });
    const wikipedia = factory.unfoldingByName('wikipedia', 'Find and read articles.', [
      'search_wikipedia',
      'get_article',
      'get_summary',
    ]);
    const wiki = createSession(
      [wikipedia],
      ['Not yet.', requestTool('wikipedia'), requestTool('get_article'), 'Read.'],
    );
    await wiki.send('Hello');
    expect([getOfferedTools(wiki), server.requests]).toEqual([[['wikipedia']], []]);
    await wiki.send('Read it');
    expect(getOfferedTools(wiki).at(-1)).toEqual(['wikipedia', 'get_article', 'search_wikipedia']);
    expect(getLastResults(wiki)).toEqual([
      formatOpenedText('search_wikipedia', 'get_article'),
      'get_article done',
    ]);
  });

  it('selects the tools whose names match a pattern at any position (MCP-03)', async () => {
    const { client } = createScene([
      createSayingTool('db_read'),
      createSayingTool('my_db_read'),
      createSayingTool('run_query_now'),
      weather,
    ]);
    const factory = createMcpToolFactory({ clients: [client] });
    const database = factory.unfoldingMatching('database', 'Work with the database.', [/^db_/, /query/g]);
    const desk = createSession(
      [database],
      [requestTool('database'), 'Open.', requestTool('database'), 'Open.'],
    );
    await desk.send('Open it');
    await desk.send('And again: a pattern with the flag g starts anew');
    expect([getOfferedTools(desk)[1], getOfferedTools(desk)[3]]).toEqual([
      ['database', 'db_read', 'run_query_now'],
      ['database', 'db_read', 'run_query_now'],
    ]);
  });

  it('selects the tools that its filter accepts, and shows its notes (S0-128)', async () => {
    const { client } = createScene([
      search,
      createSayingTool('web_fetch', '', { annotations: { readOnlyHint: true } }),
    ]);
    const factory = createMcpToolFactory({ clients: [client] });
    const web = factory.unfolding(
      'web_operations',
      'Web operations.',
      ({ name, hints }, of) => of === client && name.startsWith('web_') && hints?.readOnlyHint === true,
      { childToolUsageNotes: 'Fetch one page at a time.' },
    );
    const desk = createSession([web], [requestTool('web_operations'), 'Open.']);
    await desk.send('Open it');
    expect(getLastResults(desk)[0]).toBe(`${formatOpenedText('web_fetch')}\n\nFetch one page at a time.`);
  });

  it('remains offered after it opens if `removeOnInvoke` is false (UNF-15, S0-127)', async () => {
    const { client } = createScene([search]);
    const factory = createMcpToolFactory({ clients: [client] });
    const facade = factory.unfoldingByName('wikipedia', 'Articles.', ['search_wikipedia'], false);
    const desk = createSession([facade], [requestTool('wikipedia'), 'Open.']);
    await desk.send('Open it');
    expect(getOfferedTools(desk)[1]).toEqual(['wikipedia', 'search_wikipedia']);
  });

  it('shows the model why it stays closed, and opens once its server responds again (MCP-04, MCP-09, S0-129)', async () => {
    const said = captureWarnings();
    const { server, client } = createScene([search], { server: { misbehave: respondWith(503) } });
    const factory = createMcpToolFactory({ clients: [client] });
    const facade = factory.unfolding('wikipedia', 'Articles.', () => true);
    const desk = createSession(
      [facade],
      [requestTool('wikipedia'), 'Sorry.', requestTool('wikipedia'), 'Open.'],
    );
    await desk.send('Open it');
    const problem = "MCP server 'shop' cannot be reached: it answered HTTP 503.";
    expect(getLastResults(desk)).toEqual([
      `Tool 'wikipedia' cannot show its tools now. ${problem} Go on without them.`,
    ]);
    expect(said).toEqual([`holdfast: ${problem} It is at https://mcp.test.`]);
    server.misbehave = undefined;
    await desk.send('Open it');
    expect(getOfferedTools(desk).at(-1)).toEqual(['wikipedia', 'search_wikipedia']);
  });

  it('reports that there are no clients', async () => {
    const facade = createMcpToolFactory({ clients: [] }).unfolding('nothing', 'Nothing.', () => true);
    const desk = createSession([facade], [requestTool('nothing'), 'Sorry.']);
    await desk.send('Open it');
    expect(getLastResults(desk)).toEqual([
      "Tool 'nothing' cannot show its tools now. No MCP tools are available - check MCP client connections. " +
        'Go on without them.',
    ]);
  });

  it.each<[string, (client: McpClient) => ToolSource]>([
    [
      'a factory',
      (client) => createMcpToolFactory({ clients: [client] }).unfolding('empty', 'E.', () => false),
    ],
    [
      'a provider inside',
      (client) => {
        const tools = [mcpToolProvider({ clients: [client], filter: () => false })];
        return defineUnfolding({ name: 'empty', description: 'E.', tools });
      },
    ],
  ])(
    'reports once that it has no tools, and is not offered while its list is empty: %s (MCP-04, S0-129)',
    async (_, make) => {
      const clock = createManualClock();
      const { server, client } = createScene([search]);
      const replies = [requestTool('empty'), 'Sorry.', 'Sorry.', 'Sorry.'];
      const desk = createSession([make(client)], replies, { clock });
      await desk.send('Open it');
      expect(getLastResults(desk)).toEqual([
        "Tool 'empty' has no tools now; they may be there later. Go on without them.",
      ]);
      await desk.send('And now?');
      expect(getOfferedTools(desk)).toEqual([['empty'], [], []]);
      // An outdated list does not hide the tool.
      await clock.advance(600_000);
      await desk.send('And much later?');
      expect(getOfferedTools(desk).at(-1)).toEqual(['empty']);
      expect(countMethods(server)['tools/list']).toBe(1);
    },
  );

  it('is offered again once its server has a tool for it', async () => {
    const clock = createManualClock();
    const { server, client } = createScene([search]);
    const facade = createMcpToolFactory({ clients: [client] }).unfoldingByName('notes', 'N.', ['add_note']);
    const replies = [requestTool('notes'), 'Sorry.', requestTool('notes'), requestTool('add_note'), 'Noted.'];
    const desk = createSession([facade], replies, { clock });
    await desk.send('Note it');
    server.tools = [search, createSayingTool('add_note')];
    await clock.advance(600_000);
    await desk.send('Note it');
    expect(getOfferedTools(desk).at(-1)).toEqual(['notes', 'add_note']);
    expect(getLastResults(desk).at(-1)).toBe('add_note done');
  });
});
