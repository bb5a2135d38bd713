/**
 * When the tools of servers are requested, and which of their data a session stores (MCP-08, MCP-09, drift).
 */
import { describe, expect, it } from 'vitest';
import { createMcpToolFactory, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { createManualClock, type ScriptedReply, type TestSession } from '../../../../../src/testing/entry.ts';
import { misbehaveFor, respondWith } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { createCrashTool, getLastResults, getOfferedTools } from '../../unfolding/scenes.ts';
import { countMethods, createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

/** The facts of all lists in the journal. */
async function readListedFacts(desk: TestSession): Promise<readonly unknown[]> {
  const events = await desk.events();
  return events.flatMap((event) =>
    event.type === 'tools-listed' ? event.facts.map(({ fact }) => fact) : [],
  );
}

describe('the tools of a server', () => {
  it('are requested once, even if several listed tools come from it', async () => {
    const { server, client } = createScene([createSayingTool('look'), createSayingTool('dig')]);
    const factory = createMcpToolFactory({ clients: [client] });
    const desk = createSession([factory.toolByName('look'), factory.toolByName('dig')], ['Done.']);
    await desk.send('Hello');
    expect(getOfferedTools(desk)).toEqual([['dig', 'look']]);
    expect(countMethods(server)['tools/list']).toBe(1);
    expect(await readListedFacts(desk)).toHaveLength(1);
  });

  it('are available in the next turn and after a take-over, without a request (MCP-09)', async () => {
    const { server, client } = createScene([createSayingTool('look')]);
    const tools = [mcpToolProvider({ clients: [client] }), createCrashTool(() => desk)];
    const desk = createSession(tools, [requestTool('crash'), 'Went on.', 'Done.']);
    expect(await desk.send('Hello')).toMatchObject({ text: 'Went on.' });
    await desk.send('Hello again');
    expect(getOfferedTools(desk)).toEqual([
      ['crash', 'look'],
      ['crash', 'look'],
      ['crash', 'look'],
    ]);
    expect(countMethods(server)).toEqual({
      'server/discover': 1,
      initialize: 1,
      'notifications/initialized': 1,
      'tools/list': 1,
    });
  });

  it('are requested again if the stored list is too old; an unchanged list is not stored again', async () => {
    const clock = createManualClock();
    const { server, client } = createScene([createSayingTool('look')], { refreshAfter: 60_000 });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.', 'Three.'], {
      clock,
    });
    await desk.send('One');
    await clock.advance(59_999);
    await desk.send('Two');
    expect(countMethods(server)['tools/list']).toBe(1);
    await clock.advance(1);
    await desk.send('Three');
    expect(countMethods(server)['tools/list']).toBe(2);
    const [first, second] = await readListedFacts(desk);
    expect(first).toMatchObject({ at: 0, told: { tools: [{ name: 'look' }] } });
    expect(second).toEqual({ key: JSON.stringify(['shop', server.url, null, 'tester']), at: 60_000 });
  });

  it('are the stored tools if the server is unreachable (MCP-04)', async () => {
    const said = captureWarnings();
    const { server, client } = createScene([createSayingTool('look')], { refreshAfter: 0 });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.']);
    await desk.send('One');
    server.misbehave = respondWith(502);
    await desk.send('Two');
    expect(getOfferedTools(desk)).toEqual([['look'], ['look']]);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' cannot be reached: it answered HTTP 502. It is at https://mcp.test.",
    ]);
  });

  it('are reported as missing with the time that the caller waited, to each of several callers', async () => {
    const said = captureWarnings();
    const { server, client } = createScene([createSayingTool('look')], { connectTimeout: 20 });
    server.misbehave = () => new Promise(() => undefined);
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      [requestTool('shop_is_not_reachable'), 'Done.'],
    );
    await desk.send('One');
    const why = "MCP server 'shop' cannot be reached: it did not answer within 20 ms.";
    expect(said.map((line) => line.slice(0, `holdfast: ${why}`.length))).toContain(`holdfast: ${why}`);
    expect(getLastResults(desk)).toEqual([expect.stringContaining(why)]);
  });

  it('belong to one principal, and no other principal sees them (MCP-09)', async () => {
    const { server, client } = createScene([createSayingTool('look')], { bearer: 'TOKEN' });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.'], {
      secrets: ({ id }) => ({ TOKEN: `token-of-${id}` }),
    });
    await desk.send('One');
    const [fact] = await readListedFacts(desk);
    expect(fact).toMatchObject({ key: JSON.stringify(['shop', server.url, null, 'tester']) });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      server.requests.map(() => 'Bearer token-of-tester'),
    );
  });

  it('are requested again by the next model call after a failure (MCP-09)', async () => {
    captureWarnings();
    const { server, client } = createScene([createSayingTool('look')]);
    server.misbehave = misbehaveFor(({ rpc }) => rpc === 'tools/list', respondWith(500));
    const desk = createSession(
      [mcpToolProvider({ clients: [client] }), createCrashTool(() => desk)],
      [requestTool('crash'), requestTool('look'), 'Done.'],
    );
    const sending = desk.send('Hello');
    await server.request(({ rpc }) => rpc === 'tools/list');
    server.misbehave = undefined;
    await sending;
    expect(getOfferedTools(desk)).toEqual([
      ['crash', 'shop_is_not_reachable'],
      ['crash', 'look'],
      ['crash', 'look'],
    ]);
    expect(getLastResults(desk)).toEqual(['crashed', 'look done']);
  });

  it('are offered once an invocation that calls the placeholder tool has reached the server', async () => {
    captureWarnings();
    const { server, client } = createScene([createSayingTool('look')], {
      server: { misbehave: respondWith(502) },
    });
    const bringServerBack: ScriptedReply = () => {
      server.misbehave = undefined;
      return requestTool('shop_is_not_reachable');
    };
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      [bringServerBack, requestTool('look'), 'Done.'],
    );
    await desk.send('Look');
    expect(getLastResults(desk)).toEqual(['Error: It can be reached again.', 'look done']);
    expect(getOfferedTools(desk)).toEqual([['shop_is_not_reachable'], ['look'], ['look']]);
    expect(countMethods(server)['tools/list']).toBe(1);
  });

  it.each(['a provider', 'a tool by name'])(
    'are replaced by a tool that states why they are missing (%s)',
    async (by) => {
      const said = captureWarnings();
      const { server, client } = createScene([createSayingTool('look')], {
        server: { misbehave: respondWith(502) },
      });
      const factory = createMcpToolFactory({ clients: [client] });
      const tool = by === 'a provider' ? mcpToolProvider({ clients: [client] }) : factory.toolByName('look');
      const desk = createSession(
        [tool],
        [requestTool('shop_is_not_reachable'), 'Sorry.', requestTool('look'), 'Done.'],
      );
      await desk.send('Look');
      const why = "MCP server 'shop' cannot be reached: it answered HTTP 502.";
      expect([getLastResults(desk), said[0]]).toEqual([
        [`Error: ${why}`],
        `holdfast: ${why} It is at https://mcp.test.`,
      ]);
      expect(desk.requests[0]?.tools).toEqual([
        {
          name: 'shop_is_not_reachable',
          description:
            "The tools of MCP server 'shop' are missing now, because it cannot be reached. Call this to read why. Without them, say " +
            'what you could not do.',
          inputSchema: { type: 'object', properties: {} },
        },
      ]);
      server.misbehave = undefined;
      await desk.send('Look again');
      expect(getOfferedTools(desk).slice(2)).toEqual([['look'], ['look']]);
    },
  );

  it('are requested again if the server declares them stale, at most once a minute', async () => {
    const clock = createManualClock();
    const { server, client } = createScene([createSayingTool('look')], { server: { kind: 'modern' } });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.', 'Three.'], {
      clock,
    });
    await desk.send('One');
    await clock.advance(59_999);
    await desk.send('Two');
    expect(countMethods(server)).toEqual({ 'server/discover': 1, 'tools/list': 1 });
    await clock.advance(1);
    await desk.send('Three');
    expect(countMethods(server)).toEqual({ 'server/discover': 1, 'tools/list': 2 });
    const spoken = { era: 'stateless', offers: ['tools', 'logging'] };
    expect(await readListedFacts(desk)).toMatchObject([{ told: { spoken, ttl: 0 } }, { at: 60_000 }]);
  });

  it.each([
    [undefined, 3_600_000, 3_599_999],
    [undefined, 9e15, 86_399_999],
    [90_000, 3_600_000, 89_999],
  ])(
    'are current, with refreshAfter %s and %i ms from the server, for %i ms',
    async (refreshAfter, ttlMs, current) => {
      const clock = createManualClock();
      const list = { resultType: 'complete', ttlMs, cacheScope: 'public', tools: [] };
      const { server, client } = createScene([], {
        refreshAfter,
        server: {
          kind: 'modern',
          misbehave: misbehaveFor(
            ({ rpc }) => rpc === 'tools/list',
            ({ body }) => Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, result: list }),
          ),
        },
      });
      const desk = createSession([mcpToolProvider({ clients: [client] })], ['One.', 'Two.', 'Three.'], {
        clock,
      });
      await desk.send('One');
      await clock.advance(current);
      await desk.send('Two');
      expect(countMethods(server)['tools/list']).toBe(1);
      await clock.advance(1);
      await desk.send('Three');
      expect(countMethods(server)['tools/list']).toBe(2);
    },
  );

  it('are called in the next turn with a single request if the server has no sessions', async () => {
    const { server, client } = createScene([createSayingTool('look')], { server: { kind: 'modern' } });
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      ['One.', requestTool('look'), 'Two.'],
    );
    await desk.send('One');
    await desk.send('Look');
    expect(getLastResults(desk)).toEqual(['look done']);
    expect(countMethods(server)).toEqual({ 'server/discover': 1, 'tools/list': 1, 'tools/call': 1 });
  });

  it('are omitted if they need headers that cannot be sent, and their server receives such headers', async () => {
    const said = captureWarnings();
    const createHeaderTool = (name: string, property: object) =>
      createSayingTool(name, '', { inputSchema: { type: 'object', properties: { value: property } } });
    const createHeaderProperty = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });
    const tools = [
      createHeaderTool('good', createHeaderProperty('Region')),
      createHeaderTool('named_as_the_keyword', {
        type: 'object',
        properties: { 'x-mcp-header': { type: 'string' } },
      }),
      createHeaderTool('empty', createHeaderProperty('')),
      createHeaderTool('spaced', createHeaderProperty('My Region')),
      createHeaderTool('number', createHeaderProperty('Region', 'number')),
      createHeaderTool('listed', { type: 'array', items: createHeaderProperty('Region') }),
      createSayingTool('twice', '', {
        inputSchema: {
          type: 'object',
          properties: { a: createHeaderProperty('Region'), b: createHeaderProperty('REGION') },
        },
      }),
    ];
    const { server, client } = createScene(tools, { server: { kind: 'modern' } });
    const desk = createSession([mcpToolProvider({ clients: [client] })], ['Done.']);
    await desk.send('Hello');
    expect(getOfferedTools(desk)).toEqual([['good', 'named_as_the_keyword']]);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' has tools that are left out: 'empty' asks for a header with an invalid name; " +
        "'spaced' asks for a header with an invalid name; 'number' asks for a header of a type other than " +
        "string, integer or boolean; 'listed' asks for a header outside the properties of its input; 'twice' asks for two headers with one name.",
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it('are requested again when the server reports a change', async () => {
    const said = captureWarnings();
    const { server, client } = createScene([]);
    server.tools = [
      createSayingTool('learn', '', {
        async run() {
          server.tools = [...server.tools, createSayingTool('juggle')];
          await server.sendToolListChanged();
          return { content: [{ type: 'text', text: 'learned' }] };
        },
      }),
    ];
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      [requestTool('learn'), requestTool('juggle'), 'Done.'],
    );
    await desk.send('Hello');
    expect(getOfferedTools(desk)).toEqual([['learn'], ['learn', 'juggle'], ['learn', 'juggle']]);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' has other tools than this session knew: added juggle",
    ]);
  });
});

describe('a tool that has changed', () => {
  const other = createSayingTool('look', 'other', { description: 'Does something else.' });

  it('is reported in the journal and in the log, and its new definition is used', async () => {
    const said = captureWarnings();
    const { server, client } = createScene([createSayingTool('look'), createSayingTool('dig')], {
      refreshAfter: 0,
    });
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      ['One.', requestTool('look'), 'Two.'],
    );
    await desk.send('One');
    server.tools = [other, createSayingTool('build')];
    await desk.send('Two');
    expect(said).toEqual([
      "holdfast: MCP server 'shop' has other tools than this session knew: added build; removed dig; changed look",
    ]);
    expect((await readListedFacts(desk)).at(1)).toMatchObject({
      told: { drift: { added: ['build'], removed: ['dig'], changed: ['look'] } },
    });
    expect(desk.requests[1]?.tools.find(({ name }) => name === 'look')?.description).toBe(
      'Does something else.',
    );
    expect(getLastResults(desk)).toEqual(['other']);
  });

  it('is refused if the client refuses drift, and its server is not called', async () => {
    captureWarnings();
    const { server, client } = createScene([createSayingTool('look')], { refreshAfter: 0, drift: 'refuse' });
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      ['One.', requestTool('look'), 'Two.'],
    );
    await desk.send('One');
    server.tools = [other];
    await desk.send('Two');
    expect(desk.requests[1]?.tools[0]?.description).toBe('Does look.');
    expect(getLastResults(desk)).toEqual([
      "Error: MCP tool 'look' has changed since this session first saw it, and server 'shop' may not change it so. " +
        'Do not call it again; go on without it.',
    ]);
    expect(countMethods(server)['tools/call']).toBeUndefined();
  });
});
