import { describe, expect, it } from 'vitest';
import { defineAgent, type ToolGroup } from '../../../../../src/index.ts';
import { withUnfolding } from '../../../../../src/kinds/entry.ts';
import {
  defineMcpToolGroup,
  type McpClient,
  type McpToolGroupConfig,
} from '../../../../../src/mcp/tools/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import {
  toolGroups as registered,
  ToolGroupDefinitionError,
  type ToolGroupOptions,
  toolGroup,
} from '../../../../../src/modules/tool-groups/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../../src/testing/entry.ts';
import { respondWith } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { countMethods, createSayingTool, createScene, requestTool } from '../../../node/mcp/tools/scenes.ts';
import { getLastResults, getOfferedTools } from '../../../node/unfolding/scenes.ts';
import { createTestApp } from '../../http/app.ts';
import { readJson } from '../../http/client.ts';

const createGroup = (clients: readonly McpClient[], more: Partial<McpToolGroupConfig<'web'>> = {}) =>
  defineMcpToolGroup({ role: 'web', description: 'The web.', clients, ...more });

/** An agent that uses the role, with the permissions that server groups need. */
const createGroupAgent = (request: ToolGroupOptions = {}) =>
  defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [toolGroup('web', { permissions: ['internet-access'], ...request })],
  });

interface GroupOptions {
  readonly agent?: ReturnType<typeof createGroupAgent>;
  readonly excludes?: readonly string[];
}

/** A session of that agent, in an app that has the group. */
const createDesk = (group: ToolGroup, replies: readonly ScriptedReply[], given: GroupOptions = {}) =>
  createTestSession(given.agent ?? createGroupAgent(), {
    replies,
    use: [registered([group])],
    env: { TOOL_GROUPS: { excludes: given.excludes ?? [] } },
  });

describe('an MCP tool group', () => {
  it('describes its purpose and its reach without a request to its servers (TGR-04, MCP-09, S0-024)', () => {
    const { server, client } = createScene([createSayingTool('search')]);
    const group = defineMcpToolGroup({
      role: 'web',
      name: 'docker-web',
      description: 'The web.',
      provider: 'Docker',
      version: '2.0.0',
      permissions: ['internet-access', 'host-access'],
      clients: [client],
      childToolUsageNotes: 'Search little.',
    });
    // A listing of the tools is cached under a symbol.
    expect(Object.fromEntries(Object.entries(group))).toEqual({
      role: 'web',
      name: 'docker-web',
      description: 'The web.',
      provider: 'Docker',
      version: '2.0.0',
      permissions: ['internet-access', 'host-access'],
      tools: [],
      providers: [expect.objectContaining({ about: expect.objectContaining({ name: 'MCP: shop' }) })],
      childToolUsageNotes: 'Search little.',
      uses: [{ module: { name: 'tool-groups', nested: false, state: [] }, key: 'given' }],
    });
    expect(group.providers[0]?.toolsNow()).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('defaults to the name of its role, version 0.1.0 and internet access (TGR-04)', () => {
    const { client } = createScene([]);
    expect(createGroup([client])).toMatchObject({
      name: 'web',
      provider: 'holdfast',
      version: '0.1.0',
      permissions: ['internet-access'],
    });
    expect(createGroup([client], { permissions: [] }).permissions).toEqual([]);
  });

  it('gives an agent its servers’ tools, and queries each server only once in two turns (TGR-01, MCP-09)', async () => {
    const [shop, news] = [
      createScene([createSayingTool('order')]),
      createScene([createSayingTool('headlines')], { name: 'news' }),
    ];
    const session = createDesk(createGroup([shop.client, news.client, shop.client]), [
      requestTool('order'),
      'Done.',
      requestTool('headlines'),
      'Done.',
    ]);
    await session.send('Go.');
    await session.send('Go on.');
    const all = ['headlines', 'order'];
    expect(getOfferedTools(session)).toEqual([all, all, all, all]);
    expect(getLastResults(session)).toEqual(['order done', 'headlines done']);
    for (const { server } of [shop, news]) expect(countMethods(server)).toMatchObject({ 'tools/list': 1 });
  });

  it('contains the tools that its filter accepts, by description and server (S0-024)', async () => {
    const tools = [
      createSayingTool('read', 'read', { annotations: { readOnlyHint: true } }),
      createSayingTool('write'),
      createSayingTool('drop', 'dropped', { description: 'Reads nothing.' }),
    ];
    const [one, two] = [
      createScene(tools, { prefix: 'one_' }),
      createScene(tools, { name: 'other', prefix: 'two_' }),
    ];
    const group = createGroup([one.client, two.client], {
      filter: ({ name, description, hints }, { name: client }) =>
        hints?.readOnlyHint === true ||
        (client === 'other' && name === 'write') ||
        description === 'Reads nothing.',
    });
    const session = createDesk(group, ['Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['one_drop', 'one_read', 'two_drop', 'two_read', 'two_write']]);
  });

  it('is refused to an agent that does not allow its reach, without a request (TGR-09)', () => {
    const { server, client } = createScene([createSayingTool('search')]);
    expect(() =>
      createDesk(createGroup([client]), ['Never.'], { agent: createGroupAgent({ permissions: [] }) }),
    ).toThrow(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(server.requests).toEqual([]);
  });

  it('has no tools without clients, and reports that to the agent (TGR-05, MCP-09)', async () => {
    const none = "Tool group 'web', which agent 'clerk' asks for, has no tools in this environment.";
    expect(() => createDesk(createGroup([]), ['Never.'])).toThrow(none);
    const said = captureWarnings();
    const session = createDesk(createGroup([]), ['Done.'], { agent: createGroupAgent({ optional: true }) });
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([[]]);
    expect(said).toEqual([`holdfast: ${none} It is optional, so the agent runs without it.`]);
  });

  it('omits the tools of a failing server, keeps the tools of other servers, and retries (MCP-04, MCP-09)', async () => {
    const said = captureWarnings();
    const [shop, news] = [
      createScene([createSayingTool('order')]),
      createScene([createSayingTool('headlines')], { name: 'news' }),
    ];
    shop.server.misbehave = respondWith(502);
    const session = createDesk(createGroup([shop.client, news.client]), [
      'Done.',
      requestTool('order'),
      'Done.',
    ]);
    await session.send('Go.');
    shop.server.misbehave = undefined;
    await session.send('Again.');
    expect(getOfferedTools(session)).toEqual([
      ['headlines', 'shop_is_not_reachable'],
      ['headlines', 'order'],
      ['headlines', 'order'],
    ]);
    expect(getLastResults(session)).toEqual(['order done']);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' cannot be reached: it answered HTTP 502. It is at https://mcp.test.",
    ]);
  });

  it('reports a missing required tool and the available ones (TGR-06, MCP-02)', async () => {
    const said = captureWarnings();
    const { client } = createScene([createSayingTool('search'), createSayingTool('fetch')]);
    const agent = createGroupAgent({ required: ['crawl', 'fetch'] });
    const session = createDesk(createGroup([client]), [requestTool('crawl'), 'Done.'], { agent });
    await session.send('Go.');
    expect(getOfferedTools(session)[0]).toEqual(['crawl', 'fetch', 'search']);
    const text = "MCP tool 'crawl' not found. Available tools: fetch, search";
    expect(getLastResults(session)).toEqual([`Error: ${text}`]);
    expect(said).toEqual([`holdfast: 'clerk' lacks a tool that it requires: ${text}`]);
  });

  it('reports a missing required tool if no server can be reached (TGR-06, MCP-02)', async () => {
    captureWarnings();
    const { client } = createScene([createSayingTool('crawl')], { server: { misbehave: respondWith(502) } });
    const agent = createGroupAgent({ required: ['crawl'] });
    const session = createDesk(createGroup([client]), [requestTool('crawl'), 'Done.'], { agent });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: MCP tool 'crawl' not found. No MCP tools are available - check MCP client connections.",
    ]);
  });

  it('removes tools by the environment’s settings, which match the end of their names (TGR-03)', async () => {
    const { client } = createScene([createSayingTool('search'), createSayingTool('delete_page')], {
      prefix: 'wiki_',
    });
    const session = createDesk(createGroup([client]), ['Done.'], { excludes: ['page'] });
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['wiki_search']]);
  });

  it('can be inside one unfolding tool, and its server is queried when that tool is opened (UNF-34, MCP-08)', async () => {
    const { server, client } = createScene([createSayingTool('search')]);
    const group = withUnfolding(createGroup([client], { childToolUsageNotes: 'Search little.' }));
    const session = createDesk(group, ['Done.', requestTool('web'), requestTool('search'), 'Done.']);
    await session.send('Wait.');
    expect(server.requests).toEqual([]);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['web'], ['web'], ['web', 'search'], ['web', 'search']]);
    expect(getLastResults(session).at(-1)).toBe('search done');
    expect(countMethods(server)).toMatchObject({ 'tools/list': 1 });
  });

  it('is listed by GET /agents from its own description, without a handshake (MCP-10)', async () => {
    const { server, client } = createScene([createSayingTool('search')]);
    const app = createTestApp({
      agents: [createGroupAgent()],
      model: openaiCompatible(),
      use: [registered([createGroup([client], { provider: 'Docker' })])],
    });
    expect((await readJson(await app('/agents'))).agents).toMatchObject([
      {
        name: 'clerk',
        tools: [],
        sources: [
          {
            name: 'MCP: shop',
            description: 'Tools of the MCP servers shop, found in each session.',
            metadata: {
              toolGroup: {
                role: 'web',
                name: 'web',
                description: 'The web.',
                provider: 'Docker',
                version: '0.1.0',
                permissions: ['internet-access'],
              },
            },
          },
        ],
      },
    ]);
    expect(server.requests).toEqual([]);
  });

  it.each<[string, () => unknown, string]>([
    [
      'role',
      () => defineMcpToolGroup({ role: ' ', description: 'Nothing.', clients: [] }),
      "Tool group ' ' needs a role that is not blank.",
    ],
  ])('throws an error that explains the problem: %s', (field, define, message) => {
    expect(define).toThrow(ToolGroupDefinitionError);
    expect(define).toThrow(expect.objectContaining({ field, message }));
  });
});
