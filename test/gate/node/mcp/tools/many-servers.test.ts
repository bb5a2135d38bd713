/** More servers than one invocation can contact with the 50 subrequests of the free Workers plan. */
import { expect, it } from 'vitest';
import type { ToolSource } from '../../../../../src/index.ts';
import { createMcpToolFactory, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import type { ScriptedReply } from '../../../../../src/testing/entry.ts';
import { Meter, UNLIMITED_PLATFORM } from '../../../../doors/session.ts';
import { respondWith } from '../../../../fixtures/mcp/fake-server.ts';
import { createMemoryApp, type MemoryApp } from '../../session/memory-app.ts';
import { getOfferedTools } from '../../tool-loop/discovery-scene.ts';
import { formatOpenedText } from '../../unfolding/scenes.ts';
import { countMethods, createSayingTool, createScene, requestTool, type Scene } from './scenes.ts';

const createScenes = (count: number): readonly Scene[] =>
  Array.from({ length: count }, (_, at) =>
    createScene([createSayingTool(`t${at}`)], { name: `s${at}`, url: `https://s${at}.test/mcp` }),
  );

const createToolNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `t${at}`);

interface PlayedSession {
  readonly app: MemoryApp;
  /** The end of each invocation. */
  readonly invocations: readonly string[];
}

/** Runs a turn in as many invocations as necessary, each with 50 subrequests. */
async function play(tools: readonly ToolSource[], replies: readonly ScriptedReply[]): Promise<PlayedSession> {
  const app = createMemoryApp({ tools, replies });
  const invocations: string[] = [];
  let leased = await app.lease('Go.');
  while (true) {
    const meter = new Meter({ ...UNLIMITED_PLATFORM, subrequests: 50 }, () => Date.now());
    const { status } = await app.run(leased, { meter });
    invocations.push(status);
    if (status === 'ended' || invocations.length > 10) return { app, invocations };
    leased = await app.resume(leased.page.openTurn?.id ?? 'id2');
  }
}

const getToolResults = ({ model }: MemoryApp): readonly string[] =>
  (model.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

it('the ten clients of one list are all contacted, in as many invocations as necessary', async () => {
  const servers = createScenes(10);
  const tools = [mcpToolProvider({ clients: servers.map(({ client }) => client) })];
  const { app, invocations } = await play(tools, [requestTool('t9'), 'Done.']);
  expect(invocations).toEqual(['handed-over', 'ended']);
  expect(getOfferedTools(app)).toEqual([createToolNames(10), createToolNames(10)]);
  expect(servers.map(({ server }) => countMethods(server)['tools/list'])).toEqual(servers.map(() => 1));
});

it('an unfolding tool over ten servers opens with the tools of some servers, and later with all tools', async () => {
  const servers = createScenes(10);
  const factory = createMcpToolFactory({ clients: servers.map(({ client }) => client) });
  const { app, invocations } = await play(
    [factory.unfolding('all', 'All.', () => true)],
    [requestTool('all'), requestTool('all'), requestTool('t9'), 'Done.'],
  );
  expect(invocations.at(-1)).toBe('ended');
  expect(getOfferedTools(app).at(-1)).toEqual(['all', ...createToolNames(10)]);
  expect(getToolResults(app)[0]).toBe(
    `${formatOpenedText(...createToolNames(7))}\n\nSome tools of 'all' are not here. MCP server 's7' is not asked yet. ` +
      "MCP server 's8' is not asked yet. MCP server 's9' is not asked yet. Call 'all' again for the other tools.",
  );
  expect(servers.map(({ server }) => countMethods(server)['tools/list'])).toEqual(servers.map(() => 1));
});

it('an unfolding tool reports the unreachable servers, and opens with the other tools', async () => {
  const servers = createScenes(2);
  const factory = createMcpToolFactory({ clients: servers.map(({ client }) => client) });
  for (const { server } of servers.slice(0, 1)) server.misbehave = respondWith(503);
  const { app } = await play([factory.unfolding('all', 'All.', () => true)], [requestTool('all'), 'Done.']);
  expect(getOfferedTools(app).at(-1)).toEqual(['all', 't1']);
  expect(getToolResults(app)).toEqual([
    `${formatOpenedText('t1')}\n\nSome tools of 'all' are not here. MCP server 's0' cannot be reached: it answered HTTP 503.`,
  ]);
});
