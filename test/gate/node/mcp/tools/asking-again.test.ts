/** How often a turn requests the tools of a server, which loops see them, and the logged warnings. */
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { type AnyTool, Secrets, ToolCallContext } from '../../../../../src/index.ts';
import { type Discovery, defineAgenticTool, type LoopView } from '../../../../../src/kinds/entry.ts';
import { createMcpToolFactory, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { findTools } from '../../../../doors/mcp.ts';
import { misbehaveFor } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { getOfferedTools } from '../../unfolding/scenes.ts';
import {
  countMethods,
  createSayingTool,
  createScene,
  createSession,
  requestTool,
  type Scene,
} from './scenes.ts';

/** A server whose tools change with each call, which it reports. */
function createRestlessScene(config: Parameters<typeof createScene>[1] = {}): Scene {
  const made = createScene([], config);
  const { server } = made;
  let calledTimes = 0;
  const createFidgetTool = () => ({
    ...createSayingTool('fidget', '', {
      async run() {
        calledTimes += 1;
        server.tools = [createFidgetTool()];
        await server.sendToolListChanged();
        return { content: [{ type: 'text' as const, text: 'done' }] };
      },
    }),
    description: `Called ${calledTimes} times.`,
  });
  server.tools = [createFidgetTool()];
  return made;
}

it('a server that keeps reporting changed tools is listed once per invocation', async () => {
  captureWarnings();
  const { server, client } = createRestlessScene();
  const replies = [...Array.from({ length: 5 }, () => requestTool('fidget')), 'Done.'];
  const desk = createSession([mcpToolProvider({ clients: [client] })], replies, { warm: true });
  await desk.send('Fidget');
  expect(countMethods(server)).toMatchObject({ 'tools/call': 5, 'tools/list': 2 });
  const events = await desk.events();
  expect(events.filter((event) => event.type === 'tools-listed')).toHaveLength(2);
});

it('a list that is never fresh is requested once per invocation', async () => {
  const { server, client } = createScene([createSayingTool('look')], { refreshAfter: 0 });
  const desk = createSession(
    [mcpToolProvider({ clients: [client] })],
    [requestTool('look'), requestTool('look'), 'One.', requestTool('look'), 'Two.'],
    { warm: true },
  );
  await desk.send('One');
  expect(countMethods(server)['tools/list']).toBe(1);
  await desk.send('Two');
  expect(countMethods(server)['tools/list']).toBe(2);
});

it('a nested loop is offered tools that an unfolding tool has found while that tool still waits for another server', async () => {
  const shop = createScene([createSayingTool('buy')]);
  const slow = createScene([createSayingTool('crawl')], { name: 'slow', url: 'https://slow.test/mcp' });
  const nested = Promise.withResolvers<void>();
  slow.server.misbehave = misbehaveFor(
    ({ rpc }) => rpc === 'tools/list',
    async (_, proceed) => {
      await nested.promise;
      return proceed();
    },
  );
  const factory = createMcpToolFactory({ clients: [shop.client, slow.client] });
  const buyer = defineAgenticTool({
    name: 'buyer',
    description: 'Buys.',
    input: v.object({}),
    tools: [mcpToolProvider({ clients: [shop.client] })],
  });
  const both = { calls: ['all', 'buyer'].map((name) => ({ name, input: {} })) };
  const desk = createSession(
    [factory.unfolding('all', 'All.', () => true), buyer],
    [both, 'Bought.', 'Done.'],
  );
  const sending = desk.send('Go');
  await expect.poll(() => desk.requests.length).toBe(2);
  nested.resolve();
  await sending;
  expect(getOfferedTools(desk)[1]).toEqual(['buy']);
  expect(countMethods(shop.server)['tools/list']).toBe(1);
});

it('the log contains neither secrets of the caller nor lines that the server made up', async () => {
  const said = captureWarnings();
  const secret = 'sesame-open-1234';
  const name = `look ${secret}\nholdfast: FORGED \u001b[31m`;
  const { client } = createScene([createSayingTool('dig'), createSayingTool(name)]);
  const desk = createSession([mcpToolProvider({ clients: [client] })], ['Done.'], {
    secrets: () => ({ TOKEN: secret }),
  });
  await desk.send('Hello');
  expect(said).toEqual([
    "holdfast: MCP server 'shop' has tools that are left out: 'look [secret TOKEN] holdfast: FORGED [31m' has no name of 1 to " +
      '128 characters.',
  ]);
});

it('loops that request a list before another loop has journaled it see the same list, up to ten loops', async () => {
  const { server, client } = createScene([createSayingTool('look')]);
  const made: readonly AnyTool[] = [];
  // The parts of a loop that a list request uses.
  const view = {
    principal: { id: 'tester' },
    context: ToolCallContext.EMPTY,
    recall: () => [],
    made: () => made,
  } as unknown as LoopView;
  const discovery: Discovery = {
    view,
    secrets: Secrets.NONE,
    signal: new AbortController().signal,
    now: () => 0,
    ask: (_, work) => work(),
    atEnd: () => undefined,
    count: () => undefined,
    credentials: { find: async () => ({ status: 'none' }), keep: async () => false },
  };
  const first = await findTools(client, discovery);
  expect(first.facts).toHaveLength(1);
  for (let loop = 1; loop <= 10; loop += 1) expect(await findTools(client, discovery)).toEqual(first);
  expect(await findTools(client, discovery)).toEqual({ facts: [] });
  expect(countMethods(server)['tools/list']).toBe(1);
});
