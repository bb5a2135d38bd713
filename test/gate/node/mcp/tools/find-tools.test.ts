/** When servers are asked for their tools, and what a session remembers of it: MCP-08, MCP-09, drift. */
import { describe, expect, it } from 'vitest';
import { createMcpToolFactory, mcpToolProvider } from '../../../../../src/mcp/entry.ts';
import { createManualClock, type TestSession } from '../../../../../src/testing/entry.ts';
import { answers, only } from '../../../../fixtures/mcp/fake-server.ts';
import { warnings } from '../../../../fixtures/warnings.ts';
import { crash, offered, results } from '../../unfolding/scenes.ts';
import { calls, methods, says, scene, session } from './scenes.ts';

/** The facts of all listings in the journal. */
async function told(desk: TestSession): Promise<readonly unknown[]> {
  const events = await desk.events();
  return events.flatMap((event) =>
    event.type === 'tools-listed' ? event.facts.map(({ fact }) => fact) : [],
  );
}

describe('the tools of a server', () => {
  it('are asked for once, for all lists that are made of them', async () => {
    const { server, client } = scene([says('look'), says('dig')]);
    const factory = createMcpToolFactory({ clients: [client] });
    const desk = session([factory.toolByName('look'), factory.toolByName('dig')], ['Done.']);
    await desk.send('Hello');
    expect(offered(desk)).toEqual([['dig', 'look']]);
    expect(methods(server)['tools/list']).toBe(1);
    expect(await told(desk)).toHaveLength(1);
  });

  it('are known to the next turn, and to the Worker that takes over, without a request (MCP-09)', async () => {
    const { server, client } = scene([says('look')]);
    const tools = [mcpToolProvider({ clients: [client] }), crash(() => desk)];
    const desk = session(tools, [calls('crash'), 'Went on.', 'Done.']);
    expect(await desk.send('Hello')).toMatchObject({ text: 'Went on.' });
    await desk.send('Hello again');
    expect(offered(desk)).toEqual([
      ['crash', 'look'],
      ['crash', 'look'],
      ['crash', 'look'],
    ]);
    expect(methods(server)).toEqual({
      'server/discover': 1,
      initialize: 1,
      'notifications/initialized': 1,
      'tools/list': 1,
    });
  });

  it('are asked for again when what is known is too old, and what is the same is not stored again', async () => {
    const clock = createManualClock();
    const { server, client } = scene([says('look')], { refreshAfter: 60_000 });
    const desk = session([mcpToolProvider({ clients: [client] })], ['One.', 'Two.', 'Three.'], { clock });
    await desk.send('One');
    await clock.advance(59_999);
    await desk.send('Two');
    expect(methods(server)['tools/list']).toBe(1);
    await clock.advance(1);
    await desk.send('Three');
    expect(methods(server)['tools/list']).toBe(2);
    const [first, second] = await told(desk);
    expect(first).toMatchObject({ at: 0, told: { tools: [{ name: 'look' }] } });
    expect(second).toEqual({ key: JSON.stringify(['shop', server.url, null, 'tester']), at: 60_000 });
  });

  it('stay those that are known when the server is gone by then (MCP-04)', async () => {
    const said = warnings();
    const { server, client } = scene([says('look')], { refreshAfter: 0 });
    const desk = session([mcpToolProvider({ clients: [client] })], ['One.', 'Two.']);
    await desk.send('One');
    server.misbehave = answers(502);
    await desk.send('Two');
    expect(offered(desk)).toEqual([['look'], ['look']]);
    expect(said).toEqual(["holdfast: MCP server 'shop' cannot be reached: it answered HTTP 502."]);
  });

  it('are those of whoever asks: one principal is not shown what another was told (MCP-09)', async () => {
    const { server, client } = scene([says('look')], { bearer: 'TOKEN' });
    const desk = session([mcpToolProvider({ clients: [client] })], ['One.'], {
      secrets: ({ id }) => ({ TOKEN: `token-of-${id}` }),
    });
    await desk.send('One');
    const [fact] = await told(desk);
    expect(fact).toMatchObject({ key: JSON.stringify(['shop', server.url, null, 'tester']) });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      server.requests.map(() => 'Bearer token-of-tester'),
    );
  });

  it('are asked for anew after a failure, by the next model call (MCP-09)', async () => {
    warnings();
    const { server, client } = scene([says('look')]);
    server.misbehave = only(({ rpc }) => rpc === 'tools/list', answers(500));
    const desk = session(
      [mcpToolProvider({ clients: [client] }), crash(() => desk)],
      [calls('crash'), calls('look'), 'Done.'],
    );
    const sending = desk.send('Hello');
    await server.request(({ rpc }) => rpc === 'tools/list');
    server.misbehave = undefined;
    await sending;
    expect(offered(desk)).toEqual([['crash'], ['crash', 'look'], ['crash', 'look']]);
    expect(results(desk)).toEqual(['crashed', 'look done']);
  });

  it('are asked for again when the server says that they are others', async () => {
    const said = warnings();
    const { server, client } = scene([]);
    server.tools = [
      says('learn', '', {
        async run() {
          server.tools = [...server.tools, says('juggle')];
          await server.sendToolListChanged();
          return { content: [{ type: 'text', text: 'learnt' }] };
        },
      }),
    ];
    const desk = session(
      [mcpToolProvider({ clients: [client] })],
      [calls('learn'), calls('juggle'), 'Done.'],
    );
    await desk.send('Hello');
    expect(offered(desk)).toEqual([['learn'], ['learn', 'juggle'], ['learn', 'juggle']]);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' has other tools than this session knew: added juggle",
    ]);
  });
});

describe('a tool that has become another one', () => {
  const other = says('look', 'other', { description: 'Does something else.' });

  it('is reported, in the journal and in the log, and used as it is now', async () => {
    const said = warnings();
    const { server, client } = scene([says('look'), says('dig')], { refreshAfter: 0 });
    const desk = session([mcpToolProvider({ clients: [client] })], ['One.', calls('look'), 'Two.']);
    await desk.send('One');
    server.tools = [other, says('build')];
    await desk.send('Two');
    expect(said).toEqual([
      "holdfast: MCP server 'shop' has other tools than this session knew: added build; removed dig; changed look",
    ]);
    expect((await told(desk)).at(1)).toMatchObject({
      told: { drift: { added: ['build'], removed: ['dig'], changed: ['look'] } },
    });
    expect(desk.requests[1]?.tools.find(({ name }) => name === 'look')?.description).toBe(
      'Does something else.',
    );
    expect(results(desk)).toEqual(['other']);
  });

  it('is refused where the client says so, and its server is not called', async () => {
    warnings();
    const { server, client } = scene([says('look')], { refreshAfter: 0, drift: 'refuse' });
    const desk = session([mcpToolProvider({ clients: [client] })], ['One.', calls('look'), 'Two.']);
    await desk.send('One');
    server.tools = [other];
    await desk.send('Two');
    expect(desk.requests[1]?.tools[0]?.description).toBe('Does look.');
    expect(results(desk)).toEqual([
      "Error: MCP tool 'look' has changed since this session first saw it, and server 'shop' may not change it so. " +
        'Do not call it again; go on without it.',
    ]);
    expect(methods(server)['tools/call']).toBeUndefined();
  });
});
