/** More servers than one invocation can contact with the 50 subrequests of the free Workers plan. */
import { expect, it } from 'vitest';
import type { ToolSource } from '../../../../../src/index.ts';
import { createMcpToolFactory, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import type { ScriptedReply } from '../../../../../src/testing/entry.ts';
import { Meter, UNLIMITED } from '../../../../doors/session.ts';
import { respondWith } from '../../../../fixtures/mcp/fake-server.ts';
import { type MemoryApp, memoryApp } from '../../session/memory-app.ts';
import { offeredTools } from '../../tool-loop/discovery-scene.ts';
import { openedText } from '../../unfolding/scenes.ts';
import { calls, countMethods, type Scene, sayingTool, scene } from './scenes.ts';

const scenes = (count: number): readonly Scene[] =>
  Array.from({ length: count }, (_, at) =>
    scene([sayingTool(`t${at}`)], { name: `s${at}`, url: `https://s${at}.test/mcp` }),
  );

const toolNames = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `t${at}`);

interface PlayedSession {
  readonly app: MemoryApp;
  /** The end of each invocation. */
  readonly invocations: readonly string[];
}

/** Runs a turn in as many invocations as necessary, each with 50 subrequests. */
async function play(tools: readonly ToolSource[], replies: readonly ScriptedReply[]): Promise<PlayedSession> {
  const app = memoryApp({ tools, replies });
  const invocations: string[] = [];
  let leased = await app.lease('Go.');
  while (true) {
    const meter = new Meter({ ...UNLIMITED, subrequests: 50 }, () => Date.now());
    const { status } = await app.run(leased, { meter });
    invocations.push(status);
    if (status === 'ended' || invocations.length > 10) return { app, invocations };
    leased = await app.resume(leased.page.openTurn?.id ?? 'id2');
  }
}

const toolResults = ({ model }: MemoryApp): readonly string[] =>
  (model.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

it('the ten clients of one list are all contacted, in as many invocations as necessary', async () => {
  const servers = scenes(10);
  const tools = [mcpToolProvider({ clients: servers.map(({ client }) => client) })];
  const { app, invocations } = await play(tools, [calls('t9'), 'Done.']);
  expect(invocations).toEqual(['handed-over', 'ended']);
  expect(offeredTools(app)).toEqual([toolNames(10), toolNames(10)]);
  expect(servers.map(({ server }) => countMethods(server)['tools/list'])).toEqual(servers.map(() => 1));
});

it('an unfolding tool over ten servers opens with the tools of some, and with all tools when it is called again', async () => {
  const servers = scenes(10);
  const factory = createMcpToolFactory({ clients: servers.map(({ client }) => client) });
  const { app, invocations } = await play(
    [factory.unfolding('all', 'All.', () => true)],
    [calls('all'), calls('all'), calls('t9'), 'Done.'],
  );
  expect(invocations.at(-1)).toBe('ended');
  expect(offeredTools(app).at(-1)).toEqual(['all', ...toolNames(10)]);
  expect(toolResults(app)[0]).toBe(
    `${openedText(...toolNames(7))}\n\nSome tools of 'all' are not here. MCP server 's7' is not asked yet. ` +
      "MCP server 's8' is not asked yet. MCP server 's9' is not asked yet. Call 'all' again for the other tools.",
  );
  expect(servers.map(({ server }) => countMethods(server)['tools/list'])).toEqual(servers.map(() => 1));
});

it('an unfolding tool names the unreachable servers, and opens with the tools of the others', async () => {
  const servers = scenes(2);
  const factory = createMcpToolFactory({ clients: servers.map(({ client }) => client) });
  for (const { server } of servers.slice(0, 1)) server.misbehave = respondWith(503);
  const { app } = await play([factory.unfolding('all', 'All.', () => true)], [calls('all'), 'Done.']);
  expect(offeredTools(app).at(-1)).toEqual(['all', 't1']);
  expect(toolResults(app)).toEqual([
    `${openedText('t1')}\n\nSome tools of 'all' are not here. MCP server 's0' cannot be reached: it answered HTTP 503.`,
  ]);
});
